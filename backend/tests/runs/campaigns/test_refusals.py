"""Plans that are refused: each problem by its field, and nothing is launched."""

from typing import Any

import pytest
from assay.inventory.hosts.lifecycle import NOT_READY
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.runs import Run
from sqlalchemy import update
from testing.api import GB, Appliance, fields, on_sqlite, problem

from .launching import TEST, count_rows, plan_on, problems

pytestmark = pytest.mark.usefixtures("worker")


@on_sqlite
def test_targets_that_cannot_run_together_are_rejected_by_name(appliance: Appliance) -> None:
    alone = appliance.target(appliance.host("web-1"), "/mnt/1")
    other = appliance.target(appliance.host("web-2"), "/mnt/2", direct="refused")
    plan = {"profile_id": appliance.profile(), "together": True}
    (one,) = problems(appliance, plan | {"target_ids": [alone]})
    assert (one["field"], one["value"]) == ("together", True)
    overrides = {"cache": "direct_if_real"}
    found = problems(appliance, plan | {"target_ids": [alone, other], "overrides": overrides})
    assert [problem["field"] for problem in found] == ["overrides.cache"]
    assert "direct for web-1 /mnt/1, page for web-2 /mnt/2" in found[0]["message"]


@on_sqlite
def test_what_one_target_would_do_while_another_is_measured_is_rejected(
    appliance: Appliance,
) -> None:
    targets = [
        appliance.target(appliance.host(f"web-{number}"), f"/mnt/{number}") for number in (1, 2)
    ]
    test = {
        "kind": "sustained",
        "title": "Long write",
        "length": 10**9,
        "cache": "page",
        "read_back": "same_host",
        "precondition_passes": 1,
    }
    profile = appliance.operator.post("/profiles", {"name": "Apart", "body": {"tests": [test]}})
    plan = {"profile_id": profile.json()["id"], "target_ids": targets}
    for jointly in ("together", "scale_out"):
        found = problems(appliance, plan | {jointly: True})
        assert {one["field"].rsplit(".", 1)[-1] for one in found} == {
            "read_back",
            "precondition_passes",
        }
        assert all("run each target by itself" in one["remedy"] for one in found)
    assert appliance.operator.post("/campaigns", plan).status_code == 201


@on_sqlite
def test_an_override_that_would_change_nothing_is_rejected(
    appliance: Appliance, target: int
) -> None:
    """A rate alone would leave an unpaced test unpaced, and a matrix has none."""
    matrix = plan_on(appliance, target, overrides={"rate_bytes_per_s": [10**6]})
    (found,) = problems(appliance, matrix)
    assert found["field"] == "overrides.rate_bytes_per_s"
    assert "no test of the profile has this value" in found["message"]
    unpaced = {"kind": "sustained", "title": "Write", "length": "10 s"}
    body = {"name": "Unpaced", "body": {"tests": [unpaced]}}
    profile = appliance.operator.post("/profiles", body).json()["id"]
    plan = matrix | {"profile_id": profile}
    (found,) = problems(appliance, plan)
    assert (found["field"], found["value"]) == ("overrides.rate_bytes_per_s", [10**6])
    assert found["remedy"] == 'Omit it, or set pace to "rate".'
    assert count_rows(Run) == 0
    paced = {"rate_bytes_per_s": [10**6], "pace": "rate"}
    answer = appliance.operator.post("/campaigns/estimate", plan | {"overrides": paced})
    assert answer.json()["problems"] == []
    same = {"rate_bytes_per_s": [125_000_000]}
    paced_no_more = {"rate_bytes_per_s": [10**6], "pace": "none"}
    for accepted in (same, paced_no_more):
        answer = appliance.operator.post("/campaigns/estimate", plan | {"overrides": accepted})
        assert answer.json()["problems"] == []


@on_sqlite
@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"overrides": {"threads": [0]}}, "overrides.threads.0"),
        ({"overrides": {"block": [100]}}, "overrides.block.0"),
        ({"overrides": {"file_size": "2 *"}}, "overrides.file_size"),
        ({"overrides": {"files": 9}}, "overrides.files"),
        ({"overrides": {"files": 2, "threads": [1]}}, "overrides.files"),
        ({"overrides": {"speed": 1}}, "overrides.speed"),
        ({"tests": [{**TEST, "files": 5}]}, "tests.0.files"),
        ({"tests": []}, "tests"),
        ({"target_ids": []}, "target_ids"),
        ({"target_ids": [99]}, "target_ids.0"),
        ({"profile_id": 99}, "profile_id"),
        ({"name": "a\x00b"}, "name"),
        ({"overrides": {"file_size": 2**62, "files": 2}}, "overrides.file_size"),
        ({"overrides": {"file_size": 2**62 + 1}}, "overrides.file_size"),
    ],
    ids=str,
)
def test_a_wrong_plan_names_the_field_and_launches_nothing(
    appliance: Appliance, target: int, plan: dict[str, Any], field: str
) -> None:
    answer = appliance.operator.post("/campaigns", plan_on(appliance, target) | plan)
    assert answer.status_code == 422, answer.text
    assert fields(problem(answer, 422, "invalid")) == [field]
    assert count_rows(Run) == 0
    estimate = appliance.viewer.post("/campaigns/estimate", plan_on(appliance, target) | plan)
    document = estimate.json()
    named = document.get("problems") or document["errors"]
    assert [error["field"] for error in named] == [field]


def test_misaligned_blocks_are_rejected_with_o_direct(appliance: Appliance, target: int) -> None:
    overrides = {"cache": "direct", "block": [65536, 65537]}
    answer = appliance.operator.post("/campaigns", plan_on(appliance, target, overrides=overrides))
    document = problem(answer, 422, "invalid")
    assert fields(document) == ["overrides.block"]
    assert "multiples of 512 bytes; 65537 is not" in document["detail"]


def test_a_campaign_that_does_not_fit_is_rejected_with_the_figures(appliance: Appliance) -> None:
    target = appliance.target(appliance.host(), free_bytes=60 * GB)
    answer = appliance.operator.post(
        "/campaigns", plan_on(appliance, target, overrides={"file_size": 20 * GB})
    )
    document = problem(answer, 422, "does_not_fit")
    assert fields(document) == ["overrides.file_size"]
    assert document["estimate"]["fits"] is False
    assert document["estimate"]["runs"][0]["peak_bytes"] >= 20 * GB
    for figure in ("60.0 GB", "50.0 GB", "10.0 GB"):
        assert figure in document["detail"]
    assert count_rows(Run) == 0


def test_every_problem_is_named_at_once(appliance: Appliance) -> None:
    small = appliance.target(appliance.host(), free_bytes=1 * GB)
    overrides = {"cache": "direct", "block": [600], "file_size": 20 * GB}
    plan = plan_on(appliance, small, 99, small, overrides=overrides)
    estimate = appliance.viewer.post("/campaigns/estimate", plan).json()
    assert [one["field"] for one in estimate["problems"]] == [
        "target_ids.1",
        "target_ids.2",
        "overrides.block",
        "overrides.file_size",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"profile_id": 999},
        {"target_ids": [999]},
        {"overrides": {"files": 5, "threads": [2]}},
        {"overrides": {"file_size": "free - free"}},
    ],
)
def test_an_unplannable_test_does_not_fit(
    appliance: Appliance, target: int, wrong: dict[str, Any]
) -> None:
    estimate = appliance.viewer.post(
        "/campaigns/estimate", {**plan_on(appliance, target), **wrong}
    ).json()
    assert estimate["problems"]
    assert estimate["fits"] is None


def test_lack_of_space_is_reported_in_addition_to_other_problems(
    appliance: Appliance, target: int
) -> None:
    plan = plan_on(appliance, target, 999, overrides={"file_size": 900 * GB})
    assert appliance.viewer.post("/campaigns/estimate", plan).json()["fits"] is False


def test_a_campaign_on_a_host_that_is_being_deleted_is_rejected(
    appliance: Appliance, target: int
) -> None:
    with writing() as session:
        session.execute(update(Host).values(state="deleting"))
    answer = appliance.operator.post("/campaigns", plan_on(appliance, target))
    document = problem(answer, 422, "host_deleting")
    assert fields(document) == ["target_ids.0"]


@pytest.mark.parametrize("state", ["new", "key_unapproved", "key_changed"])
def test_a_host_whose_key_is_not_approved_is_not_contacted(
    appliance: Appliance, target: int, state: str
) -> None:
    with writing() as session:
        session.execute(update(Host).values(state=state))
    answer = appliance.operator.post("/campaigns", plan_on(appliance, target))
    (error,) = problem(answer, 422, "invalid")["errors"]
    assert error["field"] == "target_ids.0"
    why, remedy = NOT_READY[state]
    assert error["message"] == f"its host 'web-1' {why}" and error["remedy"] == remedy


def test_a_profile_given_by_name_causes_an_error_with_the_list_of_ids(
    appliance: Appliance, target: int
) -> None:
    answer = appliance.operator.post(
        "/campaigns", {"profile_id": "First look", "target_ids": [target]}
    )
    (error,) = problem(answer, 422, "invalid")["errors"]
    assert error["message"] == 'is "First look", but it must be a number'
    assert error["remedy"] == "GET /api/v1/profiles lists them."
