"""Transfers between two hosts: how their ends meet, and what remains when one of them fails."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from assay.db.database import reading
from assay.kinds.path.fields import Leg
from assay.runs.models import Notice
from sqlalchemy import select
from testing import transfers
from testing.assertions import assert_nothing_stays
from testing.installation import BOTH, Installation, drive, wait_until
from testing.sshd import Sshd


@pytest.fixture
def ends(installation: Installation, sshd: Sshd, tmp_path: Path) -> list[dict[str, int]]:
    """A target of this machine, and one of a host by SSH."""
    return [
        {"target_id": installation.target(installation.local_host(), tmp_path / "a")},
        {"target_id": installation.target(installation.ssh_host(sshd), tmp_path / "b")},
    ]


def statuses(run_id: int) -> Mapping[Leg, list[str]]:
    return {leg.leg: [one.status for one in leg.trials] for leg in transfers.path_of(run_id).legs}


def messages(run_id: int) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Notice.message).where(Notice.run_id == run_id)))


@BOTH
@pytest.mark.parametrize("listener", ["receiver", "sender"])
def test_all_legs_are_measured_whichever_end_listens(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path, listener: str
) -> None:
    run_id = transfers.launch(*ends, listener=listener)
    drive(run_id)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None), messages(run_id)
    legs: list[Leg] = ["read", "memory", "write", "disk"]
    assert statuses(run_id) == {leg: ["complete"] for leg in legs}
    found = transfers.path_of(run_id)
    moved = {leg.leg: leg.trials[0] for leg in found.legs}
    # whole blocks of the length
    assert {moved[leg].bytes for leg in ("read", "write", "disk")} == {39 * 2**20}
    assert moved["memory"].bytes > 0
    link = moved["disk"].link
    assert link is not None and link.streams == 2 and link.rejected == 0
    assert moved["disk"].wrong_blocks == 0
    assert found.same_host
    assert [one.role for one in found.participants] == ["sender", "receiver"]
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_the_memory_of_two_hosts_needs_no_target(installation: Installation, sshd: Sshd) -> None:
    source, sink = installation.local_host(), installation.ssh_host(sshd)
    run_id = transfers.launch({"host_id": source}, {"host_id": sink}, legs=["memory"])
    drive(run_id)
    assert installation.run(run_id).state == "done", messages(run_id)
    (leg,) = transfers.path_of(run_id).legs
    assert leg.bytes_per_s is not None and leg.bytes_per_s.mean > 10**7


def test_another_worker_continues_while_the_ends_meet_and_measure(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    run_id = transfers.launch(*ends, legs=["memory", "disk"], duration_ms=2500, repeats=2)
    installation.drive_until(run_id, lambda: installation.participant(run_id, 1).listening)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    assert {one for each in statuses(run_id).values() for one in each} == {"complete"}
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


@pytest.mark.parametrize("position", [0, 1])
def test_if_one_end_dies_the_other_ends_and_both_repeat_the_trial(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path, position: int
) -> None:
    run_id = transfers.launch(*ends, legs=["memory"], duration_ms=4000)

    def kill() -> bool:
        if installation.sample_count(run_id) < 4:
            return False
        installation.kill_probe(run_id, position=position)
        return True

    installation.drive_until(run_id, kill)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    ended = {(one.number, one.status) for one in installation.attempts(run_id)}
    assert (1, "interrupted") in ended
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_a_canceled_transfer_leaves_nothing_at_either_end(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    run_id = transfers.launch(*ends, legs=["memory"], duration_ms=60_000)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id, 40)
    assert installation.run(run_id).state == "cancelled"
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_the_token_is_in_no_event_and_no_file_of_the_hosts(
    installation: Installation, ends: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[str] = []
    from assay_worker.probe import Probe

    start = Probe.start

    async def remembered(self: Probe, run_dir: str, plan: str) -> dict[str, Any]:
        plans.append(plan)
        return await start(self, run_dir, plan)

    monkeypatch.setattr(Probe, "start", remembered)
    run_id = transfers.launch(*ends, legs=["memory"], duration_ms=2000)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    tokens = {word for plan in plans for word in plan.split() if word.startswith("token=")}
    assert len(tokens) == 1, "both ends have the same token"
    (token,) = (word.removeprefix("token=").encode() for word in tokens)
    for position in (0, 1):
        folder = Path(installation.participant(run_id, position).run_dir or "")
        files = [one for one in folder.rglob("*") if one.is_file()]
        assert files
        assert all(token not in one.read_bytes() for one in files)
    installation.drive_to_the_end(run_id, 40)
    assert wait_until(lambda: installation.run(run_id).state == "done")
