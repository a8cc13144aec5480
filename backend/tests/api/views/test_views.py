"""Saved views: each user's own, by list and name."""

from typing import Any

import pytest
from assay.api.accounts.authentication import CSRF_HEADER
from assay.api.endpoints import views as endpoints
from httpx import Response
from testing.api import Appliance, fields, problem
from testing.furnished import PASSWORD

VIEW: dict[str, Any] = {
    "list": "campaigns",
    "name": "Failed <this> week \u00fc",
    "search": {"verdict": "fail", "within": "7d", "sort": "-created_at"},
}


class Browser:
    """A signed-in user."""

    def __init__(self, appliance: Appliance, name: str, role: str = "viewer") -> None:
        user = {"name": name, "password": PASSWORD}
        self.user = appliance.admin.post("/users", {**user, "role": role}).json()["id"]
        self.http = appliance.http
        self.csrf = self.http.post("/api/v1/session", json=user).json()["csrf"]
        self.cookies = dict(self.http.cookies)
        self.http.cookies.clear()

    def ask(self, method: str, path: str, body: Any = None, **query: str) -> Response:
        self.http.cookies.update(self.cookies)
        headers = {CSRF_HEADER: self.csrf}
        answer = self.http.request(
            method, f"/api/v1{path}", json=body, params=query, headers=headers
        )
        self.http.cookies.clear()
        return answer

    def save(self, **body: Any) -> Response:
        return self.ask("POST", "/views", {**VIEW, **body})

    def names(self, **query: str) -> list[str]:
        return [one["name"] for one in self.ask("GET", "/views", **query).json()["items"]]


@pytest.fixture
def ada(appliance: Appliance) -> Browser:
    return Browser(appliance, "ada")


def test_a_view_is_saved_listed_and_deleted(ada: Browser) -> None:
    saved = ada.save()
    assert saved.status_code == 201, saved.text
    view = saved.json()
    assert {name: view[name] for name in VIEW} == VIEW
    assert saved.headers["Location"] == f"/api/v1/views/{view['id']}"
    assert ada.ask("GET", f"/views/{view['id']}").json() == view
    assert ada.ask("GET", "/views").json()["items"] == [view]
    assert ada.ask("DELETE", f"/views/{view['id']}").status_code == 204
    assert ada.names() == []


def test_a_view_is_renamed_and_keeps_its_filters(ada: Browser) -> None:
    view = ada.save().json()
    path = f"/views/{view['id']}"
    renamed = ada.ask("PATCH", path, {"name": "Mine"})
    assert renamed.status_code == 200, renamed.text
    assert renamed.json() == {**view, "name": "Mine", "etag": renamed.json()["etag"]}
    assert renamed.headers["ETag"] == renamed.json()["etag"] != view["etag"]
    assert ada.ask("PATCH", path, {"name": "Mine"}).status_code == 200
    other = {"verdict": "pass"}
    assert ada.ask("PATCH", path, {"search": other}).json()["search"] == other
    assert ada.ask("GET", path).json()["name"] == "Mine"


def test_a_view_is_not_renamed_to_another_of_its_list(appliance: Appliance, ada: Browser) -> None:
    first, second = ada.save().json(), ada.save(name="two").json()
    path = f"/views/{second['id']}"
    taken = problem(ada.ask("PATCH", path, {"name": first["name"]}), 409, "name_taken")
    assert taken["existing_id"] == first["id"]
    mistakes: list[dict[str, Any]] = [
        {"name": None},
        {"name": ""},
        {"search": {}},
        {"list": "runs"},
    ]
    for wrong in mistakes:
        found = problem(ada.ask("PATCH", path, wrong), 422, "invalid")
        assert fields(found) == list(wrong)
    grace = Browser(appliance, "grace")
    problem(grace.ask("PATCH", path, {"name": "Hers"}), 404, "not_found")
    assert ada.names() == [first["name"], "two"]


def test_views_are_those_of_a_list_by_name(ada: Browser) -> None:
    for name in ("b", "A", "c"):
        ada.save(name=name)
    ada.save(list="hosts", name="d")
    assert ada.names(list="campaigns") == ["A", "b", "c"]
    assert ada.names(list="hosts") == ["d"]


def test_a_name_is_taken_once_for_each_user_and_list(appliance: Appliance, ada: Browser) -> None:
    first = ada.save().json()
    document = problem(ada.save(), 409, "name_taken")
    assert document["existing_id"] == first["id"]
    assert ada.save(list="runs").status_code == 201
    assert Browser(appliance, "grace").save().status_code == 201


def test_a_view_is_visible_only_to_its_user(appliance: Appliance, ada: Browser) -> None:
    view = ada.save().json()
    other = Browser(appliance, "root", "admin")
    assert other.names() == []
    problem(other.ask("GET", f"/views/{view['id']}"), 404, "not_found")
    problem(other.ask("DELETE", f"/views/{view['id']}"), 404, "not_found")
    assert ada.names() == [VIEW["name"]]


def test_views_are_deleted_with_their_user(appliance: Appliance, ada: Browser) -> None:
    ada.save()
    assert appliance.admin.delete(f"/users/{ada.user}").status_code == 204


def test_a_token_has_no_views(appliance: Appliance) -> None:
    problem(appliance.admin.get("/views"), 401, "not_logged_in")
    problem(appliance.admin.post("/views", VIEW), 401, "not_logged_in")


def test_a_list_has_a_maximum_of_views(ada: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "MOST_OF_LIST", 2)
    assert [ada.save(name=name).status_code for name in "ab"] == [201, 201]
    problem(ada.save(name="c"), 409, "too_many_views")
    assert ada.save(list="runs", name="c").status_code == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"list": "cheeses"}, "list"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"search": {}}, "search"),
        ({"search": {f"k{'x' * n}": "v" for n in range(21)}}, "search"),
        ({"search": {"state": "x" * 401}}, "search.state"),
        ({"search": {"state": ["failed"]}}, "search.state"),
        ({"search": "state=failed"}, "search"),
        ({"shared": True}, "shared"),
    ],
)
def test_invalid_views_are_rejected(ada: Browser, body: dict[str, Any], field: str) -> None:
    assert fields(problem(ada.save(**body), 422, "invalid")) == [field]
