"""The whole application: documentation, headers, pages."""

import gc
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from assay.api.app import PREFIX, create_app
from assay.api.http.browser import PAGES
from assay.base.messaging.changes import Broadcaster
from assay.base.settings import REPOSITORY
from assay.documents import openapi as api_document
from fastapi.testclient import TestClient
from testing.api import Appliance

METHODS = ("get", "post", "put", "patch", "delete")
OPEN = {"get /health", "post /setup", "post /session"}
DOCUMENT: dict[str, Any] = json.loads(api_document.document())
OPERATIONS = {
    f"{method} {path.removeprefix(PREFIX)}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if method in METHODS
}


def _resolve(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def assert_none(faults: Callable[[str, dict[str, Any]], Iterator[str]]) -> None:
    """Assert that no operation has a fault; the message lists those of all."""
    assert len(OPERATIONS) > 100
    found = [f"{name}: {fault}" for name, one in OPERATIONS.items() for fault in faults(name, one)]
    assert not found, "\n".join(found)


def test_every_endpoint_is_documented() -> None:
    def faults(_: str, operation: dict[str, Any]) -> Iterator[str]:
        yield from (
            f"no {part}" for part in ("summary", "description", "tags") if not operation.get(part)
        )
        if not operation["operationId"].replace("_", "").isalpha():
            yield f"the operation id {operation['operationId']} has other than letters and _"
        if body := operation.get("requestBody"):
            schema = _resolve(body["content"]["application/json"]["schema"])
            if not schema.get("examples"):
                yield f"no example of {schema.get('title')}"

    assert_none(faults)


def test_every_response_has_an_example() -> None:
    def faults(_: str, operation: dict[str, Any]) -> Iterator[str]:
        for status, answer in operation["responses"].items():
            if not status.startswith("2") or status == "204":
                continue
            for kind, content in answer["content"].items():
                schema = _resolve(content.get("schema", {}))
                if not ("example" in content or "examples" in content or schema.get("examples")):
                    yield f"no example of {status} {kind} {schema.get('title')}"

    assert_none(faults)


def test_every_parameter_is_described() -> None:
    def faults(_: str, operation: dict[str, Any]) -> Iterator[str]:
        for parameter in operation.get("parameters", []):
            if not parameter.get("description"):
                yield f"no description of {parameter['in']} {parameter['name']}"

    assert_none(faults)


def test_the_example_of_a_list_is_a_page_of_it() -> None:
    page = DOCUMENT["paths"][f"{PREFIX}/arrays"]["get"]["responses"]["200"]["content"]
    (example,) = _resolve(page["application/json"]["schema"])["examples"]
    assert example["items"][0]["name"]
    assert example["next_cursor"] is None


def test_every_error_is_a_problem_document_and_every_login_is_documented() -> None:
    def faults(name: str, operation: dict[str, Any]) -> Iterator[str]:
        problems = operation["responses"].get("default", {}).get("content", {})
        if list(problems) != ["application/problem+json"]:
            yield f"errors are {list(problems)}"
        for kind, content in problems.items():
            if (title := _resolve(content["schema"])["title"]) != "ProblemDocument":
                yield f"an error of {kind} is a {title}"
        if name not in OPEN and operation.get("security") != [{"token": []}, {"session": []}]:
            yield f"needs {operation.get('security')} instead of a token or a session"

    assert_none(faults)


def test_downloads_have_their_media_types() -> None:
    for path, kind in (("result.csv", "text/csv"), ("events", "application/x-ndjson")):
        answer = DOCUMENT["paths"][f"{PREFIX}/runs/{{run_id}}/{path}"]["get"]["responses"]["200"]
        assert list(answer["content"]) == [kind]
        assert answer["content"][kind]["schema"]["type"] == "string"


def test_operation_ids_are_unique() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(names) == len(set(names))


def test_the_content_security_policy_forbids_external_sources(appliance: Appliance) -> None:
    for path in ("/", "/api/v1/health", "/api/v1/hosts"):
        headers = appliance.http.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "http:" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert appliance.viewer.get("/hosts").headers["cache-control"] == "no-store"


@pytest.fixture
def pages(tmp_path: Path) -> TestClient:
    (tmp_path / "secret").write_text("outside")
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("<p>the page</p>")
    (dist / "assets" / "a-1f.js").write_text("1")
    return TestClient(create_app(dist))


def test_pages_are_served(pages: TestClient) -> None:
    for path in ("/", "/hosts/5", "/campaigns/7?unit=MiB"):
        answer = pages.get(path)
        assert answer.text == "<p>the page</p>"
        assert answer.headers["cache-control"] == "no-cache"
    assert "immutable" in pages.get("/assets/a-1f.js").headers["cache-control"]


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/metric", "/robots.txt", "/hosts/web-1", "/login.php"])
def test_an_unknown_path_is_not_found(pages: TestClient, path: str) -> None:
    for_a_program = pages.get(path)
    assert for_a_program.status_code == 404
    assert for_a_program.headers["content-type"] == "application/problem+json"
    in_a_browser = pages.get(path, headers=BROWSER)
    assert (in_a_browser.status_code, in_a_browser.text) == (404, "<p>the page</p>")


def test_every_route_of_the_front_end_is_a_page() -> None:
    router = (REPOSITORY / "frontend/src/app/router.tsx").read_text()
    paths = re.findall(r'^    path: "([^"]+)"', router, re.MULTILINE)
    assert len(paths) > 15
    for path in paths:
        assert PAGES.fullmatch(path.removeprefix("/").replace("$id", "7")), path


def test_assets_are_compressed_if_the_client_accepts_it(pages: TestClient) -> None:
    for accepted, encoding in (("gzip, br", "gzip"), ("identity", None)):
        answer = pages.get("/assets/a-1f.js", headers={"Accept-Encoding": accepted})
        assert answer.headers.get("content-encoding") == encoding
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.text == "1"


def test_a_missing_asset_is_not_the_page(pages: TestClient) -> None:
    assert pages.get("/assets/old.js").status_code == 404


def test_files_outside_the_front_end_are_not_served(pages: TestClient) -> None:
    for path in ("/../secret", "/%2e%2e/secret", "/assets/..%2f..%2fsecret", "//etc/passwd"):
        assert "outside" not in pages.get(path).text
        assert "root:" not in pages.get(path).text


def test_an_impossible_file_path_is_not_found(pages: TestClient) -> None:
    for path in ("/%00", "/" + "a" * 300, "/" + "a/" * 3000):
        assert pages.get(path, headers=BROWSER).status_code == 404
        assert pages.get(f"/assets{path}").status_code == 404


def test_without_built_pages_the_response_explains_how_to_build_them(tmp_path: Path) -> None:
    answer = TestClient(create_app(tmp_path)).get("/")
    assert answer.status_code == 503
    assert "make build" in answer.text


def test_subscriptions_end_with_their_block() -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscription("campaign:1") as bell:
        broadcaster.notify("campaign:2")
        assert not bell.is_set()
        broadcaster.notify("campaign:1")
        assert bell.is_set()
    assert not broadcaster._subscribers


def test_the_first_request_for_a_matrix_does_not_import_the_statistics_library() -> None:
    # in a separate interpreter: this one has already imported it
    started = """
import sys, time
from assay.api.app import app
from fastapi.testclient import TestClient
assert "mpmath" not in sys.modules, "asked for before the start"
with TestClient(app):
    until = time.monotonic() + 20
    while not sys.modules.get("mpmath") and time.monotonic() < until:
        time.sleep(0.01)
assert "mpmath" in sys.modules
"""
    subprocess.run([sys.executable, "-c", started], check=True, timeout=60)


def test_another_start_in_the_process_exempts_no_garbage_from_collection(
    appliance: Appliance,
) -> None:
    exempt = gc.get_freeze_count()
    assert exempt > 0
    with TestClient(create_app()):
        assert gc.get_freeze_count() <= exempt
