"""A client generated from the OpenAPI document works on every endpoint."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from assay.api.accounts.authentication import CSRF_HEADER
from assay.documents import openapi as api_document
from testing.api import FOUND, Appliance, on_sqlite
from testing.furnished import OPERATIONS, Furnished

READ_AS = {
    "application/x-ndjson": "application/octet-stream",
    "image/svg+xml": "text/plain",
    "text/csv": "text/plain",
    "text/markdown": "text/plain",
}
"""Media types that the generator does not know, and what it is to treat them as."""

BROWSERS = (
    *("GET /session", "DELETE /session", "POST /tokens"),
    *("GET /views", "POST /views", "GET /views/{view_id}"),
    *("PATCH /views/{view_id}", "DELETE /views/{view_id}"),
)
DOWNLOADS = ("GET /runs/{run_id}/events", "GET /runs/{run_id}/result.csv")
NEVER_ENDING = "GET /campaigns/{campaign_id}/stream"
REFUSED = {
    NEVER_ENDING: 404,  # asked for a campaign that there is not
    "POST /setup": 409,  # there are users
    "POST /session": 401,
}
"""What is rightly refused here; the client reads the refusal."""

IN_THE_WAY = 409
"""What others use is not deleted, a name is not given twice, and so on: an answer like another."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("generated")
    document, config = folder / "openapi.json", folder / "config.yaml"
    document.write_text(api_document.document())
    config.write_text(
        "content_type_overrides:\n" + "".join(f"  {a}: {b}\n" for a, b in READ_AS.items())
    )
    generate = [Path(sys.executable).with_name("openapi-python-client"), "generate"]
    asked = ["--path", document, "--config", config, "--output-path", folder / "generated_client"]
    made = subprocess.run(
        [*generate, *asked, "--meta", "none", "--fail-on-warning"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(Path(sys.executable).parent)},
    )
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(folder))
    yield importlib.import_module("generated_client")
    sys.path.remove(str(folder))


def operation_of(name: str) -> ModuleType:
    """Return the generated module of an operation."""
    described: dict[str, Any] = OPERATIONS[name]
    tag, own = described["tags"][0], re.sub(r"\W", "_", described["operationId"])
    return importlib.import_module(f"generated_client.api.{tag}.{own}")


def call(client: ModuleType, furnished: Furnished, name: str) -> Any:
    """Return the operation's response from the generated function with typed arguments."""
    http = furnished.http
    http.headers.pop("Authorization", None)
    http.headers.pop(CSRF_HEADER, None)
    http.cookies.clear()
    if name in BROWSERS:
        _, http.headers[CSRF_HEADER] = furnished.log_in("admin")
    elif name not in REFUSED or name == NEVER_ENDING:
        http.headers["Authorization"] = f"Bearer {furnished.appliance.admin.token}"
    asking = client.Client(base_url=str(http.base_url).rstrip("/")).set_httpx_client(http)
    function = operation_of(name).sync_detailed
    ids = {own: furnished.ids[own] for own in re.findall(r"{(\w+)}", name)}
    if name == NEVER_ENDING:
        ids = {"campaign_id": 999_999}
    arguments: dict[str, Any] = dict(ids)
    if name in ("GET /compare", "GET /compare/export", "GET /compare/export/size"):
        arguments["runs"] = f"{furnished.ids['run_id']},{furnished.ids['run_id'] + 1}"
    if name == "GET /search":
        arguments["q"] = "matrix"
    if name == "GET /compare/suggestions":
        arguments["run_id"] = furnished.ids["run_id"]
    if (body := furnished.body(name)) is not None:
        arguments["body"] = get_type_hints(function)["body"].from_dict(body)
    return function(client=asking, **arguments)


@on_sqlite
def test_a_generated_client_parses_every_response(client: ModuleType, appliance: Appliance) -> None:
    furnished = Furnished(appliance)
    found: dict[str, str] = {}
    with appliance.answering(FOUND):
        for name in sorted(OPERATIONS, key=_deletions_last):
            answer = call(client, furnished, name)
            found[name] = said(name, answer)
    assert {name: how for name, how in found.items() if how != "as documented"} == {}


def _deletions_last(name: str) -> int:
    """Return the place of an operation: what belongs to an object is deleted before the object."""
    return 100 - name.count("/") if name.startswith("DELETE") else 0


def said(name: str, answer: Any) -> str:
    """Return whether the response was parsed into the documented type."""
    status, parsed = int(answer.status_code), answer.parsed
    if status >= 400 and status != REFUSED.get(name, IN_THE_WAY):
        return f"{status}: {answer.content[:300]!r}"
    if status == 204:
        return "as documented" if parsed is None else "something in an empty answer"
    if parsed is None:
        return f"{status}: nothing was read from {answer.content[:300]!r}"
    if name in DOWNLOADS:
        whole = parsed.encode() if isinstance(parsed, str) else parsed.payload.read()
        return "as documented" if whole == answer.content else "another file"
    return "as documented" if type(parsed).__name__ != "dict" else "not typed"
