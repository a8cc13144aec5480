"""Hosts and arrays that were registered again keep their runs once that is confirmed."""

from typing import Any

import pytest
from assay.inventory.hosts import deletion
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.runs import Participant
from assay.tables.targets import Target
from sqlalchemy import select
from testing.api import Appliance, problem
from testing.seeds import seed_ended_run

MACHINE = "3d1219c7c4c5404aaa1f6d2a48adfda4"


def measured(*, in_memory: bool = False) -> tuple[int, int]:
    """Add a run of a machine, in a target or in its memory; return the ids of host and run."""
    with writing() as session:
        run = seed_ended_run(session)
        part = session.scalars(select(Participant).where(Participant.run_id == run.id)).one()
        part.labels = {}
        host = session.get_one(Host, part.host_id)
        host.machine_id = MACHINE
        if in_memory:
            target = session.get_one(Target, part.target_id)
            part.target_id = part.array_id = part.array_name = None
            session.flush()
            session.delete(target)
        return host.id, run.id


def deleted(host_id: int) -> None:
    with writing() as session:
        deletion.delete(session, session.get_one(Host, host_id))


def registered(name: str = "box-again", machine_id: str = MACHINE, **values: Any) -> int:
    with writing() as session:
        host = Host(name=name, connection="ssh", state="ready", machine_id=machine_id, **values)
        session.add(host)
        session.flush()
        return host.id


def items(appliance: Appliance, of: str, **query: int) -> list[dict[str, Any]]:
    found = appliance.viewer.get("/matches", **query).json()["items"]
    return [one for one in found if one["of"] == of]


def decide(appliance: Appliance, of: str, subject: int, earlier: int, *, same: bool = True) -> int:
    answer = appliance.operator.put(f"/{of}s/{subject}/matches/{earlier}", {"same": same})
    assert answer.status_code == 200, answer.text
    return answer.json()["runs"]


def undo(appliance: Appliance, of: str, subject: int, earlier: int) -> None:
    answer = appliance.operator.delete(f"/{of}s/{subject}/matches/{earlier}")
    assert answer.status_code == 204, answer.text


def runs(appliance: Appliance, **query: int) -> list[int]:
    return [one["id"] for one in appliance.viewer.get("/runs", **query).json()["items"]]


@pytest.mark.parametrize("in_memory", [False, True])
def test_a_host_that_is_registered_again_keeps_its_runs_without_a_target(
    appliance: Appliance, in_memory: bool
) -> None:
    old, run = measured(in_memory=in_memory)
    deleted(old)
    new = registered()
    (match,) = items(appliance, "host", host_id=new)
    assert (match["id"], match["earlier"]["id"]) == (new, old)
    assert match["reasons"] == ["machine_id"]
    assert match["earlier"]["runs"] == 1
    assert decide(appliance, "host", new, old) == 1
    assert runs(appliance, host_id=new) == [run]
    assert items(appliance, "host") == []
    assert appliance.audit()[0]["action"] == "host.history_kept"
    undo(appliance, "host", new, old)
    assert runs(appliance, host_id=new) == []
    assert len(items(appliance, "host")) == 1
    assert appliance.audit()[0]["action"] == "host.history_undone"


def test_a_host_on_another_machine_or_registered_meanwhile_is_not_proposed(
    appliance: Appliance,
) -> None:
    old, _ = measured()
    registered("beside")
    deleted(old)
    registered("other", machine_id="other")
    assert items(appliance, "host") == []


def test_a_host_with_a_cloned_machine_id_is_proposed_with_a_warning(appliance: Appliance) -> None:
    old, _ = measured()
    deleted(old)
    registered("web-1", boot_id="b-1")
    registered("web-1-by-address", boot_id="b-1")
    assert [one["clones"] for one in items(appliance, "host")] == [[], []]
    registered("clone", boot_id="b-2")
    assert [one["clones"] for one in items(appliance, "host")] == [
        ["clone"],
        ["clone"],
        ["web-1", "web-1-by-address"],
    ]


def test_a_target_of_a_matched_host_keeps_its_history_as_well(appliance: Appliance) -> None:
    old, run = measured()
    with reading() as session:
        earlier = session.scalars(select(Target.id).where(Target.host_id == old)).one()
    deleted(old)
    new = registered()
    decide(appliance, "host", new, old)
    with writing() as session:
        target = Target(
            host_id=new,
            name="again",
            path="/mnt/a",
            fs_type="ext4",
            fs_source="/dev/vda",
            fs_uuid="u-1",
            facts={},
        )
        session.add(target)
        session.flush()
        target_id = target.id
    (match,) = items(appliance, "target", host_id=new)
    assert decide(appliance, "target", target_id, match["earlier"]["id"]) == 1
    assert runs(appliance, target_id=target_id) == [run]
    undo(appliance, "target", target_id, earlier)
    assert runs(appliance, host_id=new) == [run]


def vault(appliance: Appliance, name: str, **fields: Any) -> int:
    answer = appliance.operator.post("/arrays", {"name": name, "serial": "AC-20471", **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def measured_array(appliance: Appliance, **fields: Any) -> tuple[int, int]:
    """Add an array with one run, and delete it; return the ids of both."""
    array = vault(appliance, "vault", **fields)
    _, run = measured()
    with writing() as session:
        part = session.scalars(select(Participant).where(Participant.run_id == run)).one()
        part.array_id, part.array_name = array, "vault"
        session.get_one(Target, part.target_id).array_id = None
    assert appliance.operator.delete(f"/arrays/{array}").status_code == 204
    return array, run


def test_an_array_with_the_same_serial_number_keeps_the_runs(appliance: Appliance) -> None:
    old, run = measured_array(appliance)
    new = vault(appliance, "vault", serial="ac-20471 ")
    assert runs(appliance, array_id=new) == []
    (match,) = items(appliance, "array", array_id=new)
    assert (match["earlier"]["id"], match["earlier"]["name"]) == (old, "vault")
    assert match["reasons"] == ["serial_number"]
    assert decide(appliance, "array", new, old) == 1
    assert runs(appliance, array_id=new) == [run]
    history = appliance.viewer.get(f"/arrays/{new}/history").json()
    assert history["runs"] == 1
    assert items(appliance, "array") == []
    undo(appliance, "array", new, old)
    assert runs(appliance, array_id=new) == []
    assert len(items(appliance, "array", array_id=new)) == 1


def test_a_declined_array_is_not_proposed_again(appliance: Appliance) -> None:
    old, _ = measured_array(appliance)
    new = vault(appliance, "vault")
    assert decide(appliance, "array", new, old, same=False) == 0
    assert items(appliance, "array") == []
    assert appliance.audit()[0]["action"] == "array.history_declined"


@pytest.mark.parametrize(
    ("was", "fields", "is_proposed"),
    [
        ({"vendor": "Acme"}, {"vendor": "ACME"}, True),
        ({"vendor": "Acme"}, {}, True),
        ({"vendor": "Acme"}, {"vendor": "Other"}, False),
        ({}, {"serial": "AC-1"}, False),
        ({"serial": None}, {"serial": None}, False),
    ],
)
def test_arrays_of_different_vendors_or_without_a_serial_number_are_not_the_same(
    appliance: Appliance, was: dict[str, Any], fields: dict[str, Any], is_proposed: bool
) -> None:
    measured_array(appliance, **was)
    vault(appliance, "vault", **fields)
    assert bool(items(appliance, "array")) is is_proposed


def test_two_arrays_with_one_serial_number_are_proposed_with_a_warning(
    appliance: Appliance,
) -> None:
    measured_array(appliance)
    vault(appliance, "vault")
    vault(appliance, "cellar")
    assert [one["clones"] for one in items(appliance, "array")] == [["cellar"], ["vault"]]


def test_an_array_that_was_there_before_the_other_was_deleted_is_another(
    appliance: Appliance,
) -> None:
    beside = vault(appliance, "beside")
    old, _ = measured_array(appliance)
    assert items(appliance, "array") == []
    path = f"/arrays/{beside}/matches/{old}"
    problem(appliance.operator.put(path, {"same": True}), 404, "not_found")


def test_an_array_without_runs_is_forgotten(appliance: Appliance) -> None:
    array = vault(appliance, "vault")
    assert appliance.operator.delete(f"/arrays/{array}").status_code == 204
    vault(appliance, "vault")
    assert items(appliance, "array") == []


def test_an_array_that_was_deleted_twice_gives_all_its_runs_to_the_third(
    appliance: Appliance,
) -> None:
    first, run = measured_array(appliance)
    second = vault(appliance, "vault")
    decide(appliance, "array", second, first)
    assert appliance.operator.delete(f"/arrays/{second}").status_code == 204
    third = vault(appliance, "vault")
    assert [one["earlier"]["id"] for one in items(appliance, "array")] == [second]
    assert decide(appliance, "array", third, second) == 1
    assert runs(appliance, array_id=third) == [run]
    path = f"/arrays/{second}/matches/{first}"
    problem(appliance.operator.delete(path), 409, "later_decision")
