"""The ends of a transfer wait while one prepares, but not for long once both can meet."""

import os
import socket
import time
from pathlib import Path

import pytest
import wire
from probe_driver import Probe, of
from transfer_driver import LOOPBACK, TRIAL, Ends, error

SHORT = {"connect_timeout_ms": 300}


def wait_for_waiting(probe: Probe, count: int) -> None:
    """Wait until an end has said for `count` seconds that it waits for the other one."""
    last = probe.wait_for("progress", count=count)
    assert (last["doing"], last["call"], last["total_bytes"]) == ("awaiting_peer", None, 0)


@pytest.mark.parametrize("listener", ["sender", "receiver"])
def test_the_other_ends_preparation_is_no_failed_connection(ends: Ends, listener: str) -> None:
    """The end that prepares is not there yet, for longer than connecting may take."""
    trial = SHORT | {"listener": listener, "source": "disk"}
    ends.receiver.start(ends.plan(ends.receiver, trial, target=None))
    wait_for_waiting(ends.receiver, 2)
    ends.sender.start(ends.plan(ends.sender, trial, target=ends.sender.target))
    ends.meet()
    ends.release()
    assert [result["status"] for result in ends.results()] == ["complete", "complete"]


def test_a_stop_ends_the_wait_for_an_address(ends: Ends) -> None:
    ends.sender.start(ends.plan(ends.sender, SHORT, target=None))
    wait_for_waiting(ends.sender, 1)
    assert ends.sender.stop() == "stopped"


def test_a_stranger_is_not_the_other_end(ends: Ends) -> None:
    ends.receiver.start(ends.plan(ends.receiver, SHORT, target=None))
    port = ends.receiver.wait_for("listening")["port"]
    with socket.create_connection((LOOPBACK, port)) as stranger:
        stranger.sendall(bytes(wire.CLAIM))
        wait_for_waiting(ends.receiver, 2)
    assert of(ends.receiver.events(), "error") == []
    ends.receiver.release(0, "abort")
    ends.receiver.follow()
    assert of(ends.receiver.events(), "result")[-1]["status"] == "stopped"


def test_streams_that_are_missing_after_the_first_one_fail_the_listener(ends: Ends) -> None:
    trial = SHORT | {"streams": 4}
    ends.receiver.start(ends.plan(ends.receiver, trial, target=None))
    port = ends.receiver.wait_for("listening")["port"]
    first, reply = wire.greet(port, ends.token, TRIAL | trial)
    with first:
        assert reply == wire.ACCEPTED
        ends.receiver.follow()
    assert of(ends.receiver.events(), "result")[-1]["reason"] == "connect_failed"
    assert "1 of 4 streams were connected within 300 ms" in error(ends.receiver)["message"]


def test_strangers_in_all_places_cost_no_cpu_time(ends: Ends) -> None:
    ends.receiver.start(ends.plan(ends.receiver, {}, target=None))
    port = ends.receiver.wait_for("listening")["port"]
    silent = [socket.create_connection((LOOPBACK, port)) for _ in range(300)]
    wire.receive(silent[255], wire.CHALLENGE)  # the last one that has a place
    before = cpu_s(ends.receiver)
    time.sleep(1.5)
    spent = cpu_s(ends.receiver) - before
    for one in silent:
        one.close()
    ends.receiver.release(0, "abort")
    assert spent < 0.3


def test_silent_strangers_do_not_keep_the_other_end_waiting(ends: Ends) -> None:
    """They hold all places; all streams of the other end are connected long before they leave."""
    trial = {"streams": 64, "connect_timeout_ms": 3000}
    ends.start(trial, targets=False)
    port = ends.receiver.wait_for("listening")["port"]
    silent = [socket.create_connection((LOOPBACK, port)) for _ in range(300)]
    wire.receive(silent[-1], wire.CHALLENGE)
    began = time.monotonic()
    ends.connect(ends.sender, 0, port)
    ends.receiver.wait_for("ready")
    took = time.monotonic() - began
    ends.release()
    results = ends.results()
    for one in silent:
        one.close()
    assert [result["status"] for result in results] == ["complete", "complete"]
    assert took < 4, "strangers leave after 5 s by themselves"
    assert results[1]["detail"]["connections"]["rejected_surplus"] >= 100


def cpu_s(probe: Probe) -> float:
    """Return the CPU time of a probe so far."""
    fields = Path(f"/proc/{probe.pid()}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
