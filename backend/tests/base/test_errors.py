"""One response format for every error."""

import json

import pytest
from assay.api.http.responses import rejection
from assay.base.errors import Invalid, Problem
from assay.base.field_errors import FieldError
from testing.api import Appliance, fields, on_sqlite, problem


@on_sqlite
def test_all_wrong_fields_are_named_at_once(appliance: Appliance) -> None:
    body = {"name": "", "port": 70000, "connection": "telnet", "colour": "red"}
    document = problem(appliance.operator.post("/hosts", body), 422, "invalid")
    assert sorted(fields(document)) == ["colour", "connection", "name", "port"]
    by_field = {error["field"]: error for error in document["errors"]}
    assert by_field["port"]["value"] == 70000
    assert by_field["port"]["message"] == "must be at most 65535"
    assert by_field["connection"]["remedy"] == "Choose one of 'ssh' or 'local'."


@on_sqlite
def test_the_first_errors_are_named_and_the_rest_counted(
    appliance: Appliance,
) -> None:
    body = {"name": "p", "body": {"tests": [{"kind": "matrix"}] * 48}}
    document = problem(appliance.operator.post("/profiles", body), 422, "invalid")
    assert len(document["errors"]) == 51
    assert document["errors"][0]["field"] == "body.tests.0.title"
    assert document["errors"][-1]["field"] == "body"
    assert document["errors"][-1]["message"] == "has 190 more errors"
    assert document["detail"].endswith("; body: has 190 more errors")


@on_sqlite
def test_many_unknown_fields_get_a_short_response(appliance: Appliance) -> None:
    login = {"name": "ada", "password": "correct horse"}
    many = appliance.anonymous.post("/session", login | {f"{n}": n for n in range(99)})
    (error,) = problem(many, 422, "invalid")["errors"]
    assert (error["field"], error["message"]) == ("body", "has more than 100 fields")
    long = appliance.anonymous.post("/session", login | {"x" * 10**6: 1})
    assert fields(problem(long, 422, "invalid")) == ["x" * 200 + "…"]
    assert len(long.content) < 2000


@on_sqlite
def test_an_unreadable_body_is_rejected_with_the_reason(appliance: Appliance) -> None:
    cases = {
        b'{"name": "\xff"}': "is not UTF-8",
        b"[" * 10**5: "is nested too deeply",
        b'{"cache_bytes": ' + b"9" * 5000 + b"}": "has a number with too many digits",
    }
    for body, message in cases.items():
        answer = appliance.http.post(
            "/api/v1/arrays",
            content=body,
            headers={
                "Authorization": f"Bearer {appliance.operator.token}",
                "Content-Type": "application/json",
            },
        )
        (error,) = problem(answer, 422, "invalid")["errors"]
        assert (error["field"], error["message"]) == ("body", message)


@on_sqlite
def test_a_body_that_is_not_json_is_rejected(appliance: Appliance) -> None:
    headers = {
        "Authorization": f"Bearer {appliance.operator.token}",
        "Content-Type": "application/json",
    }
    for body in (b"{", b"[]", b"", b"\xff", b'"x"', b"null"):
        answer = appliance.http.post("/api/v1/arrays", content=body, headers=headers)
        assert answer.status_code in (400, 422), body
        assert answer.headers["content-type"] == "application/problem+json"


@on_sqlite
def test_an_unknown_endpoint_and_a_wrong_method_are_problems_too(appliance: Appliance) -> None:
    for refused in (
        problem(appliance.viewer.get("/nothing"), 404, "not_found"),
        problem(appliance.viewer.post("/campaings", {}), 404, "not_found"),
        problem(appliance.viewer.delete("/hosts/"), 404, "not_found"),
        problem(appliance.viewer.put("/hosts", {}), 405, "method_not_allowed"),
    ):
        assert "deleted" not in refused["detail"]
        assert refused["remedy"] == "See /api/v1/openapi.json."


@on_sqlite
def test_no_page_is_served_under_the_api_path(appliance: Appliance) -> None:
    for path in ("/api", "/api/", "/api/hosts", "/api/v2/hosts"):
        problem(appliance.http.get(path), 404, "not_found")


@on_sqlite
def test_an_unknown_query_parameter_is_named(appliance: Appliance) -> None:
    for path in ("/hosts", "/hosts/1", "/campaigns/1/stream"):
        document = problem(appliance.viewer.get(path, colour="red", limitt=5), 422, "invalid")
        assert fields(document) == ["colour", "limitt"]
    assert fields(problem(appliance.viewer.get("/hosts/1", host_id=1), 422, "invalid"))


@on_sqlite
def test_a_query_parameter_given_twice_is_named_unless_it_accepts_several(
    appliance: Appliance,
) -> None:
    answer = appliance.viewer.get("/campaigns", sort=["name", "id"])
    (error,) = problem(answer, 422, "invalid")["errors"]
    assert (error["field"], error["value"]) == ("sort", ["name", "id"])
    assert error["message"] == "is given more than once"
    assert appliance.viewer.get("/runs", state=["done", "failed"]).status_code == 200


def test_ids_out_of_range_are_rejected(appliance: Appliance) -> None:
    for wrong in ("0", "-1", str(2**63), "1e3", "x", "%00"):
        answer = appliance.viewer.get(f"/runs/{wrong}")
        assert answer.status_code == 422, wrong
        assert fields(answer.json()) == ["run_id"]
    problem(appliance.viewer.get(f"/runs/{2**63 - 1}"), 404, "not_found")
    for wrong in ("0", "-1", str(2**63)):  # other texts are names of hosts
        answer = appliance.viewer.get(f"/hosts/{wrong}")
        assert fields(problem(answer, 422, "invalid")) == ["host_id"]
    for wrong in ("1e3", "%00", "%FF", "%2F%2E%2E"):
        problem(appliance.viewer.get(f"/hosts/{wrong}"), 404, "not_found")


def test_text_that_no_database_can_store_is_rejected(appliance: Appliance) -> None:
    document = problem(appliance.operator.post("/arrays", {"name": "a\x00b"}), 422, "invalid")
    assert fields(document) == ["name"]
    headers = {"Authorization": f"Bearer {appliance.operator.token}"}
    for body in (b'{"name": "\\ud800"}', b'{"name": "a", "cache_bytes": 1e400}'):
        answer = appliance.http.post(
            "/api/v1/arrays",
            content=body,
            headers={**headers, "Content-Type": "application/json"},
        )
        assert answer.status_code == 422, answer.text


@on_sqlite
def test_an_infinite_or_invalid_wait_is_rejected(appliance: Appliance) -> None:
    for wait in ("nan", "inf", "-1", "1e9"):
        document = problem(appliance.viewer.get("/campaigns/1", wait=wait), 422, "invalid")
        assert fields(document) == ["wait"]


def test_nul_characters_are_rejected_in_all_text(appliance: Appliance) -> None:
    login = {"name": "a\x00", "password": "p"}
    assert fields(problem(appliance.anonymous.post("/session", login), 422, "invalid")) == ["name"]
    test = {
        "kind": "matrix",
        "operation": "write",
        "title": "\x00",
        "block": [512],
        "threads": [1],
        "file_size": 1,
    }
    body = {"name": "p", "body": {"tests": [test]}}
    document = problem(appliance.operator.post("/profiles", body), 422, "invalid")
    assert fields(document) == ["body.tests.0.title"]
    host = {"name": "h", "connection": "local", "user": "u" * 257}
    document = problem(appliance.operator.post("/hosts", host), 422, "invalid")
    assert fields(document) == ["user"]


def test_numbers_that_no_database_can_store_are_rejected_in_queries_too(
    appliance: Appliance,
) -> None:
    problem(appliance.viewer.get("/targets", host_id=2**63), 422, "invalid")
    cursor = "YWZ0ZXI6OTk5OTk5OTk5OTk5OTk5OTk5OTk5"  # after:99999999999999999999
    assert fields(problem(appliance.viewer.get("/arrays", cursor=cursor), 422, "invalid"))


@on_sqlite
def test_a_body_that_is_too_large_is_rejected(appliance: Appliance) -> None:
    answer = appliance.operator.post("/arrays", {"name": "a" * 3 * 2**20})
    problem(answer, 413, "body_too_large")


def test_limits_are_formatted_without_wrong_plurals_or_fractions(
    appliance: Appliance,
) -> None:
    (error,) = problem(appliance.operator.post("/arrays", {"name": ""}), 422, "invalid")["errors"]
    assert error["message"] == "must have 1 or more characters"
    assert error["remedy"] == "Give 1 or more characters."
    answer = appliance.viewer.get("/campaigns/1", wait=-1)
    assert problem(answer, 422, "invalid")["errors"][0]["remedy"] == "Give 0 or more."


@on_sqlite
def test_the_bounds_of_a_duration_have_a_readable_unit(appliance: Appliance) -> None:
    """The remedy has the number to send; the message says what it means."""
    test = {"kind": "sustained", "length": "10 s", "sample_ms": 90_000_000, "idle_ms": [10**12]}
    body = {"name": "p", "body": {"tests": [test]}}
    document = problem(appliance.operator.post("/profiles", body), 422, "invalid")
    found = {error["field"]: error for error in document["errors"]}
    sampling, idle = found["body.tests.0.sample_ms"], found["body.tests.0.idle_ms.0"]
    assert sampling["message"] == "must be at most 1 min"
    assert (sampling["remedy"], sampling["value"]) == ("Give 60000 or less.", 90_000_000)
    assert idle["message"] == "must be at most 7 d"


class _Titled(Problem):
    title = "Too many logins"


@pytest.mark.parametrize(
    ("problem", "detail", "remedy", "text"),
    [
        (Problem("It is full."), "It is full.", None, "It is full."),
        (Problem("It is full.", "Wait."), "It is full.", "Wait.", "It is full. Wait."),
        (Problem("It is full", "Wait."), "It is full", "Wait.", "It is full. Wait."),
        (
            Problem("On Rack 1. left.", "Wait."),
            "On Rack 1. left.",
            "Wait.",
            "On Rack 1. left. Wait.",
        ),
        (_Titled(remedy="Wait."), "Too many logins", "Wait.", "Wait."),
        (_Titled(), "Too many logins", None, "Too many logins"),
        (Invalid([FieldError("a", "is b", "Give c.")]), "a: is b", None, "a: is b"),
    ],
)
def test_reason_and_remedy_are_apart_and_read_as_sentences(
    problem: Problem, detail: str, remedy: str | None, text: str
) -> None:
    document = json.loads(bytes(rejection(problem).body))
    assert (document["detail"], document["remedy"]) == (detail, remedy)
    assert str(problem) == text
