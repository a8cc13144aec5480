"""Campaigns: estimate, launch, rejection, cancellation, waiting."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from assay.base.messaging.changes import _client
from assay.base.messaging.queue import redis_url
from assay.runs.changes import runs_changed
from assay.runs.scheduling import capacity
from assay.runs.scheduling.reservations import take_turn
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Host, Inventory
from assay.tables.runs import Attempt, Participant, Reservation, Run, Trial
from sqlalchemy import select, text, update
from testing.api import GB, INVENTORY, Appliance, on_sqlite, problem

from .launching import TEST, count_rows, launch_on, plan_on

pytestmark = pytest.mark.usefixtures("worker")

ODD_NAME = "after 'x' \"y\" $(reboot) \u00fc \u6f22"


def test_an_estimate_gives_the_figures_and_changes_nothing(
    appliance: Appliance, target: int
) -> None:
    answer = appliance.viewer.post("/campaigns/estimate", plan_on(appliance, target))
    estimate = answer.json()
    assert (estimate["cells"], estimate["trials"]) == (35, 175)
    assert estimate["bytes_written"] >= 175 * 500_000_000
    assert estimate["longest_s"] == 175 * 60
    assert estimate["fits"] is True
    assert estimate["problems"] == []
    (run,) = estimate["runs"]
    assert run["free_after_bytes"] == 900 * GB - run["peak_bytes"]
    assert [warning["code"] for warning in estimate["warnings"]] == ["fits_in_memory"]
    assert count_rows(Run) == 0


def test_first_look_sizes_files_by_the_measured_rate(appliance: Appliance, target: int) -> None:
    plan = {"profile_id": appliance.profile("first-look"), "target_ids": [target]}
    unknown = appliance.viewer.post("/campaigns/estimate", plan).json()
    assert [run["file_size"] for run in unknown["runs"]] == [5 * GB, 5 * GB]
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
    assert [run["file_size"] for run in known["runs"]] == [450_000_000, 450_000_000]
    assert "rate_assumed" not in [warning["code"] for warning in known["warnings"]]


def test_control_groups_limit_the_cacheable_memory(appliance: Appliance) -> None:
    host_id = appliance.host()
    target = appliance.target(host_id)
    with writing() as session:
        body = {**INVENTORY, "mem_limit_bytes": 2 * GB}
        session.add(Inventory(host_id=host_id, probe="0.1.0", body=body))
    found = {
        size: appliance.viewer.post(
            "/campaigns/estimate", plan_on(appliance, target, overrides={"file_size": size})
        ).json()
        for size in ("ram / 2", "2 * ram")
    }
    assert [found[size]["runs"][0]["file_size"] for size in found] == [GB, 4 * GB]
    codes = [[warning["code"] for warning in found[size]["warnings"]] for size in found]
    assert codes == [["fits_in_memory"], []]


def test_a_launch_stores_every_run_and_trial(appliance: Appliance, target: int) -> None:
    campaign = launch_on(
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
        campaign = launch_on(appliance, target, tests=[{**test, "order": order}])
        run = campaign["runs"][0]["id"]
        rows = appliance.viewer.get(f"/runs/{run}/trials").json()["items"]
        asked = [row["parameters"] for row in rows]
        orders[order] = [(one["block"], one["threads"]) for one in asked]
    assert orders["given"] == [(b, t) for b in test["block"] for t in test["threads"]]
    assert orders["shuffled"] != orders["given"]
    assert sorted(orders["shuffled"]) == sorted(orders["given"])


def test_parameters_are_resolved_and_the_profile_is_kept(appliance: Appliance, target: int) -> None:
    overrides = {"file_size": "min(1 GB, free / 10)", "cache": "direct_if_real", "repeats": 1}
    campaign = launch_on(appliance, target, overrides=overrides)
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
    launch_on(appliance, target)
    messages = queue.lrange(own, 0, -1)
    assert len(messages) == 1
    assert b'"assay.drive_run"' in messages[0]


def test_a_campaign_on_many_targets_has_a_run_on_each(appliance: Appliance) -> None:
    targets = [
        appliance.target(appliance.host(f"web-{number}"), f"/mnt/{number}") for number in range(3)
    ]
    campaign = launch_on(appliance, *targets)
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


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)  # SQLite has one writer
def test_a_cancel_waits_for_a_dispatcher_that_changes_the_same_campaign(
    appliance: Appliance, target: int
) -> None:
    path = f"/campaigns/{launch_on(appliance, target)['id']}"
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
    estimate = appliance.viewer.post("/campaigns/estimate", plan_on(appliance, target)).json()
    assert "host_not_reached" in [warning["code"] for warning in estimate["warnings"]]
    launch_on(appliance, target)


def test_a_viewer_may_not_launch(appliance: Appliance, target: int) -> None:
    plan = plan_on(appliance, target)
    problem(appliance.viewer.post("/campaigns", plan), 403, "not_allowed")
    assert appliance.viewer.post("/campaigns/estimate", plan).status_code == 200


def test_an_estimate_names_the_hosts_that_are_busy(appliance: Appliance, target: int) -> None:
    campaign = launch_on(appliance, target)
    estimate = appliance.viewer.post("/campaigns/estimate", plan_on(appliance, target)).json()
    (busy,) = estimate["hosts_busy"]
    assert busy["name"] == "web-1"
    assert busy["run_id"] == campaign["runs"][0]["id"]


def test_a_campaign_that_has_ended_cannot_be_cancelled(appliance: Appliance, target: int) -> None:
    path = f"/campaigns/{launch_on(appliance, target)['id']}"
    with writing() as session:
        session.execute(update(Run).values(state="done"))
    refused = problem(appliance.operator.post(f"{path}/cancel"), 409, "campaign_ended")
    assert "is done" in refused["detail"]
    assert appliance.viewer.get(path).json()["cancel_requested"] is False


def test_a_campaign_shows_whether_a_person_or_a_token_launched_it(
    appliance: Appliance, target: int
) -> None:
    assert launch_on(appliance, target)["origin"] == "token"
    appliance.admin.post("/users", {"name": "a", "password": "correct horse", "role": "operator"})
    login = appliance.http.post(
        "/api/v1/session", json={"name": "a", "password": "correct horse"}
    ).json()
    answer = appliance.http.post(
        "/api/v1/campaigns",
        json=plan_on(appliance, target),
        headers={"X-Assay-CSRF": login["csrf"]},
    )
    assert answer.json()["origin"] == "person"


def test_a_firmware_update_between_two_runs_is_a_difference_of_configuration(
    appliance: Appliance, target: int
) -> None:
    array = appliance.operator.post(
        "/arrays", {"name": "vault", "serial": "AC-1", "firmware": "7.1"}
    ).json()["id"]
    appliance.operator.patch(f"/targets/{target}", {"array_id": array})
    before = launch_on(appliance, target)["runs"][0]["id"]
    appliance.operator.patch(f"/arrays/{array}", {"firmware": "7.2"})
    after = launch_on(appliance, target)["runs"][0]["id"]
    appliance.operator.patch(f"/arrays/{array}", {"firmware": "7.3"})
    found = appliance.viewer.get("/compare", runs=f"{before},{after}").json()["differences"]
    assert {"what": "Array firmware", "name": "array_firmware", "values": ["7.1", "7.2"]} in found
    conditions = appliance.viewer.get(f"/runs/{before}").json()["conditions"]
    assert (conditions["array_serial"], conditions["array_firmware"]) == ("AC-1", "7.1")


def test_cancel_ends_queued_runs_and_marks_active_ones(appliance: Appliance, target: int) -> None:
    campaign = launch_on(appliance, target, tests=[TEST, TEST])
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
    campaign = launch_on(appliance, target)["id"]
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
    first = launch_on(appliance, target)["id"]
    _finish(first, "failed")
    second = launch_on(appliance, target)["id"]

    def listed(state: str) -> list[int]:
        items = appliance.viewer.get("/campaigns", state=state).json()["items"]
        return [campaign["id"] for campaign in items]

    assert listed("failed") == [first]
    assert listed("running") == [second]
    assert listed("done") == []
    problem(appliance.viewer.get("/campaigns", state="odd"), 422, "invalid")


# -- what cannot be measured at once
