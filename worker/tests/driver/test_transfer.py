"""Transfers between two hosts: how their ends meet, and what remains when one of them fails."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.path.fields import Leg
from assay.tables.database import reading
from assay.tables.runs import Notice
from sqlalchemy import select
from testing import transfers
from testing.assertions import assert_nothing_stays
from testing.exports import assert_exported
from testing.installation import BOTH, Installation, wait_until
from testing.sshd import Sshd
from testing.transfers import MB


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


def test_each_physical_device_has_threads_of_its_own(
    installation: Installation, ends: list[dict[str, int]]
) -> None:
    run_id = transfers.launch(*ends, legs=["disk"], threads_per_device=3)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    found = transfers.path_of(run_id)
    (trial,) = found.legs[0].trials
    assert trial.sender is not None and trial.receiver is not None
    read, written = trial.sender.stage("read"), trial.receiver.stage("write")
    assert read is not None and written is not None
    devices = [max(1, len(one.devices)) for one in found.participants]
    assert [read.threads, written.threads] == [3 * number for number in devices]
    assert trial.wrong_blocks == 0


@BOTH
@pytest.mark.parametrize("listener", ["receiver", "sender"])
def test_all_legs_are_measured_whichever_end_listens(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path, listener: str
) -> None:
    run_id = transfers.launch(*ends, listener=listener)
    installation.drive_to_the_end(run_id, 90)
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
    assert_exported(run_id)
    assert moved["disk"].wrong_blocks == 0
    assert found.same_host
    assert [one.role for one in found.participants] == ["sender", "receiver"]
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_small_files_arrive_beside_large_ones(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    legs: list[Leg] = ["read", "write", "disk"]
    run_id = transfers.launch(*ends, legs=legs, small_files=2500, small_file_bytes=4000)
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None), messages(run_id)
    for leg in transfers.path_of(run_id).legs:
        (trial,) = leg.trials
        assert (trial.status, trial.files, trial.wrong_blocks) == ("complete", 2500, 0)
        assert trial.files_per_s is not None and trial.files_per_s > 0
        assert trial.bytes == 39 * 2**20 + 2500 * 4000
        used = {"read": {"sender"}, "write": {"receiver"}, "disk": {"sender", "receiver"}}[leg.leg]
        for role in ("sender", "receiver"):
            end = trial.sender if role == "sender" else trial.receiver
            calls = end.files.open if end and end.files else None
            assert (calls is not None) == (role in used)
            assert calls is None or calls.count == 2500
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_the_memory_of_two_hosts_needs_no_target(installation: Installation, sshd: Sshd) -> None:
    source, sink = installation.local_host(), installation.ssh_host(sshd)
    run_id = transfers.launch({"host_id": source}, {"host_id": sink}, legs=["memory"])
    installation.drive_to_the_end(run_id, 90)
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


@pytest.fixture
def three(installation: Installation, sshd: Sshd, tmp_path: Path) -> list[dict[str, int]]:
    """Two targets of this machine, and one of a host by SSH."""
    here, there = installation.local_host(), installation.ssh_host(sshd)
    places = ((here, "a"), (here, "b"), (there, "c"))
    return [{"target_id": installation.target(host, tmp_path / name)} for host, name in places]


def assert_nothing_stays_at(tmp_path: Path) -> None:
    for folder in ("a", "b", "c"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


@pytest.mark.parametrize("listener", ["receiver", "sender"])
def test_many_sources_to_one_sink_are_measured_in_all_legs(
    installation: Installation, three: list[dict[str, int]], tmp_path: Path, listener: str
) -> None:
    *sources, sink = three
    (run_id,) = transfers.launch_all(sources, [sink], listener=listener)
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None), messages(run_id)
    found = transfers.path_of(run_id)
    assert [one.role for one in found.participants] == ["sender", "receiver"] * 2
    legs: list[Leg] = ["read", "memory", "write", "disk"]
    assert statuses(run_id) == {leg: ["complete"] for leg in legs}
    for leg in found.legs:
        (trial,) = leg.trials
        assert [one.status for one in trial.pairs] == ["complete"] * 2
        assert trial.bytes == sum(one.bytes for one in trial.pairs) > 0
        if leg.leg != "memory":
            assert {one.bytes for one in trial.pairs} == {39 * 2**20}
        assert sum(one.share or 0.0 for one in trial.pairs) == pytest.approx(1)
        assert trial.wrong_blocks == 0
    moved = next(leg.trials[0] for leg in found.legs if leg.leg == "disk")
    assert [one.link.streams for one in moved.pairs if one.link] == [2, 2]
    assert moved.link and (moved.link.streams, moved.link.rejected) == (4, 0)
    assert_nothing_stays_at(tmp_path)


def test_one_source_to_many_sinks_grows_pair_by_pair(
    installation: Installation, three: list[dict[str, int]], tmp_path: Path
) -> None:
    source, *sinks = three
    run_ids = transfers.launch_all(
        [source], sinks, {"scale_out": True}, legs=["disk"], length=10 * transfers.MB
    )
    assert len(run_ids) == 2
    for run_id in run_ids:
        installation.drive_to_the_end(run_id, 60)
        assert installation.run(run_id).state == "done", messages(run_id)
    alone, both = (transfers.path_of(run_id).legs[0].trials[0] for run_id in run_ids)
    assert (len(alone.pairs), len(both.pairs)) == (0, 2)
    assert both.bytes == 2 * alone.bytes
    assert_nothing_stays_at(tmp_path)


def test_each_pair_has_a_token_of_its_own(
    installation: Installation, three: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens: dict[str, list[str]] = {"sender": [], "receiver": []}
    from assay_worker.probe import Probe

    start = Probe.start

    async def remembered(self: Probe, run_dir: str, plan: str) -> dict[str, Any]:
        head = dict(word.split("=", 1) for word in plan.split() if "=" in word)
        tokens[head["role"]].append(head["token"])
        return await start(self, run_dir, plan)

    monkeypatch.setattr(Probe, "start", remembered)
    *sources, sink = three
    (run_id,) = transfers.launch_all(sources, [sink], legs=["memory"], duration_ms=500)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    assert len(set(tokens["sender"])) == 2
    assert set(tokens["sender"]) == set(tokens["receiver"])


@pytest.mark.parametrize("position", [0, 3])
def test_if_an_end_of_one_pair_dies_all_pairs_repeat_the_trial(
    installation: Installation, three: list[dict[str, int]], tmp_path: Path, position: int
) -> None:
    *sources, sink = three
    (run_id,) = transfers.launch_all(sources, [sink], legs=["memory"], duration_ms=4000)

    def kill() -> bool:
        if installation.sample_count(run_id) < 8:
            return False
        installation.kill_probe(run_id, position=position)
        return True

    installation.drive_until(run_id, kill)
    installation.drive_to_the_end(run_id, 90)
    assert installation.run(run_id).state == "done", messages(run_id)
    ended = [(one.number, one.status) for one in installation.attempts(run_id)]
    assert (1, "interrupted") in ended
    last = max(number for number, _ in ended)
    assert [status for number, status in ended if number == last] == ["complete"] * 4
    assert_nothing_stays_at(tmp_path)


def test_a_canceled_joint_run_leaves_nothing_at_any_end(
    installation: Installation, three: list[dict[str, int]], tmp_path: Path
) -> None:
    *sources, sink = three
    (run_id,) = transfers.launch_all(
        sources, [sink], legs=["disk"], length=10**9, pacing_bytes_per_s=MB
    )
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "cancelled"
    assert_nothing_stays_at(tmp_path)


def test_another_worker_continues_a_joint_run_whose_pairs_are_meeting(
    installation: Installation, three: list[dict[str, int]], tmp_path: Path
) -> None:
    *sources, sink = three
    (run_id,) = transfers.launch_all(sources, [sink], legs=["memory"], duration_ms=2500)
    installation.drive_until(run_id, lambda: installation.participant(run_id, 3).listening)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    assert statuses(run_id) == {"memory": ["complete"]}
    assert_nothing_stays_at(tmp_path)


def test_both_directions_are_measured_at_once_in_all_legs(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    source, sink = ends
    here, there = sorted(os.sched_getaffinity(0))[0], sorted(os.sched_getaffinity(0))[-1]
    cpus = {"source_cpus": str(here), "sink_cpus": str(there)}
    run_id = transfers.launch(source, sink, full_duplex=True, **cpus)
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None), messages(run_id)
    legs: list[Leg] = ["read", "memory", "write", "disk"]
    assert statuses(run_id) == {leg: ["complete"] for leg in legs}
    found = transfers.path_of(run_id)
    assert [one.role for one in found.participants] == ["sender", "receiver"] * 2
    for leg in found.legs:
        (trial,) = leg.trials
        forward, back = trial.pairs
        assert (forward.source, forward.sink) == (back.sink, back.source)
        assert forward.bytes > 0 and back.bytes > 0
        assert trial.bytes == forward.bytes + back.bytes
        # each pair's ends on one place run on that place's CPUs
        for pair, cpu in ((forward, here), (back, there)):
            if pair.sender is not None and leg.leg != "write":
                assert pair.sender.placement is not None
                assert pair.sender.placement.cpus_used == str(cpu)
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_a_cpu_that_a_host_does_not_have_ends_the_run_with_its_name(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    run_id = transfers.launch(*ends, legs=["memory"], sink_cpus="1023")
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert run.state == "failed"
    assert any(
        "cpus=1023: CPU 1023 is offline" in one for one in (run.error or "", *messages(run_id))
    )
    for folder in ("a", "b"):
        assert_nothing_stays(tmp_path, tmp_path / folder)
