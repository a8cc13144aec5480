"""Order, pages, fields and words: the same for each list, shown with arrays."""

import base64
import json
from typing import Any

import pytest
from testing.api import Appliance, fields, on_both, problem

ARRAYS = [
    {"name": "beta", "vendor": "Acme", "cache_bytes": 64},
    {"name": "Alpha", "vendor": "acme", "cache_bytes": None},
    {"name": "gamma", "vendor": None, "cache_bytes": 8},
    {"name": "delta", "vendor": "Acme", "cache_bytes": None},
    {"name": "100%_epsilon", "vendor": "Zeta", "cache_bytes": 64},
]


@pytest.fixture
def arrays(appliance: Appliance) -> Appliance:
    for one in ARRAYS:
        answer = appliance.operator.post("/arrays", one)
        assert answer.status_code == 201, answer.text
    return appliance


def names(appliance: Appliance, limit: int, **query: Any) -> list[str]:
    """Return the names of all pages."""
    found: list[str] = []
    cursor = {}
    while True:
        page = appliance.viewer.get("/arrays", limit=limit, **query, **cursor).json()
        found += [one["name"] for one in page["items"]]
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


@on_both
@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("id", ["beta", "Alpha", "gamma", "delta", "100%_epsilon"]),
        ("-id", ["100%_epsilon", "delta", "gamma", "Alpha", "beta"]),
        ("name", ["100%_epsilon", "Alpha", "beta", "delta", "gamma"]),
        ("-name", ["gamma", "delta", "beta", "Alpha", "100%_epsilon"]),
        # equal values follow by id in the same direction, nulls come last in both
        ("vendor", ["beta", "Alpha", "delta", "100%_epsilon", "gamma"]),
        ("-vendor", ["100%_epsilon", "delta", "Alpha", "beta", "gamma"]),
        ("cache_bytes", ["gamma", "beta", "100%_epsilon", "Alpha", "delta"]),
        ("-cache_bytes", ["100%_epsilon", "beta", "gamma", "delta", "Alpha"]),
    ],
)
def test_pages_of_any_size_have_every_row_once_in_the_order_asked_for(
    arrays: Appliance, sort: str, expected: list[str]
) -> None:
    for limit in (1, 2, 3, 200):
        assert names(arrays, limit, sort=sort) == expected


@on_both
def test_a_row_added_or_removed_between_pages_neither_repeats_nor_hides_others(
    arrays: Appliance,
) -> None:
    first = arrays.viewer.get("/arrays", sort="name", limit=2).json()
    assert [one["name"] for one in first["items"]] == ["100%_epsilon", "Alpha"]
    arrays.operator.post("/arrays", {"name": "Aaa"})
    assert arrays.operator.delete(f"/arrays/{first['items'][1]['id']}").status_code == 204
    rest = arrays.viewer.get("/arrays", sort="name", cursor=first["next_cursor"]).json()
    assert [one["name"] for one in rest["items"]] == ["beta", "delta", "gamma"]


def test_an_unknown_order_is_rejected_and_the_possible_ones_are_named(appliance: Appliance) -> None:
    document = problem(appliance.viewer.get("/arrays", sort="size"), 422, "invalid")
    (error,) = document["errors"]
    assert error["field"] == "sort"
    assert error["value"] == "size"
    assert "cache_bytes" in error["remedy"]
    assert "name" in error["remedy"]


@pytest.mark.parametrize("sort", ["", "-", "--id", "id,name", "ID"])
def test_an_order_that_is_no_field_is_rejected(appliance: Appliance, sort: str) -> None:
    document = problem(appliance.viewer.get("/arrays", sort=sort), 422, "invalid")
    assert fields(document) == ["sort"]


@on_both
@pytest.mark.parametrize(
    "document",
    [
        ["-id", 1, 10**30],
        ["-id", 1, True],
        ["-id", 1, None],
        ["-id", "1", 1],
        ["-id", [1], 1],
        ["name", "a", 1],
        ["-id", 1],
        {"-id": 1},
        7,
    ],
)
def test_a_cursor_of_another_list_or_form_is_rejected(
    appliance: Appliance, document: object
) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")
    answer = problem(appliance.viewer.get("/arrays", cursor=cursor), 422, "invalid")
    assert fields(answer) == ["cursor"]


@on_both
@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
def test_a_cursor_with_text_that_no_database_stores_is_rejected(
    appliance: Appliance, text: str
) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(["name", text, 1]).encode()).decode()
    answer = appliance.viewer.get("/arrays", sort="name", cursor=cursor.rstrip("="))
    assert fields(problem(answer, 422, "invalid")) == ["cursor"]


def test_a_cursor_belongs_to_its_order(arrays: Appliance) -> None:
    cursor = arrays.viewer.get("/arrays", sort="name", limit=1).json()["next_cursor"]
    answer = problem(arrays.viewer.get("/arrays", sort="-name", cursor=cursor), 422, "invalid")
    assert fields(answer) == ["cursor"]
    assert "in the order -name" in answer["errors"][0]["message"]


def test_fields_selects_the_fields_of_each_item(arrays: Appliance) -> None:
    page = arrays.viewer.get("/arrays", fields="id, name", sort="name", limit=1).json()
    assert page["items"] == [{"id": 5, "name": "100%_epsilon"}]
    assert page["next_cursor"] is not None


@pytest.mark.parametrize("wanted", ["id,size", "", "id,,name"])
def test_an_unknown_field_is_rejected_and_the_possible_ones_are_named(
    appliance: Appliance, wanted: str
) -> None:
    document = problem(appliance.viewer.get("/arrays", fields=wanted), 422, "invalid")
    assert fields(document) == ["fields"]
    assert "firmware" in document["errors"][0]["remedy"]


@on_both
@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("ALPHA", ["Alpha"]),
        ("acme ta", ["beta", "delta"]),
        ("%", ["100%_epsilon"]),
        ("0%_e", ["100%_epsilon"]),
        ("a_pha", []),
        ("  ", ["100%_epsilon", "Alpha", "beta", "delta", "gamma"]),
    ],
)
def test_every_word_must_be_in_a_name_as_it_is_written(
    arrays: Appliance, q: str, expected: list[str]
) -> None:
    assert names(arrays, 200, q=q, sort="name") == expected


LISTS = ["users", "tokens", "audit", "credentials", "hosts", "arrays", "targets", "profiles"]


@on_both
@pytest.mark.parametrize("path", [*LISTS, "tools", "campaigns", "runs"])
def test_every_list_sorts_by_each_order_that_it_documents(appliance: Appliance, path: str) -> None:
    document = appliance.viewer.get("/openapi.json").json()
    parameters = document["paths"][f"/api/v1/{path}"]["get"]["parameters"]
    (sort,) = [one["schema"] for one in parameters if one["name"] == "sort"]
    assert sort["default"] in sort["enum"]
    for order in sort["enum"]:
        page = appliance.admin.get(f"/{path}", sort=order, limit=1)
        assert page.status_code == 200, page.text
        if cursor := page.json()["next_cursor"]:
            following = appliance.admin.get(f"/{path}", sort=order, limit=1, cursor=cursor)
            assert following.status_code == 200, following.text
            assert following.json()["items"][0]["id"] != page.json()["items"][0]["id"]
