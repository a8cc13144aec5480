"""Downloads: responses that a browser saves as files, and how the API describes them."""

from collections.abc import Callable
from typing import Any

from assay.base.examples import LateText

Example = str | Callable[[], str]
"""A text, or what makes it when the API is described."""


def saved_as(name: str) -> dict[str, str]:
    """Return the headers of a response that is saved as a file of this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def content(media_type: str, example: Example, *, binary: bool = False) -> dict[str, Any]:
    """Return the description of a file, as `content` of a response has it."""
    schema = {"type": "string", "format": "binary"} if binary else {"type": "string"}
    shown = example if isinstance(example, str) else LateText(make=example)
    return {media_type: {"schema": schema, "example": shown}}


def described(media_type: str, example: Example) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of an endpoint that returns a file of text."""
    return {200: {"content": content(media_type, example)}}
