"""Downloads: responses that a browser saves as files, and how the API describes them."""

from typing import Any


def saved_as(name: str) -> dict[str, str]:
    """Return the headers of a response that is saved as a file of this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def content(media_type: str, example: str, *, binary: bool = False) -> dict[str, Any]:
    """Return the description of a file, as `content` of a response has it."""
    schema = {"type": "string", "format": "binary"} if binary else {"type": "string"}
    return {media_type: {"schema": schema, "example": example}}


def described(media_type: str, example: str) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of an endpoint that returns a file of text."""
    return {200: {"content": content(media_type, example)}}
