"""Links: their rate is the configured one, a cut is silent, a reset is immediate."""

import socket
from pathlib import Path

import pytest
from lab import MIB, Host, Lab

RECEIVE = """
import socket, sys, time
peer = socket.create_server((sys.argv[1], 7000)).accept()[0]
rates = []
for second in range(5):
    began, received = time.monotonic(), 0
    while time.monotonic() - began < 1:
        received += len(peer.recv(1 << 18))
    rates.append(received / (time.monotonic() - began))
print(sorted(rates[1:])[-2])
"""
"""Bytes per second in the second best of several seconds, since a busy machine may be late."""

SEND = """
import socket, sys, time
while True:
    try:
        peer = socket.create_connection((sys.argv[1], 7000))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
try:
    while True:
        peer.send(bytes(1 << 18))
except OSError:
    pass
"""


def banner(host: Host, timeout_s: float) -> bytes:
    with socket.create_connection((host.address, host.port), timeout=timeout_s) as connection:
        return connection.recv(100)


def test_a_host_responds_at_its_address(lab: Lab) -> None:
    host = lab.host("one")
    assert banner(host, 2).startswith(b"SSH-2.0-")


def test_a_cut_link_is_silent_for_old_and_new_connections(lab: Lab) -> None:
    host = lab.host("one")
    with socket.create_connection((host.address, host.port), timeout=2) as connection:
        assert connection.recv(100)
        host.link.cut()
        connection.sendall(b"SSH-2.0-test\r\n")
        connection.settimeout(5)  # longer than the detection of an unreachable neighbor
        with pytest.raises(TimeoutError):
            connection.recv(100)
        with pytest.raises(TimeoutError):
            banner(host, 5)
        host.link.join()
        connection.settimeout(20)
        assert connection.recv(100)
        assert banner(host, 2)


def test_a_reset_ends_connections_with_rst(lab: Lab) -> None:
    host = lab.host("one")
    with socket.create_connection((host.address, host.port), timeout=2) as connection:
        assert connection.recv(100)
        host.link.reset()
        with pytest.raises(ConnectionResetError):
            connection.recv(100)
    assert banner(host, 2)


@pytest.mark.alone
@pytest.mark.parametrize("rate", [10 * MIB, pytest.param(60 * MIB, marks=pytest.mark.nightly)])
def test_a_link_between_hosts_has_the_configured_rate(lab: Lab, tmp_path: Path, rate: int) -> None:
    one, other = lab.host("one"), lab.host("other")
    link = lab.link(one, other, rate=rate)
    one.begin(["python3", "-c", SEND, link.far.address], tmp_path / "log")
    said = other.run_as_root("python3", "-c", RECEIVE, link.far.address)
    payload = 1448 / 1514  # of a full frame
    assert float(said) == pytest.approx(rate * payload, rel=0.05)
