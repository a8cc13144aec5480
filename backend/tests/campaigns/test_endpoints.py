"""Campaigns: estimate, launch, rejection, cancellation, waiting."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from assay.db.database import now, reading, writing
from assay.hosts.lifecycle import NOT_READY
from assay.hosts.models import Host, Inventory
from assay.messaging.changes import _client, runs_changed
from assay.messaging.queue import redis_url
from assay.runs.models import Attempt, Participant, Reservation, Run, Trial
from assay.scheduling import capacity
from assay.scheduling.reservations import take_turn
from assay.targets.models import Target
from sqlalchemy import func, select, text, update
from testing.api import GB, INVENTORY, Appliance, fields, on_sqlite, problem

ODD_NAME = "after 'x' \"y\"\n$(reboot) \u00fc \u6f22"

TEST: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536, 262144],
    "threads": [1, 2, 4],
    "files": 2,
    "file_size": 20_000_000,
    "repeats": 3,
}


@pytest.fixture
def target(appliance: Appliance) -> int:
    return appliance.target(appliance.host())


@pytest.fixture(autouse=True)
def worker(appliance: Appliance) -> None:
    """A worker with unlimited capacity that drives no runs."""
    with writing() as session:
        capacity.announce(session, "worker:1", 1000)


def _plan(appliance: Appliance, *targets: int, **fields: Any) -> dict[str, Any]:
    return {"profile_id": appliance.profile(), "target_ids": list(targets), **fields}


def _launch(appliance: Appliance, *targets: int, **fields: Any) -> dict[str, Any]:
    answer = appliance.operator.post("/campaigns", _plan(appliance, *targets, **fields))
    assert answer.status_code == 201, answer.text
    return answer.json()


def _rows(kind: type[Any]) -> int:
    with reading() as session:
        return session.scalars(select(func.count()).select_from(kind)).one()


def test_an_estimate_gives_the_figures_and_changes_nothing(
    appliance: Appliance, target: int
) -> None:
    answer = appliance.viewer.post("/campaigns/estimate", _plan(appliance, target))
    estimate = answer.json()
    assert (estimate["cells"], estimate["trials"]) == (35, 175)
    assert estimate["bytes_written"] >= 175 * 500_000_000
    assert estimate["longest_s"] == 175 * 60
    assert estimate["fits"] is True
    assert estimate["problems"] == []
    (run,) = estimate["runs"]
    assert run["free_after_bytes"] == 900 * GB - run["peak_bytes"]
    assert [warning["code"] for warning in estimate["warnings"]] == ["fits_in_memory"]
    assert _rows(Run) == 0


def test_first_look_sizes_files_by_the_measured_rate(appliance: Appliance, target: int) -> None:
    plan = {"profile_id": appliance.profile("first-look"), "target_ids": [target]}
    unknown = appliance.viewer.post("/campaigns/estimate", plan).json()
    assert [run["file_size"] for run in unknown["runs"]] == [2 * GB, 2 * GB]
    codes = [warning["code"] for warning in unknown["warnings"]]
    assert codes.count("rate_assumed") == 2

    calibration = {"profile_id": appliance.profile("calibration"), "target_ids": [target]}
    launched = appliance.operator.post("/campaigns", calibration).json()
    rates = {"writer": (250_000_000, 1_000_000_000), "reader": (1_000_000_000, None)}
    with writing() as session:
        for run in launched["runs"]:
            app_ns, durable_ns = rates[run["participants"][0]["role"]]
            trials = session.scalars(select(Trial).where(Trial.run_id == run["id"])).all()
            at = session.scalars(select(Participant).where(Participant.run_id == run["id"])).one()
            tried = [(90_000_000, app_ns, durable_ns, "timed_out")]
            tried += [(2_000_000, 1_500_000, 1_600_000, "complete")]  # a throttle's burst
            for trial, (size, app, durable, status) in zip(trials, tried, strict=False):
                measured = Attempt(trial_id=trial.id, participant_id=at.id, number=1, status=status)
                measured.bytes, measured.app_ns, measured.durable_ns = size, app, durable
                session.add(measured)
    known = appliance.viewer.post("/campaigns/estimate", plan).json()
    assert [run["file_size"] for run in known["runs"]] == [180_000_000, 180_000_000]
    assert "rate_assumed" not in [warning["code"] for warning in known["warnings"]]


def test_control_groups_limit_the_cacheable_memory(appliance: Appliance) -> None:
    host_id = appliance.host()
    target = appliance.target(host_id)
    with writing() as session:
        body = {**INVENTORY, "mem_limit_bytes": 2 * GB}
        session.add(Inventory(host_id=host_id, probe="0.1.0", body=body))
    found = {
        size: appliance.viewer.post(
            "/campaigns/estimate", _plan(appliance, target, overrides={"file_size": size})
        ).json()
        for size in ("ram / 2", "2 * ram")
    }
    assert [found[size]["runs"][0]["file_size"] for size in found] == [GB, 4 * GB]
    codes = [[warning["code"] for warning in found[size]["warnings"]] for size in found]
    assert codes == [["fits_in_memory"], []]


def test_a_launch_stores_every_run_and_trial(appliance: Appliance, target: int) -> None:
    campaign = _launch(
        appliance, target, name=ODD_NAME, tests=[TEST, {**TEST, "operation": "read"}]
    )
    assert campaign["name"] == ODD_NAME
    assert campaign["state"] == "running"
    assert campaign["created_by"] == "token operator"
    assert campaign["profile"]["slug"] == "filecatalyst-default-write"
    write, read = campaign["runs"]
    assert (write["number"], _role(write), write["state"]) == (1, "writer", "preparing")
    assert (read["number"], _role(read), read["state"]) == (2, "reader", "queued")
    assert write["trials_total"] == 18
    assert "busy" in read["waits_for"]["what"]
    with reading() as session:
        trials = session.scalars(
            select(Trial).where(Trial.run_id == write["id"]).order_by(Trial.position)
        ).all()
    assert [trial.position for trial in trials] == list(range(18))
    cells = Counter(trial.cell for trial in trials)
    assert cells == {f"{b}x{t}": 3 for b in TEST["block"] for t in TEST["threads"]}
    for first in (0, 6, 12):  # a repeat is a pass over the whole matrix
        one_pass = trials[first : first + 6]
        assert {trial.repeat for trial in one_pass} == {first // 6 + 1}
        assert len({trial.cell for trial in one_pass}) == 6
    asked = [trial.parameters for trial in trials]
    assert {(one["threads"], one["files"]) for one in asked} == {(1, 1), (2, 2), (4, 2)}
    assert all(one["file_size"] % one["block"] == 0 for one in asked)
    listed = appliance.viewer.get("/campaigns").json()["items"]
    assert [one["id"] for one in listed] == [campaign["id"]]


def test_the_given_order_is_kept_and_the_shuffled_one_is_not(
    appliance: Appliance, target: int
) -> None:
    test = {**TEST, "block": [2**n for n in range(9, 26)], "repeats": 1}
    orders: dict[str, list[tuple[int, int]]] = {}
    for order in ("given", "shuffled"):
        campaign = _launch(appliance, target, tests=[{**test, "order": order}])
        run = campaign["runs"][0]["id"]
        rows = appliance.viewer.get(f"/runs/{run}/trials").json()["items"]
        asked = [row["parameters"] for row in rows]
        orders[order] = [(one["block"], one["threads"]) for one in asked]
    assert orders["given"] == [(b, t) for b in test["block"] for t in test["threads"]]
    assert orders["shuffled"] != orders["given"]
    assert sorted(orders["shuffled"]) == sorted(orders["given"])


def test_parameters_are_resolved_and_the_profile_is_kept(appliance: Appliance, target: int) -> None:
    overrides = {"file_size": "min(1 GB, free / 10)", "cache": "direct_if_real", "repeats": 1}
    campaign = _launch(appliance, target, overrides=overrides)
    run = appliance.viewer.get(f"/runs/{campaign['runs'][0]['id']}").json()
    parameters = run["parameters"]
    assert parameters["file_size"] == 1_000_000_000
    assert parameters["file_size_asked"] == "min(1 GB, free / 10)"
    assert parameters["cache"] == "direct"
    assert parameters["cache_asked"] == "direct_if_real"
    assert run["watch_ms"] == 600_000
    assert campaign["parameters"]["overrides"] == overrides


def test_a_launch_wakes_its_worker_after_the_commit(appliance: Appliance, target: int) -> None:
    queue = _client(redis_url())
    own = capacity.queue_of("worker:1")
    queue.delete(own)
    _launch(appliance, target)
    messages = queue.lrange(own, 0, -1)
    assert len(messages) == 1
    assert b'"assay.drive_run"' in messages[0]


def test_a_campaign_on_many_targets_has_a_run_on_each(appliance: Appliance) -> None:
    targets = [
        appliance.target(appliance.host(f"web-{number}"), f"/mnt/{number}") for number in range(3)
    ]
    campaign = _launch(appliance, *targets)
    of_runs = [[one["target"]["id"] for one in run["participants"]] for run in campaign["runs"]]
    assert of_runs == [[target] for target in targets]
    assert {run["state"] for run in campaign["runs"]} == {"preparing"}


def _role(run: dict[str, Any]) -> str:
    (participant,) = run["participants"]
    return participant["role"]


@on_sqlite
def test_a_campaign_on_targets_together_has_one_run_with_the_same_trials_for_all(
    appliance: Appliance,
) -> None:
    targets = [
        appliance.target(appliance.host(f"web-{number}"), f"/mnt/{number}") for number in range(3)
    ]
    plan = {"profile_id": appliance.profile(), "target_ids": targets, "together": True}
    estimate = appliance.viewer.post("/campaigns/estimate", plan).json()
    alone = appliance.viewer.post(
        "/campaigns/estimate", plan | {"target_ids": targets[:1], "together": False}
    ).json()
    assert [run["target_id"] for run in estimate["runs"]] == targets
    assert estimate["trials"] == alone["trials"]
    assert estimate["bytes_written"] == 3 * alone["bytes_written"]
    assert estimate["longest_s"] == pytest.approx(alone["longest_s"])
    (run,) = appliance.operator.post("/campaigns", plan).json()["runs"]
    assert [one["target"]["id"] for one in run["participants"]] == targets
    assert run["trials_total"] == alone["trials"]
    with reading() as session:
        held = session.scalars(select(Reservation.resource).where(Reservation.run_id == run["id"]))
        assert len([name for name in held if name.startswith("host:")]) == 3


@on_sqlite
def test_targets_that_cannot_run_together_are_rejected_by_name(appliance: Appliance) -> None:
    alone = appliance.target(appliance.host("web-1"), "/mnt/1")
    other = appliance.target(appliance.host("web-2"), "/mnt/2", direct="refused")
    plan = {"profile_id": appliance.profile(), "together": True}
    (one,) = _problems(appliance, plan | {"target_ids": [alone]})
    assert (one["field"], one["value"]) == ("together", True)
    overrides = {"cache": "direct_if_real"}
    found = _problems(appliance, plan | {"target_ids": [alone, other], "overrides": overrides})
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
        found = _problems(appliance, plan | {jointly: True})
        assert {one["field"].rsplit(".", 1)[-1] for one in found} == {
            "read_back",
            "precondition_passes",
        }
        assert all("run each target by itself" in one["remedy"] for one in found)
    assert appliance.operator.post("/campaigns", plan).status_code == 201


TWO_SYNCS = {"sync_bytes": GB, "sync_ms": 1000}


def _reading_back(appliance: Appliance, *, facts: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return a plan that another host has to read back, and a target there."""
    web, db = appliance.host("web-1"), appliance.host("db-1")
    own, other = appliance.target(web, "/mnt/1"), appliance.target(db, "/data/1")
    with writing() as session:
        for target_id in (own, other):
            target = session.get_one(Target, target_id)
            target.facts = target.facts | facts
            target.fs_uuid = None
            target.fs_source = f"nas-{target_id}:/export"
    test = {"kind": "sustained", "title": "Shared", "length": 10**9, "cache": "page"}
    body = {"name": "Shared", "body": {"tests": [test | {"read_back": "other_host"}]}}
    profile = appliance.operator.post("/profiles", body)
    return {"profile_id": profile.json()["id"], "target_ids": [own]}, other


def test_another_host_of_a_shared_file_system_reads_back(appliance: Appliance) -> None:
    plan, other = _reading_back(appliance, facts={"kind": "network"})
    launched = appliance.operator.post("/campaigns", plan | {"read_back_target_id": other})
    assert launched.status_code == 201, launched.text
    run_id = launched.json()["runs"][0]["id"]
    assert launched.json()["parameters"]["read_back_target_id"] == other
    shown = appliance.operator.get(f"/runs/{run_id}").json()["read_back_by"]
    assert (shown["host"]["name"], shown["target"]["path"]) == ("db-1", "/data/1")
    with reading() as session:
        held = set(session.scalars(select(Reservation.resource)))
    assert {f"host:{shown['host']['id']}"} <= held
    assert appliance.operator.delete(f"/hosts/{shown['host']['id']}").status_code == 409


@on_sqlite
def test_who_cannot_read_back_is_rejected(appliance: Appliance) -> None:
    plan, other = _reading_back(appliance, facts={"kind": "local"})
    own = plan["target_ids"][0]
    (missing,) = _problems(appliance, plan)
    assert missing["field"] == "profile.tests.0.read_back"
    assert "no target of another host is named" in missing["message"]
    for reader, said in (
        (999, "there is no such target"),
        (own, "is on 'web-1', which writes the files itself"),
        (other, "that is not one shared file system"),
    ):
        (found,) = _problems(appliance, plan | {"read_back_target_id": reader})
        assert (found["field"], found["value"]) == ("read_back_target_id", reader)
        assert said in found["message"]
    with writing() as session:
        session.execute(update(Target).values(fs_uuid="a0e1"))
    assert appliance.operator.post("/campaigns", plan | {"read_back_target_id": other}).is_success
    with writing() as session:
        session.execute(update(Host).values(machine_id="4f3c", boot_id="b001"))
    (found,) = _problems(appliance, plan | {"read_back_target_id": other})
    assert "'db-1', which is the same machine as 'web-1'" in found["message"]
    override = {"overrides": {"read_back": "same_host"}, "read_back_target_id": other}
    (found,) = _problems(appliance, plan | override)
    assert "no test has `read_back`" in found["message"]


@on_sqlite
@pytest.mark.parametrize(
    ("overrides", "field"),
    [({"length": "0 * ram"}, "overrides.length"), (TWO_SYNCS, "overrides.sync_ms")],
    ids=["cannot be planned", "invalid"],
)
def test_a_refused_test_may_need_the_reader(
    appliance: Appliance, overrides: dict[str, Any], field: str
) -> None:
    plan, other = _reading_back(appliance, facts={"kind": "network"})
    asked = plan | {"overrides": overrides, "read_back_target_id": other}
    assert [one["field"] for one in _problems(appliance, asked)] == [field]


@on_sqlite
def test_an_override_that_would_change_nothing_is_rejected(
    appliance: Appliance, target: int
) -> None:
    """A rate alone would leave an unpaced test unpaced, and a matrix has none."""
    matrix = _plan(appliance, target, overrides={"rate_bytes_per_s": [10**6]})
    (found,) = _problems(appliance, matrix)
    assert found["field"] == "overrides.rate_bytes_per_s"
    assert "no test of the profile has this value" in found["message"]
    unpaced = {"kind": "sustained", "title": "Write", "length": "10 s"}
    body = {"name": "Unpaced", "body": {"tests": [unpaced]}}
    profile = appliance.operator.post("/profiles", body).json()["id"]
    plan = matrix | {"profile_id": profile}
    (found,) = _problems(appliance, plan)
    assert (found["field"], found["value"]) == ("overrides.rate_bytes_per_s", [10**6])
    assert found["remedy"] == 'Omit it, or set pace to "rate".'
    assert _rows(Run) == 0
    paced = {"rate_bytes_per_s": [10**6], "pace": "rate"}
    answer = appliance.operator.post("/campaigns/estimate", plan | {"overrides": paced})
    assert answer.json()["problems"] == []
    same = {"rate_bytes_per_s": [125_000_000]}
    paced_no_more = {"rate_bytes_per_s": [10**6], "pace": "none"}
    for accepted in (same, paced_no_more):
        answer = appliance.operator.post("/campaigns/estimate", plan | {"overrides": accepted})
        assert answer.json()["problems"] == []


def _problems(appliance: Appliance, plan: dict[str, Any]) -> list[dict[str, Any]]:
    refused = appliance.operator.post("/campaigns", plan)
    assert refused.status_code == 422
    return refused.json()["errors"]


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
    answer = appliance.operator.post("/campaigns", _plan(appliance, target) | plan)
    assert answer.status_code == 422, answer.text
    assert fields(problem(answer, 422, "invalid")) == [field]
    assert _rows(Run) == 0
    estimate = appliance.viewer.post("/campaigns/estimate", _plan(appliance, target) | plan)
    document = estimate.json()
    named = document.get("problems") or document["errors"]
    assert [error["field"] for error in named] == [field]


def test_misaligned_blocks_are_rejected_with_o_direct(appliance: Appliance, target: int) -> None:
    overrides = {"cache": "direct", "block": [65536, 65537]}
    answer = appliance.operator.post("/campaigns", _plan(appliance, target, overrides=overrides))
    document = problem(answer, 422, "invalid")
    assert fields(document) == ["overrides.block"]
    assert "multiples of 512 bytes; 65537 is not" in document["detail"]


def test_hosts_on_one_file_system_run_one_after_the_other(appliance: Appliance) -> None:
    nas = {"kind": "network", "type": "nfs4", "source": "nas:/export", "free_bytes": 100 * GB}
    targets = [appliance.target(appliance.host(f"web-{n}"), **nas) for n in range(3)]
    plan = _plan(appliance, *targets, overrides={"file_size": 20 * GB, "threads": [1]})
    answer = appliance.operator.post("/campaigns", plan)
    assert answer.status_code == 201, answer.text
    warnings = {warning["code"]: warning["message"] for warning in answer.json()["warnings"]}
    assert "nas:/export: their tests run one at a time" in warnings["one_device"]


def test_a_campaign_that_does_not_fit_is_rejected_with_the_figures(appliance: Appliance) -> None:
    target = appliance.target(appliance.host(), free_bytes=60 * GB)
    answer = appliance.operator.post(
        "/campaigns", _plan(appliance, target, overrides={"file_size": 20 * GB})
    )
    document = problem(answer, 422, "does_not_fit")
    assert fields(document) == ["overrides.file_size"]
    assert document["estimate"]["fits"] is False
    assert document["estimate"]["runs"][0]["peak_bytes"] >= 20 * GB
    for figure in ("60.0 GB", "50.0 GB", "10.0 GB"):
        assert figure in document["detail"]
    assert _rows(Run) == 0


def test_every_problem_is_named_at_once(appliance: Appliance) -> None:
    small = appliance.target(appliance.host(), free_bytes=1 * GB)
    overrides = {"cache": "direct", "block": [600], "file_size": 20 * GB}
    plan = _plan(appliance, small, 99, small, overrides=overrides)
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
        "/campaigns/estimate", {**_plan(appliance, target), **wrong}
    ).json()
    assert estimate["problems"]
    assert estimate["fits"] is None


def test_lack_of_space_is_reported_in_addition_to_other_problems(
    appliance: Appliance, target: int
) -> None:
    plan = _plan(appliance, target, 999, overrides={"file_size": 900 * GB})
    assert appliance.viewer.post("/campaigns/estimate", plan).json()["fits"] is False


def test_a_campaign_on_a_host_that_is_being_deleted_is_rejected(
    appliance: Appliance, target: int
) -> None:
    with writing() as session:
        session.execute(update(Host).values(state="deleting"))
    answer = appliance.operator.post("/campaigns", _plan(appliance, target))
    document = problem(answer, 422, "host_deleting")
    assert fields(document) == ["target_ids.0"]


@pytest.mark.parametrize("state", ["new", "key_unapproved", "key_changed"])
def test_a_host_whose_key_is_not_approved_is_not_contacted(
    appliance: Appliance, target: int, state: str
) -> None:
    with writing() as session:
        session.execute(update(Host).values(state=state))
    answer = appliance.operator.post("/campaigns", _plan(appliance, target))
    (error,) = problem(answer, 422, "invalid")["errors"]
    assert error["field"] == "target_ids.0"
    why, remedy = NOT_READY[state]
    assert error["message"] == f"its host 'web-1' {why}" and error["remedy"] == remedy


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)  # SQLite has one writer
def test_a_cancel_waits_for_a_dispatcher_that_changes_the_same_campaign(
    appliance: Appliance, target: int
) -> None:
    path = f"/campaigns/{_launch(appliance, target)['id']}"
    with ThreadPoolExecutor(1) as person:
        with writing() as session:
            take_turn(session)
            cancelling = person.submit(appliance.operator.post, f"{path}/cancel")
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not session.scalar(waits) and not cancelling.done():
                time.sleep(0.01)
            runs = session.scalars(select(Run.id)).all()
            runs_changed(session, dict.fromkeys(runs, int(path.rpartition("/")[2])))
        assert cancelling.result().json()["cancel_requested"] is True


def test_an_unreachable_host_can_be_launched_on(appliance: Appliance, target: int) -> None:
    with writing() as session:
        session.execute(update(Host).values(state="unreachable"))
    estimate = appliance.viewer.post("/campaigns/estimate", _plan(appliance, target)).json()
    assert "host_not_reached" in [warning["code"] for warning in estimate["warnings"]]
    _launch(appliance, target)


def test_a_viewer_may_not_launch(appliance: Appliance, target: int) -> None:
    plan = _plan(appliance, target)
    problem(appliance.viewer.post("/campaigns", plan), 403, "not_allowed")
    assert appliance.viewer.post("/campaigns/estimate", plan).status_code == 200


def test_an_estimate_names_the_hosts_that_are_busy(appliance: Appliance, target: int) -> None:
    campaign = _launch(appliance, target)
    estimate = appliance.viewer.post("/campaigns/estimate", _plan(appliance, target)).json()
    (busy,) = estimate["hosts_busy"]
    assert busy["name"] == "web-1"
    assert busy["run_id"] == campaign["runs"][0]["id"]


def test_a_campaign_that_has_ended_cannot_be_cancelled(appliance: Appliance, target: int) -> None:
    path = f"/campaigns/{_launch(appliance, target)['id']}"
    with writing() as session:
        session.execute(update(Run).values(state="done"))
    refused = problem(appliance.operator.post(f"{path}/cancel"), 409, "campaign_ended")
    assert "is done" in refused["detail"]
    assert appliance.viewer.get(path).json()["cancel_requested"] is False


def test_a_campaign_shows_whether_a_person_or_a_token_launched_it(
    appliance: Appliance, target: int
) -> None:
    assert _launch(appliance, target)["origin"] == "token"
    appliance.admin.post("/users", {"name": "a", "password": "correct horse", "role": "operator"})
    login = appliance.http.post(
        "/api/v1/session", json={"name": "a", "password": "correct horse"}
    ).json()
    answer = appliance.http.post(
        "/api/v1/campaigns", json=_plan(appliance, target), headers={"X-Assay-CSRF": login["csrf"]}
    )
    assert answer.json()["origin"] == "person"


def test_a_firmware_update_between_two_runs_is_a_difference_of_configuration(
    appliance: Appliance, target: int
) -> None:
    array = appliance.operator.post(
        "/arrays", {"name": "vault", "serial": "AC-1", "firmware": "7.1"}
    ).json()["id"]
    appliance.operator.patch(f"/targets/{target}", {"array_id": array})
    before = _launch(appliance, target)["runs"][0]["id"]
    appliance.operator.patch(f"/arrays/{array}", {"firmware": "7.2"})
    after = _launch(appliance, target)["runs"][0]["id"]
    appliance.operator.patch(f"/arrays/{array}", {"firmware": "7.3"})
    found = appliance.viewer.get("/compare", runs=f"{before},{after}").json()["differences"]
    assert {"what": "Array firmware", "name": "array_firmware", "values": ["7.1", "7.2"]} in found
    conditions = appliance.viewer.get(f"/runs/{before}").json()["conditions"]
    assert (conditions["array_serial"], conditions["array_firmware"]) == ("AC-1", "7.1")


def test_a_profile_given_by_name_causes_an_error_with_the_list_of_ids(
    appliance: Appliance, target: int
) -> None:
    answer = appliance.operator.post(
        "/campaigns", {"profile_id": "First look", "target_ids": [target]}
    )
    (error,) = problem(answer, 422, "invalid")["errors"]
    assert error["message"] == 'is "First look", but it must be a number'
    assert error["remedy"] == "GET /api/v1/profiles lists them."


def test_cancel_ends_queued_runs_and_marks_active_ones(appliance: Appliance, target: int) -> None:
    campaign = _launch(appliance, target, tests=[TEST, TEST])
    path = f"/campaigns/{campaign['id']}"
    cancelled = appliance.operator.post(f"{path}/cancel").json()
    assert cancelled["cancel_requested"] is True
    assert cancelled["revision"] > campaign["revision"]
    assert [run["state"] for run in cancelled["runs"]] == ["preparing", "cancelled"]
    again = appliance.operator.post(f"{path}/cancel").json()
    assert again["revision"] == cancelled["revision"]
    assert [one["action"] for one in appliance.audit()].count("campaign.cancelled") == 1
    problem(appliance.viewer.post(f"{path}/cancel"), 403, "not_allowed")
    problem(appliance.operator.post("/campaigns/99/cancel"), 404, "not_found")


def _finish(campaign_id: int, state: str = "done") -> None:
    """End the campaign's runs as a worker does."""
    with writing() as session:
        session.execute(
            update(Run).where(Run.campaign_id == campaign_id).values(state=state, ended_at=now())
        )
        session.query(Reservation).delete()
        runs = session.scalars(select(Run.id).where(Run.campaign_id == campaign_id)).all()
        runs_changed(session, dict.fromkeys(runs, campaign_id))


def test_wait_responds_when_the_last_run_has_ended(appliance: Appliance, target: int) -> None:
    campaign = _launch(appliance, target)["id"]
    early = appliance.viewer.get(f"/campaigns/{campaign}", wait=0.05).json()
    assert early["state"] == "running"
    assert early["ended_at"] is None
    ending = threading.Timer(0.2, _finish, (campaign,))
    ending.start()
    ended = appliance.viewer.get(f"/campaigns/{campaign}", wait=30).json()
    ending.join()
    assert ended["state"] == "done"
    assert ended["ended_at"] is not None
    problem(appliance.viewer.get("/campaigns/99", wait=5), 404, "not_found")


def test_lists_are_filtered_by_state(appliance: Appliance, target: int) -> None:
    first = _launch(appliance, target)["id"]
    _finish(first, "failed")
    second = _launch(appliance, target)["id"]

    def listed(state: str) -> list[int]:
        items = appliance.viewer.get("/campaigns", state=state).json()["items"]
        return [campaign["id"] for campaign in items]

    assert listed("failed") == [first]
    assert listed("running") == [second]
    assert listed("done") == []
    problem(appliance.viewer.get("/campaigns", state="odd"), 422, "invalid")


# -- what cannot be measured at once


def _same(appliance: Appliance, columns: tuple[dict[str, Any], ...], **found: Any) -> list[int]:
    """A target on each of some hosts."""
    return [
        appliance.target(appliance.host(f"box-{number}", **each), f"/mnt/{number}", **found)
        for number, each in enumerate(columns)
    ]


def _states(campaign: dict[str, Any]) -> list[str]:
    return [run["state"] for run in campaign["runs"]]


ONE_BOOT = {"machine_id": "4f3c", "boot_id": "b1"}
ANOTHER_BOOT = {"machine_id": "4f3c", "boot_id": "b2"}


def test_a_machine_registered_twice_runs_one_test_at_a_time(appliance: Appliance) -> None:
    targets = _same(appliance, (ONE_BOOT, ONE_BOOT))
    plan = _plan(appliance, *targets)
    warned = appliance.viewer.post("/campaigns/estimate", plan).json()["warnings"]
    campaign = _launch(appliance, *targets)
    assert campaign["warnings"] == warned
    (warning,) = (one for one in warned if one["code"] == "one_machine")
    message = "box-0 and box-1 are the same machine: their tests run one at a time."
    assert warning["message"] == message
    assert _states(campaign) == ["preparing", "queued"]
    waits_for = campaign["runs"][1]["waits_for"]
    first = campaign["runs"][0]
    said = f"the machine of box-1 is busy with run {first['id']}: {first['title']}"
    since = waits_for.pop("since")
    assert since and waits_for == {
        "kind": "machine",
        "name": "the machine of box-1",
        "run_id": first["id"],
        "run_title": first["title"],
        "held": True,
        "what": said,
    }


def test_a_second_entry_of_a_busy_machine_waits(appliance: Appliance) -> None:
    first, second = _same(appliance, (ONE_BOOT, ONE_BOOT))
    busy = _launch(appliance, first)["runs"][0]["id"]
    estimate = appliance.viewer.post("/campaigns/estimate", _plan(appliance, second)).json()
    assert [(one["name"], one["run_id"]) for one in estimate["hosts_busy"]] == [("box-1", busy)]
    campaign = _launch(appliance, second)
    assert _states(campaign) == ["queued"]
    assert "one_machine" in {one["code"] for one in campaign["warnings"]}


def test_a_cloned_machine_id_warns_and_both_run(appliance: Appliance) -> None:
    campaign = _launch(appliance, *_same(appliance, (ONE_BOOT, ANOTHER_BOOT)))
    assert _states(campaign) == ["preparing", "preparing"]
    assert "cloned_machine_id" in {one["code"] for one in campaign["warnings"]}


@pytest.mark.parametrize(
    "found",
    [
        {"disks": [{"name": "sdb", "wwid": "naa.600508b1001c"}]},
        {"kind": "network", "source": "filer:/export", "type": "nfs4", "disks": []},
    ],
    ids=["one LUN", "one NFS export"],
)
def test_one_device_on_two_hosts_is_used_by_one_run_at_a_time(
    appliance: Appliance, found: dict[str, Any]
) -> None:
    machines = ({"machine_id": "m1", "boot_id": "b1"}, {"machine_id": "m2", "boot_id": "b2"})
    campaign = _launch(appliance, *_same(appliance, machines, **found))
    assert _states(campaign) == ["preparing", "queued"]
    assert campaign["runs"][1]["waits_for"]["kind"] == "device"
    assert "one_device" in {one["code"] for one in campaign["warnings"]}


def test_disks_of_the_same_name_on_two_machines_are_two(appliance: Appliance) -> None:
    machines = ({"machine_id": "m1", "boot_id": "b1"}, {"machine_id": "m2", "boot_id": "b2"})
    disks = [{"name": "sdb", "wwid": None}]
    campaign = _launch(appliance, *_same(appliance, machines, disks=disks))
    assert _states(campaign) == ["preparing", "preparing"]


def test_one_disk_of_one_kernel_is_one_device_in_two_containers(appliance: Appliance) -> None:
    machines = ({"machine_id": "m1", "boot_id": "b1"}, {"machine_id": "m2", "boot_id": "b1"})
    disks = [{"name": "sdb", "wwid": None}]
    campaign = _launch(appliance, *_same(appliance, machines, disks=disks))
    assert _states(campaign) == ["preparing", "queued"]
