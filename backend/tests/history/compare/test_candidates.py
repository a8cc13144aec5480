"""Runs to compare with: searched for, and suggested."""

from typing import Any

import pytest
from assay.runs.scheduling import capacity
from assay.runs.stored_results import store
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.runs import Participant, Run
from sqlalchemy import insert, inspect, select
from testing.api import Appliance

WRITE: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "file_size": 65536,
    "repeats": 1,
}
READ = WRITE | {"operation": "read", "title": "Read"}
LONG = {"kind": "sustained", "title": "Long", "length": 10**9}


@pytest.fixture(autouse=True)
def worker(appliance: Appliance) -> None:
    """A worker that drives no runs."""
    with writing() as session:
        capacity.announce(session, "worker:1", 1000)


def profile(appliance: Appliance, name: str, *tests: dict[str, Any]) -> int:
    body = {"name": name, "body": {"tests": list(tests)}}
    return appliance.operator.post("/profiles", body).json()["id"]


def ended(
    appliance: Appliance, profile_id: int, *targets: int, name: str = "Campaign", **plan: Any
) -> list[int]:
    """Launch a campaign whose runs then end, each with a trial; return their ids."""
    body = {"name": name, "profile_id": profile_id, "target_ids": list(targets), **plan}
    made = appliance.operator.post("/campaigns", body)
    assert made.status_code == 201, made.text
    ids = [run["id"] for run in made.json()["runs"]]
    with writing() as session:
        for run in session.scalars(select(Run).where(Run.id.in_(ids))):
            run.state, run.trials_done, run.ended_at = "done", 1, run.created_at
            store(session, run)
    return ids


def suggested(appliance: Appliance, run_id: int) -> tuple[int | None, list[int]]:
    found = appliance.viewer.get("/compare/suggestions", run_id=run_id)
    assert found.status_code == 200, found.text
    previous, elsewhere = found.json()["previous"], found.json()["elsewhere"]
    return previous and previous["id"], [run["id"] for run in elsewhere]


def candidates(appliance: Appliance, **query: Any) -> list[int]:
    found = appliance.viewer.get("/compare/candidates", **query)
    assert found.status_code == 200, found.text
    return [run["id"] for run in found.json()["items"]]


def test_the_previous_run_is_the_newest_earlier_one_of_the_test_at_the_target(
    appliance: Appliance,
) -> None:
    here, there = (appliance.target(appliance.host(name)) for name in ("web-1", "web-2"))
    both = profile(appliance, "Both", WRITE, WRITE | {"title": "Other write"}, READ)
    oldest, _, read = ended(appliance, both, here)
    older, _, _ = ended(appliance, both, here)
    ended(appliance, both, there)
    newest, other, last_read = ended(appliance, both, here)
    ended(appliance, both, here)
    assert suggested(appliance, newest)[0] == older
    assert suggested(appliance, older)[0] == oldest
    assert suggested(appliance, oldest)[0] is None
    assert suggested(appliance, last_read)[0] not in {other, newest, read}


def test_a_run_of_another_test_stands_in_if_there_is_no_earlier_one(appliance: Appliance) -> None:
    here = appliance.target(appliance.host())
    (before,) = ended(appliance, profile(appliance, "A", WRITE), here)
    (after,) = ended(appliance, profile(appliance, "B", WRITE | {"title": "Renamed"}), here)
    assert suggested(appliance, after)[0] == before


def test_a_run_together_is_not_the_previous_of_one_alone(appliance: Appliance) -> None:
    here, there = (appliance.target(appliance.host(name)) for name in ("web-1", "web-2"))
    own = profile(appliance, "A", WRITE)
    ended(appliance, own, here, there, together=True)
    (alone,) = ended(appliance, own, here)
    assert suggested(appliance, alone) == (None, [alone - 1])


def test_the_same_test_of_the_profile_on_other_hosts_is_the_newest_of_each(
    appliance: Appliance,
) -> None:
    here, second, third = (appliance.target(appliance.host(f"web-{n}")) for n in range(3))
    own = profile(appliance, "Own", WRITE, READ)
    other = profile(appliance, "Another", WRITE)
    ended(appliance, own, second)
    run, _ = ended(appliance, own, here)
    newest, _ = ended(appliance, own, second)
    at_third, _ = ended(appliance, own, third)
    ended(appliance, own, here)
    ended(appliance, other, third)
    assert suggested(appliance, run)[1] == [at_third, newest]


def _repeat(run_id: int, first: int, count: int = 250) -> None:
    """Store more runs like this one, in its campaign, with ids from `first` on."""
    for table, key in ((Run, Run.id), (Participant, Participant.run_id)):
        with writing() as session:
            session.execute(select(Host.id).with_for_update())  # rows are locked in one order
            row = session.scalars(select(table).where(key == run_id)).one()
            values = {column.key: getattr(row, column.key) for column in inspect(table).columns}
            del values["id"]
            own = (
                {"id": first + n, "number": first + n} if table is Run else {"run_id": first + n}
                for n in range(count)
            )
            session.execute(insert(table), [values | one for one in own])


def test_runs_are_suggested_however_many_came_since(appliance: Appliance) -> None:
    here, there = (appliance.target(appliance.host(name)) for name in ("web-1", "web-2"))
    own = profile(appliance, "Own", WRITE)
    (elsewhere,) = ended(appliance, own, there)
    (before,) = ended(appliance, own, here)
    (other,) = ended(appliance, profile(appliance, "Another", WRITE | {"title": "Other"}), here)
    _repeat(other, 1000)
    (run,) = ended(appliance, own, here)
    assert suggested(appliance, run) == (before, [elsewhere])
    _repeat(run, 5000)
    assert suggested(appliance, run) == (before, [elsewhere])


def test_a_later_version_is_the_same_profile(appliance: Appliance) -> None:
    here, there = (appliance.target(appliance.host(name)) for name in ("web-1", "web-2"))
    own = profile(appliance, "Own", WRITE)
    (before,) = ended(appliance, own, there)
    body = {"name": "Own", "body": {"tests": [WRITE | {"repeats": 2}]}}
    newer = appliance.operator.put(f"/profiles/{own}", body).json()["id"]
    (run,) = ended(appliance, newer, here)
    assert suggested(appliance, run)[1] == [before]


def test_every_word_of_a_search_must_match_campaign_test_host_or_path(
    appliance: Appliance,
) -> None:
    here = appliance.target(appliance.host("Vault"), "/mnt/fast")
    there = appliance.target(appliance.host("web_2"), "/mnt/slow")
    own = profile(appliance, "Own", WRITE, READ)
    write, read = ended(appliance, own, here, name="After the update")
    others = ended(appliance, own, there, name="100% load")
    assert candidates(appliance) == [*others[::-1], read, write]
    assert candidates(appliance, q="vault") == [read, write]
    assert candidates(appliance, q="  UPDATE read ") == [read]
    assert candidates(appliance, q="mnt/slow write") == [others[0]]
    assert candidates(appliance, q="vault slow") == []
    assert candidates(appliance, q="%") == others[::-1]  # no wildcards
    assert candidates(appliance, q="b_2") == others[::-1]
    (named,) = appliance.viewer.get("/compare/candidates", q="update read").json()["items"]
    assert named["campaign_name"] == "After the update"


def test_runs_that_do_not_compare_are_left_out(appliance: Appliance) -> None:
    here = appliance.target(appliance.host())
    write, long = ended(appliance, profile(appliance, "Own", WRITE, LONG), here)
    again, _ = ended(appliance, profile(appliance, "More", WRITE, LONG), here)
    assert candidates(appliance, beside=str(write)) == [again]
    assert long in candidates(appliance)
    assert candidates(appliance, beside=f"{write},{again}") == []
    refused = appliance.viewer.get("/compare/candidates", beside="x")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "beside")


def test_candidates_are_paged(appliance: Appliance) -> None:
    here = appliance.target(appliance.host())
    own = profile(appliance, "Own", WRITE)
    ids = [ended(appliance, own, here)[0] for _ in range(3)]
    first = appliance.viewer.get("/compare/candidates", limit=2).json()
    assert [run["id"] for run in first["items"]] == ids[:0:-1]
    rest = appliance.viewer.get("/compare/candidates", limit=2, cursor=first["next_cursor"]).json()
    assert ([run["id"] for run in rest["items"]], rest["next_cursor"]) == (ids[:1], None)


def test_nothing_is_suggested_for_an_unknown_run(appliance: Appliance) -> None:
    assert appliance.viewer.get("/compare/suggestions", run_id=999).status_code == 404


def test_labels_and_references_are_found_as_in_lists_of_runs(appliance: Appliance) -> None:
    here = appliance.target(appliance.host("Vault"), "/mnt/fast")
    own = profile(appliance, "Own", WRITE)
    (marked,) = ended(appliance, own, here, labels={"rack": "b7"}, reference="CHG-1234")
    (other,) = ended(appliance, own, here)
    for q in ("rack=b7", "chg-1234", "write rack"):
        assert candidates(appliance, q=q) == [marked]
    assert candidates(appliance, q="write") == [other, marked]
