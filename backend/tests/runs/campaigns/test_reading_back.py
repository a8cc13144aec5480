"""Reading back on another host: which targets may, and what is reserved."""

from typing import Any

import pytest
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.runs import Reservation
from assay.tables.targets import Target
from sqlalchemy import select, update
from testing.api import GB, Appliance, on_sqlite

from .launching import problems

pytestmark = pytest.mark.usefixtures("worker")

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
    (missing,) = problems(appliance, plan)
    assert missing["field"] == "profile.tests.0.read_back"
    assert "no target of another host is named" in missing["message"]
    for reader, said in (
        (999, "there is no such target"),
        (own, "is on 'web-1', which writes the files itself"),
        (other, "that is not one shared file system"),
    ):
        (found,) = problems(appliance, plan | {"read_back_target_id": reader})
        assert (found["field"], found["value"]) == ("read_back_target_id", reader)
        assert said in found["message"]
    with writing() as session:
        session.execute(update(Target).values(fs_uuid="a0e1"))
    assert appliance.operator.post("/campaigns", plan | {"read_back_target_id": other}).is_success
    with writing() as session:
        session.execute(update(Host).values(machine_id="4f3c", boot_id="b001"))
    (found,) = problems(appliance, plan | {"read_back_target_id": other})
    assert "'db-1', which is the same machine as 'web-1'" in found["message"]
    override = {"overrides": {"read_back": "same_host"}, "read_back_target_id": other}
    (found,) = problems(appliance, plan | override)
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
    assert [one["field"] for one in problems(appliance, asked)] == [field]
