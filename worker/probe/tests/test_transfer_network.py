"""Networks that lose what is sent, in a network namespace of the test's own (as root)."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from probe_driver import of
from transfer_driver import Ends, error, wait_for_window_probes

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
TCP_RTO_MAX_MS = 44
ENDLESS = {"length_bytes": 0, "duration_ms": 60_000, "silence_ms": 1000}


class Network:
    """A namespace with a loopback of its own, whose packets can be dropped."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.enter = ("nsenter", "-t", str(process.pid), "-n")

    def drop(self, *what: str) -> None:
        rule = ("iptables", "-w", "-A", "INPUT", *what, "-j", "DROP")
        subprocess.run([*self.enter, *rule], check=True)


@pytest.fixture
def network() -> Iterator[Network]:
    command = ["unshare", "-n", "sh", "-c", "ip link set lo up && echo up && exec sleep 300"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        yield Network(process)
        process.kill()


def begin(ends: Ends, network: Network, **fields: object) -> None:
    for probe in ends:
        probe.prefix = network.enter
    ends.start(ENDLESS | fields, targets=False)
    ends.meet()
    ends.release()


@pytest.mark.parametrize("listener", ["sender", "receiver"])
def test_a_black_hole_is_named_as_one(ends: Ends, network: Network, listener: str) -> None:
    """The greetings are small and pass; the data is in packets that are too large."""
    network.drop("-m", "length", "--length", "1000:65535")
    begin(ends, network, listener=listener)
    ends.sender.wait_for("end")
    result = of(ends.sender.events(), "result")[-1]
    assert result["reason"] == "peer_silent"
    assert "MTU" in error(ends.sender)["message"]
    ends.receiver.wait_for("end")
    result = of(ends.receiver.events(), "result")[-1]
    assert (result["reason"], result["bytes"]) == ("peer_ended", 0)


def test_a_cut_is_silence_at_both_ends(ends: Ends, network: Network) -> None:
    begin(ends, network)
    for probe in ends:
        probe.wait_for("sample", count=2)
    network.drop("-p", "tcp")
    for probe in ends:
        probe.wait_for("end")
        result = of(probe.events(), "result")[-1]
        assert (result["status"], result["reason"]) == ("failed", "peer_silent")
        assert result["bytes"] > 0
        assert "MTU" not in error(probe)["message"]


def test_a_cut_while_the_window_is_closed_is_silence(ends: Ends, network: Network) -> None:
    """Nothing is in flight then but the kernel's probes of the window."""
    begin(ends, network)
    ends.receiver.wait_for("sample", count=2)
    os.kill(ends.receiver.pid(), signal.SIGSTOP)
    time.sleep(0.5)
    network.drop("-p", "tcp")
    ends.sender.wait_for("end")
    result = of(ends.sender.events(), "result")[-1]
    assert (result["status"], result["reason"]) == ("failed", "peer_silent")
    assert "MTU" not in error(ends.sender)["message"]
    ends.receiver.kill()


def has_limited_backoff() -> bool:
    """Return whether this kernel can probe a closed window more often (Linux 6.15)."""
    with socket.socket() as one:
        try:
            one.setsockopt(socket.IPPROTO_TCP, TCP_RTO_MAX_MS, 1000)
        except OSError:
            return False
    return True


@pytest.mark.skipif(not has_limited_backoff(), reason="TCP_RTO_MAX_MS needs Linux 6.15")
def test_a_cut_is_noticed_in_time_after_the_window_was_closed_for_long(
    ends: Ends, network: Network
) -> None:
    """The kernel by itself would send the next probe 6 s after the cut, then 13 s later."""
    begin(ends, network)
    ends.receiver.wait_for("sample", count=2)
    os.kill(ends.receiver.pid(), signal.SIGSTOP)
    # probes after 0.2, 0.6, 1.4, 3 and 6.2 s; the next one after 12.6 s
    wait_for_window_probes(ends.sender, 5)
    network.drop("-p", "tcp")
    cut = time.monotonic()
    ends.sender.wait_for("end")
    assert time.monotonic() - cut < 5
    assert of(ends.sender.events(), "result")[-1]["reason"] == "peer_silent"
    ends.receiver.kill()
