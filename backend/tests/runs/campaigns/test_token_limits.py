"""Launches within the limits of a token: labels of targets, bytes per day, campaigns at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from assay.api.tokens.queries import issue
from assay.base.identity import Limits
from assay.runs.campaigns.deletion import UNDO, purge_next
from assay.runs.recording.ingest import ingest
from assay.runs.scheduling import capacity
from assay.tables.accounts import ApiToken
from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import now, writing
from assay.tables.runs import Participant, Run, Trial
from assay.tables.tokens import TokenCharge
from httpx import Response
from sqlalchemy import select, update
from testing.api import GB, SETTING_UP, Appliance, Caller, on_sqlite, problem
from testing.spools import Spool

SIZE = 10**7
"""Bytes of each of the two trials of a campaign."""

TEST: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [100_000],
    "threads": [1],
    "files": 1,
    "file_size": SIZE,
    "repeats": 2,
}
READ = {**TEST, "operation": "read", "title": "Read"}
PLANNED = 2 * SIZE


@pytest.fixture(autouse=True)
def worker(appliance: Appliance) -> None:
    """A worker with unlimited capacity that drives no runs."""
    with writing() as session:
        capacity.announce(session, "worker:1", 1000)


@pytest.fixture
def target(appliance: Appliance) -> int:
    return appliance.target(appliance.host())


def _token(appliance: Appliance, **limits: Any) -> Caller:
    own = Limits(**{"scopes": ["read", "launch", "edit"], **limits})
    with writing() as session:
        _, token = issue(session, SETTING_UP, "ci", "operator", None, limits=own)
    return Caller(appliance.http, token)


def _plan(appliance: Appliance, *targets: int, **fields: Any) -> dict[str, Any]:
    return {
        "profile_id": appliance.profile(),
        "target_ids": list(targets),
        "tests": [TEST],
        **fields,
    }


def _launched(caller: Caller, plan: dict[str, Any]) -> int:
    answer = caller.post("/campaigns", plan)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def _used(caller: Caller) -> dict[str, Any]:
    return caller.get("/me").json()["api_token"]["used"]


def _bytes(caller: Caller) -> int:
    return _used(caller)["bytes_today"]


def _end(campaign_id: int, *, trials: int = 0, state: str = "done") -> None:
    """End the campaign's runs; in each, the first trials were measured."""
    with writing() as session:
        for run in session.scalars(select(Run).where(Run.campaign_id == campaign_id)):
            if trials:
                _measure(session, run, trials)
            run.state, run.ended_at = state, now()


def _measure(session: Any, run: Run, count: int) -> None:
    run.generation = 1
    of_run = select(Participant).where(Participant.run_id == run.id)
    participant = session.scalars(of_run).one()
    participant.run_dir = "/tmp/run"
    run.state = "running"
    session.flush()
    spool = Spool().hello()
    trials = select(Trial).where(Trial.run_id == run.id).order_by(Trial.position).limit(count)
    for trial in session.scalars(trials).all():
        spool.whole_trial(trial.position)
    ingest(session, participant.id, 1, 0, spool.end().data)
    session.flush()


def test_a_launch_reserves_what_its_plan_writes_and_its_end_returns_the_rest(
    appliance: Appliance, target: int
) -> None:
    caller = _token(appliance, bytes_per_day=GB)
    campaign = _launched(caller, _plan(appliance, target))
    assert _used(caller)["campaign_ids"] == [campaign]
    assert _bytes(caller) == PLANNED
    _end(campaign, trials=1, state="cancelled")
    assert _used(caller)["campaign_ids"] == []
    assert _bytes(caller) == SIZE


def test_a_campaign_that_never_started_costs_nothing(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, bytes_per_day=PLANNED)
    campaign = _launched(caller, _plan(appliance, target))
    _end(campaign, state="cancelled")
    assert _bytes(caller) == 0
    _launched(caller, _plan(appliance, target))


def test_a_read_costs_the_files_that_were_written_for_it(appliance: Appliance, target: int) -> None:
    caller = _token(appliance)
    campaign = _launched(caller, _plan(appliance, target, tests=[READ]))
    assert _bytes(caller) == SIZE
    _end(campaign, trials=2)
    assert _bytes(caller) == SIZE


def test_bytes_beyond_the_day_are_rejected_with_the_time_when_they_are_free(
    appliance: Appliance, target: int
) -> None:
    caller = _token(appliance, bytes_per_day=PLANNED + 1)
    first = _launched(caller, _plan(appliance, target))
    answer = caller.post("/campaigns", _plan(appliance, target))
    document = problem(answer, 429, "quota_exceeded")
    ends = _used(caller)["day_ends_at"]
    assert document["quota"] == {
        "name": "bytes_per_day",
        "limit": PLANNED + 1,
        "used": PLANNED,
        "wanted": PLANNED,
        "campaign_ids": [first],
        "free_at": ends,
    }
    assert ends.endswith("T00:00:00Z")
    assert 1 <= int(answer.headers["Retry-After"]) <= 86_400
    assert "20.0 MB are used today" in document["detail"]
    assert ends in document["remedy"]


def test_another_day_begins_with_a_full_quota(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, bytes_per_day=PLANNED)
    first = _launched(caller, _plan(appliance, target))
    problem(caller.post("/campaigns", _plan(appliance, target)), 429, "quota_exceeded")
    with writing() as session:
        session.execute(update(TokenCharge).values(at=moment(-timedelta(days=1))))
    assert _used(caller) | {"day_ends_at": ""} == {
        "bytes_today": 0,
        "campaign_ids": [first],
        "day_ends_at": "",
    }
    _launched(caller, _plan(appliance, target))


def test_a_campaign_larger_than_the_quota_is_not_told_to_retry(
    appliance: Appliance, target: int
) -> None:
    caller = _token(appliance, bytes_per_day=PLANNED - 1)
    answer = caller.post("/campaigns", _plan(appliance, target))
    document = problem(answer, 403, "larger_than_quota")
    assert "Retry-After" not in answer.headers
    assert document["quota"]["limit"] == PLANNED - 1


def test_campaigns_at_once_are_limited_until_one_ends(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, campaigns_at_once=2)
    active = [_launched(caller, _plan(appliance, target)) for _ in range(2)]
    answer = caller.post("/campaigns", _plan(appliance, target))
    document = problem(answer, 429, "quota_exceeded")
    assert answer.headers["Retry-After"] == "60"
    assert document["quota"]["name"] == "campaigns_at_once"
    assert document["quota"]["campaign_ids"] == active
    _end(active[0])
    _launched(caller, _plan(appliance, target))


def test_the_pause_before_the_next_launch_is_the_rest_of_the_campaign_that_ends_first(
    appliance: Appliance, target: int
) -> None:
    caller = _token(appliance, campaigns_at_once=2)
    active = [_launched(caller, _plan(appliance, target)) for _ in range(2)]
    with writing() as session:
        for campaign_id, done in zip(active, (1, 3), strict=True):
            session.execute(
                update(Run)
                .where(Run.campaign_id == campaign_id)
                .values(
                    state="running",
                    started_at=moment(-timedelta(minutes=9)),
                    trials_done=done,
                    trials_total=4,
                )
            )
    answer = caller.post("/campaigns", _plan(appliance, target))
    problem(answer, 429, "quota_exceeded")
    assert 170 <= int(answer.headers["Retry-After"]) <= 200


def test_others_are_not_limited_by_a_token(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, campaigns_at_once=1)
    _launched(caller, _plan(appliance, target))
    _launched(appliance.operator, _plan(appliance, target))
    _launched(_token(appliance, campaigns_at_once=1), _plan(appliance, target))


def test_a_replayed_launch_costs_nothing(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, bytes_per_day=PLANNED, campaigns_at_once=1)
    plan = _plan(appliance, target)
    first, second = (caller.post("/campaigns", plan, key="once") for _ in range(2))
    assert first.json() == second.json()
    assert second.headers["Idempotent-Replayed"] == "true"
    assert _bytes(caller) == PLANNED


def test_a_key_of_a_launch_over_quota_can_be_used_again(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, campaigns_at_once=1)
    active = _launched(caller, _plan(appliance, target))
    plan = _plan(appliance, target)
    problem(caller.post("/campaigns", plan, key="retried"), 429, "quota_exceeded")
    _end(active)
    assert caller.post("/campaigns", plan, key="retried").status_code == 201


def test_running_a_campaign_again_costs_as_much(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, bytes_per_day=2 * PLANNED)
    first = _launched(caller, _plan(appliance, target))
    again = caller.get(f"/campaigns/{first}/plan").json()
    _launched(caller, again)
    problem(caller.post("/campaigns", again), 429, "quota_exceeded")


def test_deleting_a_campaign_frees_no_bytes(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, bytes_per_day=2 * PLANNED)
    campaign = _launched(caller, _plan(appliance, target))
    _end(campaign, trials=2)
    assert caller.delete(f"/campaigns/{campaign}").status_code == 200
    with writing() as session:
        session.execute(update(Campaign).values(deleted_at=moment(-UNDO)))
        session.execute(update(Participant).values(swept_at=moment()))
    for _ in range(20):
        with writing() as session:
            if not purge_next(session):
                break
    with writing() as session:
        assert session.get(Campaign, campaign) is None
    assert _bytes(caller) == PLANNED


def test_two_launches_at_once_do_not_both_get_the_last_slot(appliance: Appliance) -> None:
    targets = [appliance.target(appliance.host(name)) for name in ("one", "two", "three", "four")]
    caller = _token(appliance, bytes_per_day=PLANNED, campaigns_at_once=1)
    plans = [_plan(appliance, target) for target in targets]

    def launch(plan: dict[str, Any]) -> Response:
        return caller.post("/campaigns", plan)

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(launch, plans))
    assert sorted(answer.status_code for answer in answers) == [201, 429, 429, 429]
    assert len(_used(caller)["campaign_ids"]) == 1


def _label(appliance: Appliance, path: str, **labels: str) -> None:
    assert appliance.operator.patch(path, {"labels": labels}).status_code == 200


def test_a_token_launches_only_on_targets_with_all_its_labels(appliance: Appliance) -> None:
    hosts = [appliance.host(name) for name in ("one", "two", "three")]
    labeled, half, bare = (appliance.target(host) for host in hosts)
    _label(appliance, f"/targets/{labeled}", env="lab")
    _label(appliance, f"/hosts/{hosts[0]}", rack="b7")
    _label(appliance, f"/targets/{half}", env="lab", rack="b8")
    caller = _token(appliance, target_labels={"env": "lab", "rack": "b7"})
    _launched(caller, _plan(appliance, labeled))
    answer = caller.post("/campaigns", _plan(appliance, labeled, half, bare))
    document = problem(answer, 403, "target_not_allowed")
    assert document["target_labels"] == {"env": "lab", "rack": "b7"}
    assert document["places"] == ["two /mnt/a", "three /mnt/a"]
    assert "two /mnt/a lacks rack=b7; three /mnt/a lacks env=lab, rack=b7" in document["detail"]


def test_labels_count_as_they_are_at_the_launch(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, target_labels={"env": "lab"})
    plan = _plan(appliance, target)
    problem(caller.post("/campaigns", plan), 403, "target_not_allowed")
    _label(appliance, f"/targets/{target}", env="lab")
    _launched(caller, plan)
    _label(appliance, f"/targets/{target}", env="production")
    problem(caller.post("/campaigns", plan), 403, "target_not_allowed")


def test_memory_of_a_host_needs_the_labels_on_the_host(appliance: Appliance) -> None:
    one, two = (appliance.host(name) for name in ("one", "two"))
    caller = _token(appliance, target_labels={"env": "lab"})
    test = {"kind": "path", "title": "Network", "length": 1000, "legs": ["memory"]}
    ends = {"sources": [{"host_id": one}], "sinks": [{"host_id": two}]}
    plan = _plan(appliance, tests=[test], **ends)
    _label(appliance, f"/hosts/{one}", env="lab")
    document = problem(caller.post("/campaigns", plan), 403, "target_not_allowed")
    assert document["places"] == ["memory of two"]
    _label(appliance, f"/hosts/{two}", env="lab")
    _launched(caller, plan)
    assert _bytes(caller) == 0


def test_a_token_for_certain_targets_cancels_only_what_it_launched(
    appliance: Appliance, target: int
) -> None:
    _label(appliance, f"/targets/{target}", env="lab")
    caller = _token(appliance, target_labels={"env": "lab"})
    own = _launched(caller, _plan(appliance, target))
    other = _launched(appliance.operator, _plan(appliance, target))
    problem(caller.post(f"/campaigns/{other}/cancel"), 403, "not_launched_by_token")
    assert caller.post(f"/campaigns/{own}/cancel").status_code == 200
    unlimited = _token(appliance)
    assert unlimited.post(f"/campaigns/{other}/cancel").status_code == 200


def test_the_campaigns_of_a_deleted_token_continue(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, campaigns_at_once=1)
    campaign = _launched(caller, _plan(appliance, target))
    with writing() as session:
        session.delete(session.scalars(select(ApiToken).where(ApiToken.name == "ci")).one())
    problem(caller.post("/campaigns", _plan(appliance, target)), 401, "not_logged_in")
    assert appliance.viewer.get(f"/campaigns/{campaign}").json()["state"] == "running"


@on_sqlite
def test_an_invalid_plan_is_reported_before_a_quota(appliance: Appliance, target: int) -> None:
    caller = _token(appliance, bytes_per_day=1)
    plan = _plan(appliance, target, tests=[{**TEST, "file_size": 10**15}])
    problem(caller.post("/campaigns", plan), 422, "does_not_fit")
