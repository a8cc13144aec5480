"""The OpenAPI document of the application."""

from collections.abc import Collection, Iterator
from typing import Any

from fastapi import FastAPI

from assay.api.accounts.authentication import COOKIE, CSRF_HEADER
from assay.api.http.responses import MEDIA_TYPE
from assay.api.http.routes import KEY_HEADER
from assay.base.errors import problem_codes

JSON = "application/json"
KEY_PARAMETER = {
    "name": KEY_HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!#-~]+$"},
    "description": "A UUID, for example: a repeated request with the same key and body is executed "
    "once, and gets the same response with the header `Idempotent-Replayed: true`",
}
LOCATION = {"schema": {"type": "string"}, "description": "The address of what was created"}
NAME = {"type": "string", "minLength": 1, "maxLength": 2500, "description": "Its name"}
LOGIN = frozenset({"set_up", "log_in"})

SCHEMES = {
    "token": {"type": "http", "scheme": "bearer", "description": "An API token, `assay_…`"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": f"A browser session; writes also need the header {CSRF_HEADER}",
    },
}


class DescribedAPI(FastAPI):
    """FastAPI with the authentication schemes and error documents in its OpenAPI document."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; created once."""
        if self.openapi_schema is None:
            document = super().openapi()
            document["components"]["securitySchemes"] = SCHEMES
            schemas = document["components"]["schemas"]
            schemas["ProblemDocument"]["properties"]["code"]["enum"] = sorted(problem_codes())
            _show_pages(schemas)
            named: Collection[str] = getattr(self.state, "named_parameters", ())
            for operation in _operations(document):
                for parameter in operation.get("parameters", ()):
                    if parameter["in"] == "path" and parameter["name"] in named:
                        parameter["schema"] = {"anyOf": [parameter["schema"], NAME]}
                for status, answer in operation["responses"].items():
                    content: dict[str, Any] = answer.get("content", {})
                    if JSON in content and not status.startswith("2"):
                        content[MEDIA_TYPE] = content.pop(JSON)
                if "x-permission" in operation:
                    operation["security"] = [{name: []} for name in SCHEMES]
                if creates := operation["responses"].get("201"):
                    creates["headers"] = {"Location": LOCATION}
                    if operation["operationId"] not in LOGIN:
                        operation.setdefault("parameters", []).append(KEY_PARAMETER)
        return self.openapi_schema or {}


def _show_pages(schemas: dict[str, Any]) -> None:
    """Add an example to each page type, from the example of its items."""
    for schema in schemas.values():
        properties = schema.get("properties", {})
        if "next_cursor" in properties:
            item = schemas[properties["items"]["items"]["$ref"].rpartition("/")[2]]
            schema["examples"] = [{"items": item["examples"], "next_cursor": None}]


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from path.values()
