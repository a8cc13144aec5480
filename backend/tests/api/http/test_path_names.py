"""Names stand for ids in the paths of the API, for callers who may use the endpoint."""

import pytest
from assay.api.app import app
from testing.api import Appliance, fields, problem


@pytest.mark.parametrize("name", ["Lab 1", "lab-1"])
def test_a_host_in_a_path_is_given_by_name_or_slug(appliance: Appliance, name: str) -> None:
    host = appliance.host("Lab 1")
    found = appliance.operator.get(f"/hosts/{name}")
    assert found.status_code == 200, found.text
    assert found.json()["id"] == host


@pytest.mark.parametrize("name", ["lab1%2Fmnt%2Fdisk", "lab1:%2fmnt%2fdisk", "%2Fmnt%2Fdisk"])
def test_a_target_in_a_path_is_given_by_host_and_encoded_path(
    appliance: Appliance, name: str
) -> None:
    target = appliance.target(appliance.host("lab1"), "/mnt/disk")
    found = appliance.operator.get(f"/targets/{name}")
    assert found.status_code == 200, found.text
    assert found.json()["id"] == target
    changed = appliance.operator.patch(f"/targets/{name}", {"name": "scratch"})
    assert changed.json()["name"] == "scratch"


def test_what_is_created_below_a_name_has_its_own_address(appliance: Appliance) -> None:
    path = "/profiles/filecatalyst-default-write/copy"
    made = appliance.operator.post(path, {"name": "Mine"}, "a-key")
    assert made.status_code == 201, made.text
    assert made.headers["Location"] == f"/api/v1/profiles/{made.json()['id']}"
    assert appliance.operator.post(path, {"name": "Mine"}, "a-key").content == made.content


@pytest.mark.parametrize("name", ["p", "api", "v1", "profiles", "copy"])
def test_a_name_that_is_also_another_part_of_the_path_stands_for_one_object(
    appliance: Appliance, name: str
) -> None:
    own = appliance.operator.post(f"/profiles/{appliance.profile()}/copy", {"name": name})
    assert own.status_code == 201, own.text
    copied = appliance.operator.post(f"/profiles/{name}/copy", {"name": "Mine"}, "a-key")
    assert copied.status_code == 201, copied.text
    assert copied.headers["Location"] == f"/api/v1/profiles/{copied.json()['id']}"
    by_id = f"/profiles/{own.json()['id']}/copy"
    again = appliance.operator.post(by_id, {"name": "Mine"}, "a-key")
    assert again.headers["Idempotent-Replayed"] == "true", "the same path, by id"


def test_digits_in_a_path_are_an_id(appliance: Appliance) -> None:
    first = appliance.host("lab1")
    appliance.host(str(first))
    assert appliance.operator.get(f"/hosts/{first}").json()["name"] == "lab1"


def test_an_unknown_name_in_a_path_is_answered_with_the_nearest(appliance: Appliance) -> None:
    appliance.host("lab1")
    unknown = problem(appliance.operator.get("/hosts/lab"), 404, "not_found")
    assert unknown["detail"] == "There is no host 'lab'."
    assert unknown["remedy"] == "Did you mean `lab1`?"


def test_a_name_of_several_objects_is_refused_with_their_ids(appliance: Appliance) -> None:
    one, other = appliance.host("Lab 1"), appliance.host("LAB 1")
    refused = problem(appliance.operator.get("/hosts/lab-1"), 422, "invalid")
    assert refused["detail"] == f"host: means several hosts: Lab 1 ({one}), LAB 1 ({other})"


def test_a_caller_without_the_right_learns_no_names(appliance: Appliance) -> None:
    appliance.operator.post("/arrays", {"name": "vault"})
    assert appliance.anonymous.get("/arrays/vault").status_code == 401
    assert appliance.anonymous.get("/arrays/valt").status_code == 401
    assert appliance.viewer.delete("/arrays/vault").status_code == 403
    assert appliance.viewer.delete("/arrays/valt").status_code == 403


def test_a_run_has_no_name(appliance: Appliance) -> None:
    assert fields(problem(appliance.operator.get("/runs/first"), 422, "invalid")) == ["run_id"]


def test_the_description_of_the_api_says_which_paths_take_names() -> None:
    paths = app.openapi()["paths"]
    (host,) = paths["/api/v1/hosts/{host_id}"]["get"]["parameters"]
    assert {"string", "integer"} == {one["type"] for one in host["schema"]["anyOf"]}
    (run,) = paths["/api/v1/runs/{run_id}"]["get"]["parameters"]
    assert run["schema"]["type"] == "integer"
