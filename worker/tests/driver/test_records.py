"""Records of two hosts to one receiver: every one counted, also after the receiver was killed."""

from pathlib import Path

import pytest
from assay.tables.database import reading
from assay.tables.runs import Notice
from sqlalchemy import select
from testing import records
from testing.assertions import assert_nothing_stays
from testing.exports import assert_exported
from testing.installation import BOTH, Installation
from testing.sshd import Sshd


@pytest.fixture
def hosts(installation: Installation, sshd: Sshd) -> list[int]:
    """This machine, and a host by SSH."""
    return [installation.local_host(), installation.ssh_host(sshd)]


def messages(run_id: int) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Notice.message).where(Notice.run_id == run_id)))


@BOTH
def test_two_senders_fill_one_file_and_every_record_is_counted(
    installation: Installation, hosts: list[int], tmp_path: Path
) -> None:
    sink = {"target_id": installation.target(hosts[0], tmp_path / "log")}
    run_id = records.launch(hosts, sink)
    installation.drive_to_the_end(run_id, 90)
    assert (installation.run(run_id).state, messages(run_id)) == ("done", [])
    found = records.records_of(run_id)
    assert [one.role for one in found.participants] == ["sender", "sender", "receiver"]
    (trial,) = found.trials
    assert trial.status == "complete", trial.reason
    counts = trial.counts
    assert counts is not None and counts.is_whole, counts
    assert counts.sent > 0
    assert counts.sent == counts.intact == counts.stored == counts.acknowledged
    assert [one.digest_agrees for one in trial.senders] == [True, True]
    assert trial.records_per_s is not None
    assert trial.bytes_per_s == pytest.approx(trial.records_per_s * 1024)
    assert sum(one.share or 0 for one in trial.senders) == pytest.approx(1)
    assert trial.expansion == 1
    assert trial.memory is not None
    assert_exported(run_id)
    assert_nothing_stays(tmp_path, tmp_path / "log")


def test_paced_records_as_json_to_memory_have_latencies_and_an_expansion(
    installation: Installation, hosts: list[int]
) -> None:
    test = {"rate_records_per_s": 2000, "batch_records": 100, "record_bytes": [100]}
    run_id = records.launch(hosts, {"host_id": hosts[1]}, format="json", **test)
    installation.drive_to_the_end(run_id, 90)
    assert (installation.run(run_id).state, messages(run_id)) == ("done", [])
    trial = records.only_trial(run_id)
    assert trial.records_per_s == pytest.approx(4000, rel=0.2)
    assert trial.latency and trial.latency[-1].share == 1
    # {"sender":0,"record":"…"} and a newline instead of the record's own
    assert trial.expansion == pytest.approx(124 / 100)
    assert trial.counts is not None and trial.counts.lost == 0


def test_what_a_killed_receiver_had_acknowledged_is_counted_in_its_file(
    installation: Installation, hosts: list[int], tmp_path: Path
) -> None:
    sink = {"target_id": installation.target(hosts[0], tmp_path / "log")}
    run_id = records.launch(hosts, sink, window_ms=4000)

    def kill() -> bool:
        if installation.sample_count(run_id) < 6:
            return False
        installation.kill_probe(run_id, position=2)
        return True

    installation.drive_until(run_id, kill)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    trial = records.only_trial(run_id)
    assert trial.status == "complete"
    (left,) = trial.left
    assert left.attempt == 1
    # what was written is in the page cache, which outlives a process
    assert left.acknowledged is not None and left.intact >= left.acknowledged > 0
    assert (left.lost, left.wrong) == (0, 0)
    assert_nothing_stays(tmp_path, tmp_path / "log")


@pytest.mark.parametrize("position", [0, 1])
def test_if_a_sender_dies_all_end_and_repeat_the_trial(
    installation: Installation, hosts: list[int], tmp_path: Path, position: int
) -> None:
    sink = {"target_id": installation.target(hosts[0], tmp_path / "log")}
    run_id = records.launch(hosts, sink, window_ms=4000)

    def kill() -> bool:
        if installation.sample_count(run_id) < 6:
            return False
        installation.kill_probe(run_id, position=position)
        return True

    installation.drive_until(run_id, kill)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    ended = {(one.number, one.status) for one in installation.attempts(run_id)}
    assert (1, "interrupted") in ended
    counts = records.only_trial(run_id).counts
    assert counts is not None and counts.is_whole
    assert_nothing_stays(tmp_path, tmp_path / "log")


def test_canceled_records_leave_no_file_and_no_process(
    installation: Installation, hosts: list[int], tmp_path: Path
) -> None:
    sink = {"target_id": installation.target(hosts[0], tmp_path / "log")}
    run_id = records.launch(hosts, sink, window_ms=20_000)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id, 40)
    assert installation.run(run_id).state == "cancelled"
    assert_nothing_stays(tmp_path, tmp_path / "log")


def test_another_worker_continues_while_senders_meet_and_send(
    installation: Installation, hosts: list[int], tmp_path: Path
) -> None:
    sink = {"target_id": installation.target(hosts[0], tmp_path / "log")}
    run_id = records.launch(hosts, sink, window_ms=2500)
    installation.drive_until(run_id, lambda: bool(installation.participant(run_id, 2).listening))
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    counts = records.only_trial(run_id).counts
    assert counts is not None and counts.is_whole
