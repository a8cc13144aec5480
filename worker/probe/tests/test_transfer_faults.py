"""What disturbs a transfer ends it with its reason at both ends, and leaves nothing behind."""

import os
import socket
import time

import pytest
import wire
from probe_driver import Probe, of
from transfer_driver import LOOPBACK, TRIAL, Ends, error, wait_for_window_probes

ENDLESS = {"length_bytes": 0, "duration_ms": 60_000}
SHORT = {"connect_timeout_ms": 700}


def rejected(result: dict) -> dict[str, int]:
    connections = result["detail"]["connections"]
    return {name: count for name, count in connections.items() if name != "accepted" and count}


def test_strangers_are_rejected_and_counted_and_delay_nobody(ends: Ends) -> None:
    ends.start({"streams": 2}, targets=False)
    port = ends.receiver.wait_for("listening")["port"]
    silent = socket.create_connection((LOOPBACK, port))
    for words in (b"GET / HTTP/1.0\r\n\r\n" + bytes(200), b"assay-p2" + bytes(200)):
        with socket.create_connection((LOOPBACK, port), timeout=20) as stranger:
            wire.receive(stranger, wire.CHALLENGE)
            stranger.sendall(words)
            with pytest.raises((ConnectionError, OSError)):
                wire.receive(stranger, wire.REPLY)
    ends.connect(ends.sender, 0, port)
    ends.receiver.wait_for("ready")
    late = socket.create_connection((LOOPBACK, port))
    ends.release()
    sender, receiver = ends.results()
    silent.close()
    late.close()
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    assert rejected(receiver) == {
        "rejected_malformed": 1,
        "rejected_token": 1,
        "rejected_surplus": 1,
    }
    assert receiver["detail"]["connections"]["accepted"] == 2
    assert rejected(sender) == {}


def test_a_silent_stranger_is_rejected_at_its_deadline(ends: Ends) -> None:
    ends.start({}, targets=False)
    port = ends.receiver.wait_for("listening")["port"]
    with socket.create_connection((LOOPBACK, port), timeout=20) as silent:
        wire.receive(silent, wire.CHALLENGE)
        assert silent.recv(1) == b""  # closed by the probe
    ends.connect(ends.sender, 0, port)
    ends.release()
    _, receiver = ends.results()
    assert rejected(receiver) == {"rejected_deadline": 1}


def test_an_altered_claim_is_rejected_wherever_it_was_altered(ends: Ends) -> None:
    ends.start({}, targets=False)
    port = ends.receiver.wait_for("listening")["port"]
    for place in range(0, wire.CLAIM, 5):
        with socket.create_connection((LOOPBACK, port), timeout=20) as stranger:
            challenge = wire.receive(stranger, wire.CHALLENGE)
            said = bytearray(wire.claim(ends.token, challenge, 0, wire.terms(TRIAL)))
            said[place] ^= 0x40
            stranger.sendall(said)
            assert stranger.recv(1) == b""
    ends.connect(ends.sender, 0, port)
    ends.release()
    _, receiver = ends.results()
    assert receiver["status"] == "complete"
    assert rejected(receiver) == {"rejected_malformed": 2, "rejected_token": 40}


def test_random_words_from_many_connections_harm_nothing(ends: Ends) -> None:
    ends.start({}, targets=False)
    port = ends.receiver.wait_for("listening")["port"]
    for length in range(0, 300, 7):
        with socket.create_connection((LOOPBACK, port), timeout=20) as stranger:
            stranger.sendall(os.urandom(length))
    ends.connect(ends.sender, 0, port)
    ends.release()
    _, receiver = ends.results()
    assert receiver["status"] == "complete"
    assert sum(rejected(receiver).values()) == 43


def test_a_claim_cannot_be_said_twice(ends: Ends) -> None:
    """The challenge is new for each connection, so what was heard on one is worth nothing."""
    ends.start({"streams": 2}, targets=False)
    port = ends.receiver.wait_for("listening")["port"]
    with socket.create_connection((LOOPBACK, port), timeout=20) as first:
        said = wire.claim(
            ends.token, wire.receive(first, 40), 0, wire.terms(TRIAL | {"streams": 2})
        )
        with socket.create_connection((LOOPBACK, port), timeout=20) as second:
            wire.receive(second, wire.CHALLENGE)
            second.sendall(said)
            assert second.recv(1) == b""
    assert "0 of 2" not in str(of(ends.receiver.events(), "error"))
    ends.receiver.release(0, "abort")
    ends.sender.release(0, "abort")
    assert [result["status"] for result in ends.results()] == ["stopped", "stopped"]


def test_a_wrong_token_is_refused(ends: Ends) -> None:
    ends.start(SHORT, targets=False, sender={"token": "0" * 64})
    ends.meet()
    sender, receiver = ends.fail(ends.sender)
    assert (sender["reason"], receiver["status"]) == ("peer_refused", "stopped")
    assert "token" in error(ends.sender)["message"]


def test_what_listens_without_the_token_is_refused(ends: Ends) -> None:
    ends.start(SHORT, targets=False)
    with socket.create_server((LOOPBACK, 0)) as impostor:
        ends.connect(ends.sender, 0, impostor.getsockname()[1])
        connection, _ = impostor.accept()
        with connection:
            connection.sendall(b"assay-c1" + bytes(32))
            wire.receive(connection, wire.CLAIM)
            connection.sendall(bytes(wire.REPLY))
            sender, _ = ends.fail(ends.sender)
    assert sender["reason"] == "peer_refused"
    assert "does not know this run's token" in error(ends.sender)["message"]


def test_another_address_than_the_peers_is_rejected(ends: Ends) -> None:
    ends.start(SHORT | {"own": {"receiver": {"peer": "192.0.2.7"}}}, targets=False)
    ends.meet()
    sender, receiver = ends.fail(ends.sender)
    assert (sender["reason"], receiver["status"]) == ("peer_refused", "stopped")
    assert "rejects this host's address (peer)" in error(ends.sender)["message"]


@pytest.mark.parametrize("own", [{"block": 1 << 17}, {"integrity": "none"}, {"streams": 2}])
def test_ends_with_different_trials_do_not_begin(ends: Ends, own: dict) -> None:
    ends.start(SHORT | {"own": {"sender": own}}, targets=False)
    ends.meet()
    sender, receiver = ends.results()
    assert (sender["reason"], receiver["reason"]) == ("peer_differs", "peer_differs")
    assert next(iter(own)) in error(ends.receiver)["message"]


def test_a_port_that_is_taken_is_named(ends: Ends) -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        only = SHORT | {"bind": LOOPBACK, "port_first": port, "port_last": port}
        ends.start(only, targets=False)
        _, receiver = ends.fail(ends.receiver)
    assert receiver["reason"] == "port_taken"
    assert str(port) in error(ends.receiver)["message"]


def test_a_range_of_ports_gives_the_next_free_one(ends: Ends) -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        ends.start({"bind": LOOPBACK, "port_first": port, "port_last": port + 20}, targets=False)
        assert port < ends.meet() <= port + 20
        ends.release()
        assert ends.results()[1]["status"] == "complete"


def test_nobody_listening_is_a_failed_connection(ends: Ends) -> None:
    ends.start(SHORT, targets=False)
    with socket.create_server((LOOPBACK, 0)) as closed:
        port = closed.getsockname()[1]
    ends.connect(ends.sender, 0, port)
    sender, receiver = ends.fail(ends.sender)
    assert (sender["reason"], receiver["status"]) == ("connect_failed", "stopped")
    assert str(port) in error(ends.sender)["message"]


def test_a_congestion_control_that_the_host_lacks_is_named(ends: Ends) -> None:
    ends.start(SHORT | {"congestion": "imaginary"}, targets=False)
    _, receiver = ends.fail(ends.receiver)
    assert receiver["reason"] == "congestion_refused"
    assert "imaginary" in error(ends.receiver)["message"]


@pytest.mark.parametrize("killed", ["sender", "receiver"])
def test_when_one_end_dies_the_other_ends_with_that_reason(ends: Ends, killed: str) -> None:
    ends.start(ENDLESS | {"streams": 2}, targets=False)
    ends.meet()
    ends.release()
    victim, other = (ends.sender, ends.receiver)[:: 1 if killed == "sender" else -1]
    other.wait_for("sample", count=2)
    victim.kill()
    died = time.monotonic()
    other.wait_for("end")
    assert time.monotonic() - died < 10
    result = of(other.events(), "result")[-1]
    assert (result["status"], result["reason"]) == ("failed", "peer_ended")
    assert result["bytes"] > 0
    assert other.problems() == []


@pytest.mark.parametrize("stopped", ["sender", "receiver"])
def test_a_stop_ends_a_transfer_at_both_ends(ends: Ends, stopped: str) -> None:
    ends.start(ENDLESS | {"sink": "disk"})
    ends.meet()
    ends.release()
    one, other = (ends.sender, ends.receiver)[:: 1 if stopped == "sender" else -1]
    other.wait_for("sample", count=2)
    assert one.stop() == "stopped"
    other.wait_for("end")
    assert of(one.events(), "result")[-1]["status"] == "stopped"
    assert of(other.events(), "result")[-1]["reason"] == "peer_ended"
    assert one.leftovers() == other.leftovers() == []


def test_a_stop_ends_the_wait_for_the_other_end(ends: Ends) -> None:
    ends.start({}, targets=False)
    ends.receiver.wait_for("listening")
    assert [probe.stop() for probe in ends] == ["stopped", "stopped"]


def test_a_full_sink_fails_the_receiver_and_ends_the_sender(
    shipped_ends: Ends, strace: str
) -> None:
    ends = shipped_ends
    faults = (strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64")
    faults += ("-e", "inject=pwrite64:error=ENOSPC:when=20")
    trial = {"sink": "disk", "length_bytes": 64 << 20}
    ends.sender.start(ends.plan(ends.sender, trial, target=None))
    plan = ends.plan(ends.receiver, trial, target=ends.receiver.target)
    ends.receiver.start_traced(plan, prefix=faults)
    ends.meet()
    ends.release()
    sender, receiver = ends.results()
    assert (receiver["reason"], sender["reason"]) == ("no_space", "peer_ended")
    assert receiver["bytes"] == 19 * TRIAL["block"]
    assert ends.receiver.leftovers() == []


def test_a_sink_without_space_is_refused_before_anything_is_sent(ends: Ends) -> None:
    ends.start({"sink": "disk", "length_bytes": 1 << 50, **SHORT})
    sender, receiver = ends.fail(ends.receiver)
    assert (receiver["reason"], sender["status"]) == ("no_space", "stopped")


def test_both_ends_time_out_at_their_limit(ends: Ends) -> None:
    ends.start(ENDLESS | {"timeout_ms": 400}, targets=False)
    ends.meet()
    ends.release()
    assert [result["status"] for result in ends.results()] == ["timed_out", "timed_out"]


def receiver_alone(ends: Ends, trial: dict) -> socket.socket:
    """Start the receiver, and meet it as its sender."""
    ends.receiver.start(ends.plan(ends.receiver, trial, target=None))
    port = ends.receiver.wait_for("listening")["port"]
    connection, reply = wire.greet(port, ends.token, TRIAL | trial)
    assert reply == wire.ACCEPTED
    ends.receiver.wait_for("ready")
    ends.receiver.release(0, 0)
    return connection


def result_of(probe: Probe) -> dict:
    probe.follow()
    assert probe.problems() == []
    return of(probe.events(), "result")[-1]


def test_an_independent_sender_agrees_on_every_checksum(ends: Ends) -> None:
    """CRC32C and digest follow their definitions, and do not depend on the order of blocks."""
    block = TRIAL["block"]
    assert wire.crc32c(b"123456789") == 0xE3069283  # the check value of RFC 3720's polynomial
    blocks = [(number, os.urandom(block)) for number in (1, 0)]
    sums = [(number, wire.crc32c(data)) for number, data in blocks]
    with receiver_alone(ends, {"length_bytes": 2 * block}) as sender:
        for (number, crc), (_, data) in zip(sums, blocks, strict=True):
            sender.sendall(wire.header(wire.BLOCK, crc, number, block) + data)
        sender.sendall(wire.header(wire.END, rest=(2, wire.digest(sums))))
        result = result_of(ends.receiver)
    assert (result["status"], result["detail"]["crc_errors"]) == ("complete", 0)
    assert result["detail"]["digest"] == f"{wire.digest(sums):016x}"


def test_a_block_that_was_altered_on_the_way_is_a_digest_mismatch(ends: Ends) -> None:
    block = TRIAL["block"]
    with receiver_alone(ends, {"length_bytes": 2 * block}) as sender:
        for number in range(2):
            sender.sendall(wire.header(wire.BLOCK, 1234, number, block) + bytes(block))
        sender.sendall(wire.header(wire.END, rest=(2, 99)))
        receipt = wire.receive(sender, wire.HEADER)
        assert int.from_bytes(receipt[24:32], "little") == 2
        result = result_of(ends.receiver)
    assert (result["status"], result["reason"]) == ("failed", "digest_mismatch")
    assert result["detail"]["crc_errors"] == 2
    assert result["detail"]["digest"] != result["detail"]["peer_digest"]


def test_a_block_that_is_missing_is_a_digest_mismatch_even_without_integrity(ends: Ends) -> None:
    block = TRIAL["block"]
    with receiver_alone(ends, {"length_bytes": 2 * block, "integrity": "none"}) as sender:
        sender.sendall(wire.header(wire.BLOCK, 0, 0, block) + bytes(block))
        sender.sendall(wire.header(wire.END, rest=(2, 0)))
        result = result_of(ends.receiver)
    assert result["reason"] == "digest_mismatch"


def test_an_end_that_does_not_read_is_slow_and_not_silent(ends: Ends) -> None:
    """Its kernel answers each probe of the closed window, which come ever less often."""
    trial = ENDLESS | {"listener": "sender", "silence_ms": 1000}
    ends.sender.start(ends.plan(ends.sender, trial, target=None))
    port = ends.sender.wait_for("listening")["port"]
    receiver, _ = wire.greet(port, ends.token, TRIAL | trial)
    with receiver:
        ends.sender.release(0, 0)
        ends.sender.wait_for("sample")
        wait_for_window_probes(ends.sender, 4)  # after 0.2, 0.6, 1.4 and 3 s
        assert of(ends.sender.events(), "result") == []
        for _ in range(64):  # more than all buffers hold
            wire.receive(receiver, 1 << 20)
        ends.sender.release(0, "abort")
        result = result_of(ends.sender)
    assert result["status"] == "stopped"


@pytest.mark.parametrize(
    "said",
    [
        wire.header(wire.BLOCK, 0, 99, TRIAL["block"]),
        wire.header(wire.BLOCK, 0, 1 << 63, TRIAL["block"]),
        wire.header(wire.BLOCK, 0, 0, 512),
        wire.header(7, 0, 0, TRIAL["block"]),
        wire.header(wire.RECEIPT),
    ],
    ids=["number-too-high", "number-overflows", "size", "kind", "receipt"],
)
def test_frames_outside_the_trial_are_not_believed(ends: Ends, said: bytes) -> None:
    with receiver_alone(ends, {"length_bytes": 2 * TRIAL["block"]}) as sender:
        sender.sendall(said + bytes(TRIAL["block"]))
        result = result_of(ends.receiver)
    assert (result["reason"], result["bytes"]) == ("peer_differs", 0)


def test_a_stream_that_ends_in_the_middle_of_a_block_is_no_end(ends: Ends) -> None:
    block = TRIAL["block"]
    with receiver_alone(ends, {"length_bytes": 2 * block, "integrity": "none"}) as sender:
        sender.sendall(wire.header(wire.BLOCK, 0, 0, block) + bytes(block))
        sender.sendall(wire.header(wire.BLOCK, 0, 1, block) + bytes(block // 2))
        sender.shutdown(socket.SHUT_WR)
        result = result_of(ends.receiver)
    assert (result["reason"], result["bytes"]) == ("peer_ended", block)


def test_data_that_came_before_the_start_is_a_stream_that_lives(ends: Ends) -> None:
    block = TRIAL["block"]
    ends.receiver.start(
        ends.plan(ends.receiver, {"length_bytes": block, "integrity": "none"}, target=None)
    )
    port = ends.receiver.wait_for("listening")["port"]
    trial = TRIAL | {"length_bytes": block, "integrity": "none"}
    sender, _ = wire.greet(port, ends.token, trial)
    with sender:
        ends.receiver.wait_for("ready")
        sender.sendall(wire.header(wire.BLOCK, 0, 0, block) + bytes(block))
        ends.receiver.release(0, 0)
        ends.receiver.wait_for("sample", count=2)  # it goes on waiting for the end
        ends.receiver.release(0, "abort")
        result = result_of(ends.receiver)
    assert (result["status"], result["bytes"]) == ("stopped", block)
