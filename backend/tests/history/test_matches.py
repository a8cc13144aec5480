"""Targets that were registered again: which are proposed, what a decision does, and its undo."""

from typing import Any

import pytest
from assay.inventory.hosts import deletion
from assay.runs.stored_results import store
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Host
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target
from sqlalchemy import delete, select
from testing.api import FOUND, Appliance, problem
from testing.seeds import seed_ended_run

MACHINE = "3d1219c7c4c5404aaa1f6d2a48adfda4"
DISKS = [{"name": "sda", "wwid": "naa.600508b1001c"}]
UNKNOWN_DISK = {"name": "sdb", "wwid": None}


def measured(machine_id: str | None = MACHINE, **target: Any) -> tuple[int, int]:
    """Add a target of a machine, with one ended run; return their ids."""
    with writing() as session:
        run = seed_ended_run(session)
        part = session.scalars(select(Participant).where(Participant.run_id == run.id)).one()
        part.labels = {}
        session.get_one(Host, part.host_id).machine_id = machine_id
        found = session.get_one(Target, part.target_id)
        found.facts = FOUND
        for name, value in target.items():
            setattr(found, name, value)
        store(session, run)
        return found.id, run.id


def deleted(target_id: int) -> None:
    with writing() as session:
        session.get_one(Target, target_id).retired_at = now()


def again(machine_id: str | None = MACHINE, **values: Any) -> int:
    """Add a target of another host without runs; return its id."""
    with writing() as session:
        host = Host(name="box-again", connection="ssh", state="ready", machine_id=machine_id)
        session.add(host)
        session.flush()
        known = {"path": "/mnt/a", "fs_uuid": "u-1", "facts": FOUND} | values
        target = Target(
            host_id=host.id, name="again", fs_type="ext4", fs_source="/dev/vda", **known
        )
        session.add(target)
        session.flush()
        return target.id


def proposed(appliance: Appliance, of: str = "target", **query: int) -> list[dict[str, Any]]:
    items = appliance.viewer.get("/matches", **query).json()["items"]
    return [one for one in items if one["of"] == of]


def matches(
    appliance: Appliance, of: str = "target", **query: int
) -> list[tuple[int, int, list[str]]]:
    items = proposed(appliance, of, **query)
    return [(one["id"], one["earlier"]["id"], one["reasons"]) for one in items]


def decided(appliance: Appliance, **query: int) -> list[tuple[str, int, int, bool, int]]:
    items = appliance.viewer.get("/matches", **query).json()["decided"]
    names = ("of", "id", "earlier_id", "same", "runs")
    return [tuple(one[name] for name in names) for one in items]


def decide(
    appliance: Appliance, subject: int, earlier: int, *, same: bool, of: str = "target"
) -> dict[str, Any]:
    answer = appliance.operator.put(f"/{of}s/{subject}/matches/{earlier}", {"same": same})
    assert answer.status_code == 200, answer.text
    return answer.json()


def undo(appliance: Appliance, subject: int, earlier: int, of: str = "target") -> None:
    answer = appliance.operator.delete(f"/{of}s/{subject}/matches/{earlier}")
    assert answer.status_code == 204, answer.text


def places(run: int) -> tuple[int, int | None, int | None]:
    """Return host, target and array of a run's participant."""
    with reading() as session:
        part = session.scalars(select(Participant).where(Participant.run_id == run)).one()
        return part.host_id, part.target_id, part.array_id


def runs(appliance: Appliance, **query: int) -> list[int]:
    return [one["id"] for one in appliance.viewer.get("/runs", **query).json()["items"]]


@pytest.mark.parametrize(
    ("was", "values", "reasons"),
    [
        ({}, {}, ["file_system_uuid", "machine_and_path"]),
        ({}, {"machine_id": "other"}, ["file_system_uuid"]),
        ({}, {"fs_uuid": "u-2"}, ["machine_and_path"]),
        ({"facts": FOUND | {"disks": DISKS}}, {"fs_uuid": "u-2", "path": "/b"}, []),
        (
            {"facts": FOUND | {"disks": DISKS}},
            {"fs_uuid": "u-2", "path": "/b", "facts": FOUND | {"disks": DISKS}},
            ["device_id"],
        ),
        # one disk of several has no known id
        (
            {"facts": FOUND | {"disks": [*DISKS, UNKNOWN_DISK]}},
            {"fs_uuid": "u-2", "path": "/b", "facts": FOUND | {"disks": [*DISKS, UNKNOWN_DISK]}},
            [],
        ),
        ({"fs_uuid": None}, {"fs_uuid": None, "path": "/b"}, []),
        ({"machine_id": None}, {"machine_id": None, "fs_uuid": "u-2"}, []),
    ],
)
def test_a_target_is_matched_by_file_system_devices_or_machine_and_path(
    appliance: Appliance, was: dict[str, Any], values: dict[str, Any], reasons: list[str]
) -> None:
    earlier, _ = measured(**was)
    deleted(earlier)
    target = again(**values)
    assert matches(appliance) == ([(target, earlier, reasons)] if reasons else [])


def test_a_registered_target_is_never_the_earlier_one(appliance: Appliance) -> None:
    measured()
    again()
    assert matches(appliance) == []


def test_a_target_registered_beside_the_deleted_one_is_another(appliance: Appliance) -> None:
    earlier, _ = measured()
    again()
    deleted(earlier)
    assert matches(appliance) == []


def test_a_target_that_was_registered_again_at_its_path_may_be_another_one_as_well(
    appliance: Appliance,
) -> None:
    host = appliance.host()
    target = appliance.target(host)
    with writing() as session:
        session.get_one(Host, host).machine_id = MACHINE
        session.get_one(Target, target).retired_at = now()
    earlier, _ = measured(fs_uuid=FOUND["uuid"])
    deleted(earlier)
    assert matches(appliance) == []
    assert appliance.target(host) != 0
    assert [pair[1] for pair in matches(appliance)] == [earlier]


def test_a_deleted_target_without_runs_is_not_proposed(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again()
    with writing() as session:
        for part in session.scalars(select(Participant).where(Participant.run_id == run)):
            part.target_id = None
    assert matches(appliance, host_id=1) == []
    assert decide(appliance, target, earlier, same=True)["runs"] == 0


def test_the_target_at_the_same_path_is_proposed_before_others(appliance: Appliance) -> None:
    earlier, _ = measured()
    deleted(earlier)
    target = again()
    with writing() as session:
        other = session.get_one(Target, target)
        session.add(
            Target(
                host_id=other.host_id,
                name="b",
                path="/mnt/b",
                fs_type="ext4",
                fs_source="/dev/vda",
                fs_uuid="u-1",
                facts=FOUND,
            )
        )
    assert [pair[:2] for pair in matches(appliance)] == [(target, earlier)]


def test_matches_are_listed_by_host_and_by_array(appliance: Appliance) -> None:
    earlier, _ = measured()
    deleted(earlier)
    target = again()
    with reading() as session:
        host = session.get_one(Target, target).host_id
        array = session.get_one(Target, earlier).array_id
    assert array is not None
    assert [pair[0] for pair in matches(appliance, host_id=host)] == [target]
    assert matches(appliance, host_id=1) == []
    # its own array if it has one, otherwise that which it takes over
    assert [pair[0] for pair in matches(appliance, array_id=array)] == [target]
    made = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    appliance.operator.patch(f"/targets/{target}", {"array_id": made})
    assert matches(appliance, array_id=array) == []
    assert [pair[0] for pair in matches(appliance, array_id=made)] == [target]


def test_a_confirmed_match_keeps_the_history_of_host_target_and_array(
    appliance: Appliance,
) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again()
    with reading() as session:
        array = session.get_one(Target, earlier).array_id
        host = session.get_one(Target, target).host_id
    assert decide(appliance, target, earlier, same=True) == {
        "of": "target",
        "id": target,
        "earlier_id": earlier,
        "same": True,
        "runs": 1,
    }
    assert array is not None
    assert runs(appliance, target_id=target) == [run]
    assert runs(appliance, host_id=host) == [run]
    assert runs(appliance, array_id=array) == [run]
    assert appliance.viewer.get(f"/targets/{target}").json()["array"]["id"] == array
    assert matches(appliance) == []
    again_confirmed = decide(appliance, target, earlier, same=True)
    assert again_confirmed["runs"] == 0
    entry = appliance.audit()[1]
    assert entry["action"] == "target.history_kept"
    assert entry["detail"]["run_ids"] == [run]


def test_on_another_machine_the_host_of_a_run_stays(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again(machine_id="other")
    decide(appliance, target, earlier, same=True)
    assert runs(appliance, target_id=target) == [run]
    assert runs(appliance, host_id=1) == [run]


def test_runs_in_the_memory_of_a_host_move_with_its_targets(appliance: Appliance) -> None:
    earlier, _ = measured()
    _, in_memory = measured()
    with writing() as session:
        part = session.scalars(select(Participant).where(Participant.run_id == in_memory)).one()
        part.host_id, part.target_id = 1, None
    deleted(earlier)
    target = again()
    with reading() as session:
        host = session.get_one(Target, target).host_id
    decide(appliance, target, earlier, same=True)
    assert in_memory in runs(appliance, host_id=host)


def test_runs_of_a_deleted_array_belong_to_that_of_the_target(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    appliance.operator.delete("/arrays/1")
    made = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    target = again(array_id=made)
    assert runs(appliance, array_id=made) == []
    decide(appliance, target, earlier, same=True)
    assert runs(appliance, array_id=made) == [run]


def test_a_run_that_is_read_back_at_the_target_moves_its_read_back(appliance: Appliance) -> None:
    earlier, run = measured()
    with writing() as session:
        session.get_one(Run, run).read_back_target_id = earlier
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=True)
    with reading() as session:
        assert session.get_one(Run, run).read_back_target_id == target


def test_a_declined_match_is_not_proposed_again(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again()
    assert decide(appliance, target, earlier, same=False)["runs"] == 0
    assert matches(appliance) == []
    assert runs(appliance, target_id=target) == []
    assert appliance.audit()[0]["action"] == "target.history_declined"
    assert decide(appliance, target, earlier, same=True)["runs"] == 1
    assert runs(appliance, target_id=target) == [run]


def test_only_a_match_can_be_decided_on(appliance: Appliance) -> None:
    earlier, _ = measured()
    target = again(machine_id="other", fs_uuid="u-2")
    path = f"/targets/{target}/matches/{earlier}"
    problem(appliance.operator.put(path, {"same": True}), 404, "not_found")
    deleted(earlier)
    problem(appliance.operator.put(path, {"same": True}), 404, "not_found")
    problem(
        appliance.operator.put(f"/targets/99/matches/{earlier}", {"same": True}), 404, "not_found"
    )
    problem(appliance.operator.put(path, {"same": "yes"}), 422, "invalid")


def test_an_undone_match_gives_the_runs_back_and_is_proposed_again(appliance: Appliance) -> None:
    earlier, run = measured()
    with writing() as session:
        session.get_one(Run, run).read_back_target_id = earlier
    before = places(run)
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=True)
    assert places(run) != before
    assert decided(appliance) == [("target", target, earlier, True, 1)]
    undo(appliance, target, earlier)
    assert places(run) == before
    assert runs(appliance, target_id=target) == []
    assert appliance.viewer.get(f"/targets/{target}").json()["array"] is None
    with reading() as session:
        assert session.get_one(Run, run).read_back_target_id == earlier
    assert [pair[:2] for pair in matches(appliance)] == [(target, earlier)]
    assert decided(appliance) == []
    entry = appliance.audit()[0]
    assert (entry["action"], entry["detail"]["run_ids"]) == ("target.history_undone", [run])
    path = f"/targets/{target}/matches/{earlier}"
    problem(appliance.operator.delete(path), 404, "not_found")


def test_an_undo_leaves_the_runs_that_were_launched_since(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=True)
    _, since = measured(machine_id=None)
    with writing() as session:
        part = session.scalars(select(Participant).where(Participant.run_id == since)).one()
        part.target_id = target
    undo(appliance, target, earlier)
    assert runs(appliance, target_id=target) == [since]
    assert places(run)[1] == earlier


def test_an_undo_leaves_an_array_that_was_assigned_since(appliance: Appliance) -> None:
    earlier, _ = measured()
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=True)
    made = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    appliance.operator.patch(f"/targets/{target}", {"array_id": made})
    undo(appliance, target, earlier)
    assert appliance.viewer.get(f"/targets/{target}").json()["array"]["id"] == made


def test_runs_that_were_deleted_since_do_not_prevent_an_undo(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=True)
    with writing() as session:
        session.execute(delete(Run).where(Run.id == run))
    undo(appliance, target, earlier)
    assert decided(appliance) == []


def test_runs_that_were_moved_again_are_given_back_in_order(appliance: Appliance) -> None:
    first, run = measured()
    deleted(first)
    second = again()
    decide(appliance, second, first, same=True)
    deleted(second)
    with writing() as session:
        session.get_one(Host, session.get_one(Target, second).host_id).name = "box-between"
    third = again()
    decide(appliance, third, second, same=True)
    answer = appliance.operator.delete(f"/targets/{second}/matches/{first}")
    found = problem(answer, 409, "later_decision")
    assert "belong to the target box-again:/mnt/a" in found["detail"]
    undo(appliance, third, second)
    undo(appliance, second, first)
    assert places(run)[1] == first


def test_a_declined_match_can_be_proposed_again(appliance: Appliance) -> None:
    earlier, _ = measured()
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=False)
    assert decided(appliance) == [("target", target, earlier, False, 0)]
    undo(appliance, target, earlier)
    assert [pair[:2] for pair in matches(appliance)] == [(target, earlier)]
    assert appliance.audit()[0]["action"] == "target.history_asked_again"


def test_a_confirmed_match_cannot_be_declined_without_an_undo(appliance: Appliance) -> None:
    earlier, run = measured()
    deleted(earlier)
    target = again()
    decide(appliance, target, earlier, same=True)
    path = f"/targets/{target}/matches/{earlier}"
    problem(appliance.operator.put(path, {"same": False}), 409, "history_kept")
    assert runs(appliance, target_id=target) == [run]


def test_decisions_are_listed_by_host_and_by_array(appliance: Appliance) -> None:
    earlier, _ = measured()
    deleted(earlier)
    target = again()
    with reading() as session:
        host = session.get_one(Target, target).host_id
        array = session.get_one(Target, earlier).array_id or 0
    decide(appliance, target, earlier, same=True)
    assert len(decided(appliance, host_id=host)) == 1
    assert decided(appliance, host_id=1) == []
    assert len(decided(appliance, array_id=array)) == 1


def test_a_host_whose_history_was_taken_over_is_kept_for_an_undo(appliance: Appliance) -> None:
    earlier, run = measured()
    with reading() as session:
        host = session.get_one(Target, earlier).host_id
    before = places(run)
    with writing() as session:
        deletion.delete(session, session.get_one(Host, host))
    target = again()
    decide(appliance, target, earlier, same=True)
    with writing() as session:
        deletion.complete_deletion(session, session.get_one(Host, host), None)
    undo(appliance, target, earlier)
    assert places(run) == before


def test_a_living_clone_is_named_in_the_proposal(appliance: Appliance) -> None:
    earlier, _ = measured(machine_id="other")
    deleted(earlier)
    again(path="/mnt/b")
    assert [one["clones"] for one in proposed(appliance)] == [[]]
    with writing() as session:
        host = Host(name="twin", connection="ssh", state="ready", machine_id="third")
        session.add(host)
        session.flush()
        session.add(
            Target(
                host_id=host.id,
                name="twin",
                path="/mnt/c",
                fs_type="ext4",
                fs_source="/dev/vda",
                fs_uuid="u-1",
                facts=FOUND,
            )
        )
    assert [one["clones"] for one in proposed(appliance)] == [
        ["twin:/mnt/c"],
        ["box-again:/mnt/b"],
    ]


def test_a_target_that_was_registered_beside_the_deleted_one_is_a_clone(
    appliance: Appliance,
) -> None:
    earlier, _ = measured(machine_id="other", path="/mnt/x")
    beside, _ = measured(machine_id="third", path="/mnt/y")
    deleted(earlier)
    deleted(beside)
    again(path="/mnt/z")
    assert [one["clones"] for one in proposed(appliance)] == [["host-2:/mnt/y"], ["host-1:/mnt/x"]]


def test_directories_of_one_file_system_are_no_clones(appliance: Appliance) -> None:
    earlier, _ = measured(machine_id="other")
    deleted(earlier)
    target = again(path="/mnt/b")
    with writing() as session:
        first = session.get_one(Target, target)
        session.add(
            Target(
                host_id=first.host_id,
                name="c",
                path="/mnt/b/c",
                fs_type="ext4",
                fs_source="/dev/vda",
                fs_uuid="u-1",
                facts=FOUND,
            )
        )
    assert [one["clones"] for one in proposed(appliance)] == [[], []]
