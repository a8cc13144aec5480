"""Two hosts of the lab that mount one file system: one writes, and the other reads back."""

from collections.abc import Callable
from typing import Any

import pytest
from assay.kinds.sustained.read_back import ReadBackFigures
from assay.kinds.sustained.result import SustainedResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from assay_worker.driver import read_back
from lab import GIB, Disk, Host, Lab
from testing.api import Appliance
from testing.installation import MB, Installation, wait_until

WRITE: dict[str, Any] = {
    "kind": "sustained",
    "operation": "write",
    "title": "Shared",
    "length": 64 * MB,
    "cache": "page",
    "file_mode": "sequence",
    "file_size": 8 * MB,
    "block": [800_000],
    "mark_bytes": 8 * MB,
    "read_back": "other_host",
}


def launched(api: Appliance, target: int, reader: int) -> int:
    profile = api.operator.post("/profiles", {"name": "Shared", "body": {"tests": [WRITE]}})
    assert profile.status_code == 201, profile.text
    asked = {"profile_id": profile.json()["id"], "target_ids": [target]}
    answer = api.operator.post("/campaigns", asked | {"read_back_target_id": reader})
    assert answer.status_code == 201, answer.text
    return answer.json()["runs"][0]["id"]


def figures(run_id: int) -> ReadBackFigures:
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    verified = found.cells[0].trials[0].read_back
    assert verified is not None
    return verified


@pytest.mark.parametrize("dies", [False, True], ids=["reads", "is down"])
def test_the_second_host_of_a_shared_file_system(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
    monkeypatch: pytest.MonkeyPatch,
    dies: bool,
) -> None:
    monkeypatch.setattr(read_back, "GIVE_UP_S", 2.0)
    monkeypatch.setattr(read_back, "RETRY_S", 0.5)
    disk = lab.disk("shared", 1 * GIB)
    writer, reader = lab.host("writer", disk), lab.host("reader", disk)
    run_id = launched(api, target_on(writer, disk), target_on(reader, disk))
    if dies:
        reader.down()
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", installation.run(run_id).error
    found = figures(run_id)
    assert found.elsewhere
    if dies:
        assert (found.whole, found.bytes) == (False, 0)
        assert found.error
    else:
        assert (found.whole, found.error, found.errors) == (True, None, 0)
        assert found.bytes == 64 * MB
        assert found.cached_share == 0
    wait_until(lambda: not writer.processes("assay-probe"), 5, "the writer's probe ends")
    assert dies or not reader.processes("assay-probe")
    left = writer.run_as_root("find", writer.target(disk), "-name", ".assay-*")
    assert left.strip() == ""
