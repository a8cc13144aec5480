"""Examples in the API's description that are made when the description is."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, model_serializer
from pydantic.config import JsonDict


def shown(make: Callable[[], Any]) -> Callable[[JsonDict], None]:
    """Return a `json_schema_extra` with the example that `make` returns."""

    def add(schema: JsonDict) -> None:
        schema["examples"] = [make()]

    return add


class LateText(BaseModel):
    """The text that `make` returns, in place of an example of a response."""

    make: Callable[[], str]

    @model_serializer
    def _text(self) -> str:
        return self.make()
