"""Transfers between two real probes over loopback: legs, integrity, evidence, and what is left."""

from pathlib import Path

import pytest
from machines import Machine
from probe_driver import of, samples
from transfer_driver import Ends, links

DISKS = {"source": "disk", "sink": "disk"}


@pytest.mark.parametrize("streams", [1, 3])
@pytest.mark.parametrize("listener", ["receiver", "sender"])
def test_memory_to_memory_arrives_whole(ends: Ends, streams: int, listener: str) -> None:
    sender, receiver = ends.run({"streams": streams, "listener": listener}, targets=False)
    for result in (sender, receiver):
        assert (result["status"], result["bytes"], result["ops"]) == ("complete", 4 << 20, 64)
        detail = result["detail"]
        assert detail["connections"]["accepted"] == streams == len(detail["streams"])
        assert detail["digest"] == detail["peer_digest"] is not None
        assert detail["crc_errors"] == 0
    assert sender["detail"]["listens"] == (listener == "sender")
    assert sender["detail"]["digest"] == receiver["detail"]["digest"]
    assert of(ends.sender.events(), "hello")[0]["target"] is None


def test_files_go_from_disk_to_disk_and_none_is_left(ends: Ends) -> None:
    fields = {"streams": 2, "source_cache": "direct", "own": {"sender": {"disk_threads": 2}}}
    sender, receiver = ends.run(DISKS | fields)
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    assert (sender["sync"], receiver["sync"]) == ("none", "complete")
    assert sender["bytes"] == receiver["bytes"] == 4 << 20
    assert sender["unwritten"] == "none"
    assert sender["resident_pages"] == 0
    assert [stage["name"] for stage in sender["detail"]["stages"]] == ["read", "send"]
    assert [stage["name"] for stage in receiver["detail"]["stages"]] == ["receive", "write"]
    assert all(s["bytes"] == 4 << 20 for r in (sender, receiver) for s in r["detail"]["stages"])
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


@pytest.mark.parametrize("leg", ["read", "write", "transfer"])
def test_more_disk_threads_than_blocks_leave_some_without_work(ends: Ends, leg: str) -> None:
    own = {"sender": {"disk_threads": 8}, "receiver": {"disk_threads": 5}}
    trial = {"leg": leg, "length_bytes": 3 << 16, "source_cache": "direct", "own": own}
    sender, receiver = ends.run(DISKS | trial)
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    threads = {
        stage["name"]: stage["threads"]
        for result in (sender, receiver)
        for stage in result["detail"]["stages"]
    }
    assert threads.get("read", 8) == 8 and threads.get("write", 5) == 5
    scored = sender if leg == "read" else receiver
    assert scored["bytes"] == 3 << 16
    assert receiver["detail"]["crc_errors"] == 0
    assert ends.sender.leftovers() == ends.receiver.leftovers() == []


@pytest.mark.parametrize("source", ["memory", "disk"])
@pytest.mark.parametrize("sink", ["memory", "disk"])
def test_each_end_may_be_memory_or_disk(ends: Ends, source: str, sink: str) -> None:
    sender, receiver = ends.run({"source": source, "sink": sink})
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    assert (receiver["sync"] == "complete") == (sink == "disk")
    assert sender["detail"]["digest"] == receiver["detail"]["digest"]


def test_the_legs_of_a_path_are_trials_of_one_run(ends: Ends) -> None:
    ends.run({"leg": "read"} | DISKS, {}, {"leg": "write"} | DISKS, DISKS)
    sent = {event["trial"]: event for event in of(ends.sender.events(), "result")}
    received = {event["trial"]: event for event in of(ends.receiver.events(), "result")}
    assert {event["status"] for event in (sent | received).values()} == {"complete"}
    moved = [(sent[number]["bytes"], received[number]["bytes"]) for number in range(4)]
    assert moved == [(4 << 20, 0), (4 << 20, 4 << 20), (0, 4 << 20), (4 << 20, 4 << 20)]
    assert len(of(ends.sender.events(), "listening") + of(ends.receiver.events(), "listening")) == 2


def test_a_duration_ends_a_transfer_and_its_ramp_is_counted_apart(ends: Ends) -> None:
    timed = {"length_bytes": 0, "duration_ms": 600, "ramp_ms": 300}
    sender, receiver = ends.run(timed, targets=False)
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    assert sender["bytes"] == receiver["bytes"] > 0
    assert 500_000_000 < sender["app_ns"] < 5_000_000_000
    assert 0 < sender["detail"]["ramp_bytes"] < sender["bytes"]
    assert 0 < sender["detail"]["ramp_ns"] <= 300_000_000


def test_every_sample_has_tcp_info_of_every_stream_at_both_ends(ends: Ends) -> None:
    timed = {"length_bytes": 0, "duration_ms": 500, "streams": 3}
    sent, _ = ends.run(timed, targets=False)
    for probe in ends:
        events = links(probe)
        assert [event["end_ns"] for event in events] == [
            s["end_ns"] for s in samples(probe.events())
        ]
        assert all([row["stream"] for row in event["streams"]] == [0, 1, 2] for event in events)
        assert all(event["tcp_info_bytes"] > 100 for event in events)
    last = links(ends.sender)[-1]["streams"]
    assert sum(row["bytes_acked"] for row in last) >= sent["bytes"]
    assert all(row["rtt_ns"] > 0 and row["cwnd_bytes"] > 0 for row in last)
    received = links(ends.receiver)[-1]["streams"]
    assert sum(row["bytes_received"] for row in received) >= sent["bytes"]


def test_a_slow_link_fills_the_senders_ring_and_empties_the_receivers(ends: Ends) -> None:
    """Pacing makes the link slow: the reader waits on a full ring, the writer on an empty one."""
    slow = {"pacing_bytes_per_s": 8_000_000, "socket_buffer_bytes": 65536, "ring_bytes": 1 << 18}
    sender, receiver = ends.run(DISKS | slow)
    read, send = sender["detail"]["stages"]
    receive, write = receiver["detail"]["stages"]
    assert read["full_ns"] > 100_000_000 > send["empty_ns"]
    assert write["empty_ns"] > 100_000_000 > receive["full_ns"]
    assert sender["detail"]["send_buffer_bytes"] == 2 * 65536  # the kernel doubles it


def test_without_integrity_there_is_no_digest(ends: Ends) -> None:
    sender, receiver = ends.run({"integrity": "none"}, targets=False)
    for result in (sender, receiver):
        assert result["status"] == "complete"
        assert result["detail"]["digest"] is None
        assert result["detail"]["peer_digest"] is None


def test_the_card_of_the_streams_is_named(ends: Ends) -> None:
    sender, _ = ends.run({}, targets=False)
    assert sender["detail"]["card"]["name"] == "lo"
    assert sender["detail"]["card"]["mtu_bytes"] == 65536
    assert sender["detail"]["congestion"]
    assert links(ends.sender)[-1]["card_tx_bytes"] >= 4 << 20


def test_the_counters_of_many_cards_and_cpus_are_read_to_the_end(
    ends: Ends, tmp_path: Path
) -> None:
    """The card is the last of 800, and the drops are those of the last of 4000 CPUs."""
    machine = Machine(tmp_path / "machine", ends.sender)
    machine.write("/proc/net/dev", cards(others=800, sent=5000))
    machine.write("/proc/net/softnet_stat", softnet(cpus=4000, dropped=0))
    ends.start({"length_bytes": 0, "duration_ms": 60_000}, targets=False)
    ends.meet()
    ends.sender.wait_for("ready")
    machine.write("/proc/net/dev", cards(others=800, sent=7000))
    machine.write("/proc/net/softnet_stat", softnet(cpus=4000, dropped=3))
    ends.release()
    ends.sender.wait_for("link")
    ends.sender.stop()
    link = links(ends.sender)[-1]
    assert (link["card_tx_bytes"], link["softnet_dropped"]) == (2000, 3)


def cards(others: int, sent: int) -> str:
    """Return a text of /proc/net/dev that ends with the loopback card."""
    head = "Inter-|   Receive        |  Transmit\n face |bytes packets ... |bytes packets ...\n"
    names = [f"veth{number:08x}" for number in range(others)]
    numbers = "{}       0    0    0    0     0          0         0 {}       0    0    0\n"
    lines = [f"{name}: {numbers.format(1 << 40, 1 << 40)}" for name in names]
    return head + "".join(lines) + f"    lo: {numbers.format(1 << 40, (1 << 40) + sent)}"


def softnet(cpus: int, dropped: int) -> str:
    """Return a text of /proc/net/softnet_stat whose last CPU dropped packets."""
    rest = " 00000000" * 11
    return f"00000001 00000000{rest}\n" * (cpus - 1) + f"00000001 {dropped:08x}{rest}\n"


def test_a_transfer_goes_over_ipv6(ends: Ends) -> None:
    ends.start({"family": "ipv6", "bind": "::1"}, targets=False)
    listening = ends.receiver.wait_for("listening")
    assert listening["address"] == "::1"
    ends.connect(ends.sender, 0, listening["port"], "::1")
    ends.release()
    sender, receiver = ends.results()
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    assert sender["detail"]["peer_address"] == "::1"


def test_the_token_is_nowhere_on_the_host(ends: Ends) -> None:
    ends.run({}, targets=False)
    for probe in ends:
        for path in probe.home.rglob("*"):
            assert not path.is_file() or ends.token.encode() not in path.read_bytes(), path


def test_ends_whose_wall_clocks_are_an_hour_apart_measure_together(ends: Ends) -> None:
    ends.sender.environment["ASSAY_TEST_WALL_AHEAD_S"] = "3600"
    sender, receiver = ends.run({}, targets=False)
    assert (sender["status"], receiver["status"]) == ("complete", "complete")
    told = [of(probe.events(), "hello")[0]["wall_ns"] for probe in ends]
    assert 3590e9 < told[0] - told[1] < 3610e9
    assert of(ends.sender.events(), "notice") == []
