"""Faulty senders, dead ends and full sinks: records are counted for what they are, or were."""

import os
import socket
from pathlib import Path

import pytest
import records_wire
import wire
from probe_driver import Probe, moments, of, samples
from records_driver import RecordEnds, last_result, recount
from records_wire import contents, end, frame
from transfer_driver import LOOPBACK, error, links

ENDLESS = {"records": 0, "window_ms": 60_000, "sink": "disk"}
PACED = ENDLESS | {"rate_records_per_s": 20_000, "batch_records": 200}


def receiver_alone(ends: RecordEnds, trial: dict) -> socket.socket:
    """Start the receiver, and meet it as its only sender."""
    target = ends.receiver.target if trial.get("sink") == "disk" else None
    ends.receiver.start(ends.plan(ends.receiver, trial, target))
    port = ends.receiver.wait_for("listening")["port"]
    connection, reply = records_wire.greet(port, ends.token, trial)
    assert reply == wire.ACCEPTED
    ends.receiver.wait_for("ready")
    ends.receiver.release(0, 0)
    return connection


def rows(probe: Probe) -> list[dict]:
    return of(probe.events(), "result")[-1]["detail"]["senders"]


def test_an_independent_sender_agrees_on_every_record(one_sender: RecordEnds) -> None:
    """The content follows its description, and so do the digest and the acknowledgements."""
    data = contents(one_sender.token, 0, list(range(2000)))
    with receiver_alone(one_sender, {"records": 2000, "sink": "disk"}) as sender:
        sender.sendall(
            frame(data[:5000], ends=False) + frame(data[5000:15000]) + frame(data[15000:])
        )
        for count in (1500, 2000):
            told = wire.receive(sender, wire.HEADER)
            assert int.from_bytes(told[:4], "little") == records_wire.ACKNOWLEDGED
            assert int.from_bytes(told[24:32], "little") == count
        sender.sendall(end(data, 2000))
        result = last_result(one_sender.receiver)
    assert result["status"] == "complete"
    assert result["detail"]["senders"][0]["digest"] == f"{wire.crc32c(data):08x}"
    assert recount(one_sender.receiver)["senders"][0]["lost"] == 0


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        ([*range(10), *range(20, 30)], {"intact": 20, "missing": 10}),
        ([*range(10), *range(5, 10)], {"intact": 10, "duplicates": 5}),
        ([*range(5), *range(10, 15), *range(5, 10)], {"intact": 15, "late": 5}),
        ([*range(5, 10)], {"intact": 5, "missing": 5}),
        ([0, 1, 900_000, 900_001, 2], {"intact": 5, "missing": 899_997, "late": 1}),
    ],
    ids=["gap", "twice", "late", "first-ones", "far-ahead"],
)
def test_missing_repeated_and_late_records_fail_the_trial(
    one_sender: RecordEnds, numbers: list[int], counts: dict
) -> None:
    data = contents(one_sender.token, 0, numbers)
    due = max(numbers) + 1
    with receiver_alone(one_sender, {"records": max(due, len(numbers)), "sink": "disk"}) as sender:
        sender.sendall(frame(data) + end(data, due))
        result = last_result(one_sender.receiver)
    row = result["detail"]["senders"][0]
    names = ("intact", "wrong", "duplicates", "missing", "late")
    found = {name: row[name] for name in names if row[name]}
    assert found == counts
    clean = counts == {"intact": due, "late": 5}  # nothing is lost, but the sequence is another
    assert clean or result["reason"] == "digest_mismatch"
    again = recount(one_sender.receiver)["senders"][0]
    assert (again["intact"], again["missing"]) == (row["intact"], row["missing"])


def test_wrong_records_are_counted_and_fail_the_trial(one_sender: RecordEnds) -> None:
    data = bytearray(contents(one_sender.token, 0, list(range(100))))
    whole = bytes(data)
    data[10 * 17 + 4] ^= 0x01  # a digit: the number of some other record, far away
    data[10 * 44] ^= 0x01  # the sender
    data[10 * 99 + 9] = ord("x")  # the newline
    with receiver_alone(one_sender, {"records": 100}) as sender:
        sender.sendall(frame(bytes(data)) + end(whole, 100))
        result = last_result(one_sender.receiver)
    assert (result["status"], result["reason"]) == ("failed", "digest_mismatch")
    row = result["detail"]["senders"][0]
    assert (row["intact"], row["wrong"], row["missing"]) == (97, 3, 3)
    assert "receiver's records differ" in error(one_sender.receiver)["message"]


def test_records_of_another_attempt_are_wrong(one_sender: RecordEnds) -> None:
    """A stale record is intact by itself, but not one of this attempt."""
    data = contents(one_sender.token, 0, list(range(50)), attempt=2)
    with receiver_alone(one_sender, {"records": 50}) as sender:
        sender.sendall(frame(data) + end(data, 50))
        last_result(one_sender.receiver)
    assert rows(one_sender.receiver)[0]["intact"] == 0


def test_a_sequence_that_ends_early_is_short_of_records(one_sender: RecordEnds) -> None:
    data = contents(one_sender.token, 0, list(range(80)))
    with receiver_alone(one_sender, {"records": 100}) as sender:
        sender.sendall(frame(data) + end(data, 100))
        result = last_result(one_sender.receiver)
    assert result["reason"] == "digest_mismatch"
    assert rows(one_sender.receiver)[0]["missing"] == 20


@pytest.mark.parametrize(
    "said",
    [
        frame(bytes(100), count=11),
        frame(bytes(100), count=0),
        frame(b""),
        frame(bytes(105), count=10),
        frame(bytes(1010)),
        wire.header(records_wire.RECORDS_FRAME, 0, 1, 1 << 40, (1 << 36, 0)),
        wire.header(wire.BLOCK, 0, 0, 100) + bytes(100),
    ],
    ids=["count", "none", "empty", "length", "too-many", "huge", "block"],
)
def test_frames_outside_the_trial_are_not_read(one_sender: RecordEnds, said: bytes) -> None:
    with receiver_alone(one_sender, {"records": 100}) as sender:
        sender.sendall(said)
        result = last_result(one_sender.receiver)
    assert (result["reason"], result["ops"]) == ("peer_differs", 0)


def test_a_sender_that_is_met_twice_is_refused(three_senders: RecordEnds) -> None:
    ends = three_senders
    ends.receiver.start(ends.plan(ends.receiver, {"connect_timeout_ms": 500}))
    port = ends.receiver.wait_for("listening")["port"]
    trial = {"senders": 3}
    first, accepted = records_wire.greet(port, ends.token, trial, sender=1)
    with first:
        for sender in (1, 3):  # there already, and beyond the last one
            other, reply = records_wire.greet(port, ends.token, trial, sender=sender)
            other.close()
            assert (accepted, reply) == (wire.ACCEPTED, 2)
        assert last_result(ends.receiver)["reason"] == "connect_failed"


@pytest.mark.parametrize("own", [{"record_bytes": 11}, {"acknowledge": "none"}, {"senders": 2}])
def test_ends_with_different_trials_do_not_begin(one_sender: RecordEnds, own: dict) -> None:
    ends, trial = one_sender, {"connect_timeout_ms": 700}
    ends.receiver.start(ends.plan(ends.receiver, trial))
    ends.senders[0].start(ends.plan(ends.senders[0], trial | own))
    ends.meet()
    (sent,), received = ends.results()
    assert (sent["reason"], received["reason"]) == ("peer_differs", "peer_differs")
    assert next(iter(own)) in error(ends.receiver)["message"]


def wait_for_records(ends: RecordEnds) -> None:
    """Wait until records of each sender have arrived, and more than 20 kB were written."""
    for _ in moments():
        events = ends.receiver.events()
        streams = links(ends.receiver)[-1]["streams"] if of(events, "link") else []
        written = sum(sample["bytes"] for sample in samples(events))
        if written > 20_000 and all(row["bytes_received"] > 10_000 for row in streams):
            return
    raise AssertionError("no records came")


def kill_and_count(ends: RecordEnds, trial: dict, spoil: int = 0) -> tuple[list[int], dict]:
    """Kill the receiver, start it again; return what was acknowledged to senders, and the count.

    `spoil` bytes at the end of the file are lost in between.
    """
    ends.begin(trial)
    wait_for_records(ends)
    ends.receiver.kill()
    sent = [last_result(sender) for sender in ends.senders]
    assert {result["reason"] for result in sent} == {"peer_ended"}
    (left,) = ends.receiver.target.glob(".assay-*/file0-1")
    os.truncate(left, left.stat().st_size - spoil)
    ends.receiver.start(ends.plan(ends.receiver, trial | {"attempt": 2}, ends.receiver.target))
    found = ends.receiver.wait_for("recount")
    assert ends.receiver.problems() == []
    assert not left.exists()
    ends.receiver.stop()
    return [result["detail"]["senders"][0]["acknowledged"] for result in sent], found


def lost(row: dict, acknowledged: int) -> int:
    """Return how many of the acknowledged records are not in the file, as the contract says."""
    if acknowledged >= row["end"]:
        return row["missing"] + acknowledged - row["end"]
    return sum(max(0, min(until, acknowledged) - first) for first, until in row["gaps"])


@pytest.mark.parametrize("form", ["raw", "json"])
def test_a_killed_receiver_has_every_record_that_it_acknowledged_as_written(
    three_senders: RecordEnds, form: str
) -> None:
    acknowledged, found = kill_and_count(three_senders, PACED | {"format": form})
    assert (found["left"], found["whole"], found["attempt"], found["wrong"]) == (True, True, 1, 0)
    assert all(count > 0 for count in acknowledged)
    for row, count in zip(found["senders"], acknowledged, strict=True):
        assert lost(row, count) == 0


def test_records_that_are_gone_after_a_kill_are_counted_as_lost(one_sender: RecordEnds) -> None:
    """The last 3,005 bytes are lost: 300 records, and the half of another."""
    (acknowledged,), found = kill_and_count(one_sender, PACED, spoil=3005)
    (row,) = found["senders"]
    assert found["torn"] == 1
    assert row["end"] == row["intact"] < acknowledged
    assert lost(row, acknowledged) == acknowledged - row["intact"]


def test_when_a_sender_dies_all_ends_end_and_its_records_are_found(
    three_senders: RecordEnds,
) -> None:
    ends = three_senders
    ends.begin(PACED)
    wait_for_records(ends)
    ends.senders[1].kill()
    received = last_result(ends.receiver)
    assert (received["status"], received["reason"]) == ("failed", "peer_ended")
    for sender in (ends.senders[0], ends.senders[2]):
        assert last_result(sender)["reason"] == "peer_ended"
    found = recount(ends.receiver)
    assert [row["lost"] for row in found["senders"]] == [0, 0, 0]
    assert all(row["expected"] > 0 for row in found["senders"])
    assert ends.receiver.leftovers() == []


def test_a_record_that_the_disk_alters_is_found_by_the_second_count(
    one_sender: RecordEnds,
) -> None:
    """The receiver has checked the record before it wrote it, so the trial itself is complete."""
    trial = {"sink": "disk", "records": 4000, "rate_records_per_s": 5000, "batch_records": 100}
    one_sender.begin(trial)
    wait_for_records(one_sender)
    (file,) = one_sender.receiver.target.glob(".assay-*/file0-1")
    with file.open("r+b") as opened:
        opened.seek(10 * 50 + 9)
        opened.write(b"?")
    _, received = one_sender.results()
    assert received["status"] == "complete"
    found = recount(one_sender.receiver)
    (row,) = found["senders"]
    assert (found["wrong"], row["intact"], row["lost"], row["gaps"]) == (1, 3999, 1, [[50, 51]])


def test_a_stop_ends_all_ends_and_removes_the_file(three_senders: RecordEnds) -> None:
    ends = three_senders
    ends.begin(PACED)
    ends.receiver.wait_for("sample", count=2)
    assert ends.receiver.stop() == "stopped"
    assert last_result(ends.receiver)["status"] == "stopped"
    assert [last_result(sender)["reason"] for sender in ends.senders] == ["peer_ended"] * 3
    assert ends.receiver.leftovers() == []


@pytest.mark.parametrize(
    ("call", "fault", "reason"),
    [("pwrite64", "ENOSPC", "no_space"), ("fdatasync", "EIO", "io")],
)
def test_a_sink_that_fails_ends_the_trial_with_its_reason(
    shipped_sender: RecordEnds, strace: str, call: str, fault: str, reason: str
) -> None:
    ends = shipped_sender
    faults = (strace, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}")
    faults += ("-e", f"inject={call}:error={fault}:when=3")
    trial = {"sink": "disk", "acknowledge": "synced", "records": 20_000}
    ends.senders[0].start(ends.plan(ends.senders[0], trial))
    plan = ends.plan(ends.receiver, trial, ends.receiver.target)
    ends.receiver.start_traced(plan, prefix=faults)
    ends.meet()
    ends.release()
    (sent,), received = ends.results()
    assert (received["reason"], sent["reason"]) == (reason, "peer_ended")
    acknowledged = sent["detail"]["senders"][0]["acknowledged"]
    assert acknowledged == 2000  # two batches were written and synced
    (row,) = recount(ends.receiver)["senders"]
    assert row["intact"] >= acknowledged and row["lost"] == 0
    assert ends.receiver.leftovers() == []


def test_the_second_count_ends_at_its_limit(one_sender: RecordEnds) -> None:
    trial = {"sink": "disk", "recount_ms": 1, "records": 40, "record_bytes": 1 << 20}
    one_sender.run(trial)
    found = recount(one_sender.receiver)
    assert (found["whole"], found["senders"][0]["lost"]) == (False, None)
    assert "recount_ms" in found["error"]


def test_no_second_count_is_made_if_it_is_not_wanted(one_sender: RecordEnds) -> None:
    one_sender.run({"sink": "disk", "recount_ms": 0})
    assert of(one_sender.receiver.events(), "recount") == []


def test_both_ends_time_out_at_their_limit(one_sender: RecordEnds) -> None:
    (sent,), received = one_sender.run(PACED | {"sink": "memory", "timeout_ms": 400})
    assert (sent["status"], received["status"]) == ("timed_out", "timed_out")


def test_the_token_is_nowhere_on_the_host(one_sender: RecordEnds) -> None:
    one_sender.run({"sink": "disk"})
    for probe in one_sender:
        for path in probe.home.rglob("*"):
            assert not path.is_file() or one_sender.token.encode() not in Path(path).read_bytes()
    assert LOOPBACK in str(rows(one_sender.receiver))


def test_a_write_that_hangs_is_abandoned_and_named(shipped_sender: RecordEnds, strace: str) -> None:
    ends = shipped_sender
    faults = (strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64")
    faults += ("-e", "inject=pwrite64:delay_enter=9000000:when=3")
    trial = PACED | {"timeout_ms": 700}
    ends.senders[0].start(ends.plan(ends.senders[0], trial))
    plan = ends.plan(ends.receiver, trial, ends.receiver.target, hang_ms=2500)
    ends.receiver.start_traced(plan, prefix=faults)
    ends.meet()
    ends.release()
    assert last_result(ends.receiver)["ops"] == 400  # two batches were written
    hung = error(ends.receiver)
    assert (hung["code"], hung["message"].split()[0]) == ("hung", "pwrite")
    assert last_result(ends.senders[0])["status"] in ("timed_out", "failed")


def test_an_unwatched_receiver_ends_and_removes_its_file(one_sender: RecordEnds) -> None:
    ends = one_sender
    ends.senders[0].start(ends.plan(ends.senders[0], PACED))
    ends.receiver.start(ends.plan(ends.receiver, PACED, ends.receiver.target, watch_ms=3000))
    ends.meet()
    ends.release()
    assert ends.receiver.wait_for("end")["status"] == "deadline"
    assert of(ends.receiver.events(), "recount") == []  # its files go at once
    assert last_result(ends.senders[0])["reason"] == "peer_ended"
    assert ends.receiver.leftovers() == []


def test_a_sink_below_its_reserve_is_refused_before_the_ends_meet(one_sender: RecordEnds) -> None:
    ends = one_sender
    plan = ends.plan(ends.receiver, PACED, ends.receiver.target)
    ends.receiver.start(plan.replace("reserve_bytes=0", f"reserve_bytes={1 << 60}"))
    assert last_result(ends.receiver)["reason"] == "no_space"
    assert of(ends.receiver.events(), "listening") == []
