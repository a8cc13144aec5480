"""A result has the conditions at the time of measurement."""

from typing import Any

from assay.runs.conditions import conditions
from assay.runs.recording.ingest import ingest
from assay.tables.arrays import Array
from assay.tables.database import now, writing
from assay.tables.hosts import Inventory
from assay.tables.targets import Target
from sqlalchemy import update
from testing.api import FOUND, GB, INVENTORY, Appliance
from testing.seeds import seed_run
from testing.spools import Spool

DISK: dict[str, Any] = {
    "model": "Acme P5",
    "scheduler": "none",
    "write_cache": "write through",
    "read_ahead_bytes": 131072,
}
MEASURED: dict[str, Any] = {
    **INVENTORY,
    "filesystems": [
        {"mount": "/", "type": "ext4", "source": "/dev/sda1", "options": "rw", "device": "sda1"},
        {
            "mount": "/mnt/a",
            "type": "ext4",
            "source": "/dev/nvme0n1p1",
            "options": "rw,noatime",
            "device": "nvme0n1p1",
        },
        {"mount": "/mnt/ab", "type": "xfs", "source": "/dev/sdb", "options": "rw", "device": "sdb"},
    ],
    "devices": [
        {"name": "sda", "scheduler": "bfq"},
        {"name": "nvme0n1", **DISK},
        {"name": "nvme0n11", "scheduler": "kyber"},
    ],
}
"""A host whose target is on a partition of its NVMe disk."""

HELLO: dict[str, Any] = {
    "fs_source": "/dev/nvme0n1p1",
    "device": "nvme0n1p1",
    "alignment_bytes": 512,
}


def measured(cache_bytes: int | None = None) -> int:
    """An ended run on the host of `MEASURED`; its id."""
    with writing() as session:
        run, participant, trials = seed_run(session, cache_bytes=cache_bytes)
        session.get_one(Inventory, participant.inventory_id).body = MEASURED
        spool = Spool().hello(**HELLO).trial(trials[0].position).result(trials[0].position)
        ingest(session, participant.id, 1, 0, spool.end().data)
        run.state, run.started_at, run.ended_at = "done", now(), now()
        return run.id


def target_of(appliance: Appliance, run_id: int) -> dict[str, Any]:
    return appliance.viewer.get(f"/runs/{run_id}").json()["participants"][0]["target"]


def result(appliance: Appliance, run_id: int) -> tuple[Any, Any]:
    """Return the run's conditions and what served it, from the API."""
    cell = appliance.viewer.get(f"/runs/{run_id}/result").json()["cells"][0]
    return appliance.viewer.get(f"/runs/{run_id}").json()["conditions"], cell["served_by"]


def test_the_conditions_are_those_of_the_inventory_at_the_start(
    appliance: Appliance,
) -> None:
    found, _ = result(appliance, measured())
    assert (found["fs_source"], found["fs_options"]) == ("/dev/nvme0n1p1", "rw,noatime")
    assert (found["device"], found["device_model"]) == ("nvme0n1p1", DISK["model"])
    assert {name: found[name] for name in ("scheduler", "write_cache", "read_ahead_bytes")} == {
        name: DISK[name] for name in ("scheduler", "write_cache", "read_ahead_bytes")
    }
    assert found["alignment_bytes"] == 512


def test_only_words_that_may_stand_alone_lose_their_list(appliance: Appliance) -> None:
    del appliance
    with writing() as session:
        run, participant, _ = seed_run(session)
        run.parameters = run.parameters | {"cache": ["page"], "block": [65536]}
        session.refresh(participant, ["host", "target"])
        found = conditions(run, [participant], [MEASURED])
    assert (found["cache"], found["block"]) == ("page", [65536])


def test_a_later_check_of_the_target_changes_no_result(appliance: Appliance) -> None:
    run_id = measured()
    before = result(appliance, run_id)
    remounted = {
        "scheduler": "bfq",
        "options": "ro",
        "write_cache": "write back",
        "alignment_bytes": 4096,
    }
    with writing() as session:
        facts = {**FOUND, **remounted, "read_ahead_bytes": 1, "device": "sda"}
        session.execute(update(Target).values(facts=facts))
    assert result(appliance, run_id) == before


def test_a_target_registered_again_changes_no_result(
    appliance: Appliance,
) -> None:
    run_id = measured()
    before = result(appliance, run_id)
    host_id = appliance.viewer.get(f"/runs/{run_id}").json()["participants"][0]["host"]["id"]
    target_id = target_of(appliance, run_id)["id"]
    assert appliance.operator.delete(f"/targets/{target_id}").status_code == 204
    appliance.target(host_id, type="xfs", source="/dev/sdc", uuid="new", options="rw,nobarrier")
    assert result(appliance, run_id) == before


def test_a_later_change_of_the_array_changes_no_result(appliance: Appliance) -> None:
    run_id = measured(cache_bytes=None)
    before = result(appliance, run_id)
    with writing() as session:
        session.execute(update(Array).values(name="vault", cache_bytes=1000 * GB))
    assert result(appliance, run_id) == before
    with writing() as session:
        session.execute(update(Target).values(array_id=None))
    assert result(appliance, run_id) == before


def test_a_launched_run_keeps_its_array_as_it_was(appliance: Appliance) -> None:
    array = appliance.operator.post("/arrays", {"name": "vault", "cache_bytes": 64 * GB}).json()
    target = appliance.target(appliance.host())
    appliance.operator.patch(f"/targets/{target}", {"array_id": array["id"]})
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    campaign = appliance.operator.post("/campaigns", plan).json()
    appliance.operator.patch(f"/arrays/{array['id']}", {"name": "shelf", "cache_bytes": None})
    run_id = appliance.viewer.get("/runs", campaign_id=campaign["id"]).json()["items"][0]["id"]
    found = appliance.viewer.get(f"/runs/{run_id}").json()["conditions"]
    assert (found["array"], found["array_cache_bytes"]) == ("vault", 64 * GB)


def test_a_queued_run_has_no_conditions(appliance: Appliance) -> None:
    with writing() as session:
        run, participant, _ = seed_run(session)
        session.refresh(participant, ["host", "target"])
        found = conditions(run, [participant], [{}])
    assert (found["path"], found["host"]) == ("/mnt/a", "host-1")
    assert all(found[name] is None for name in ("fs_type", "fs_options", "device", "scheduler"))


def test_the_probe_is_named_with_its_build(appliance: Appliance) -> None:
    with writing() as session:
        run, participant, _ = seed_run(session)
        session.refresh(participant, ["host", "target"])
        participant.hello = {"probe": "0.1.0"}
        found = conditions(run, [participant], [{"probe": "487718da2f9f"}])
    assert found["probe"] == "0.1.0 (487718da2f9f)"
