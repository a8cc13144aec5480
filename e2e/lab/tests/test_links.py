"""Links: their rate is the one that was set, a cut is silent, a reset is heard."""

import socket
from pathlib import Path

import pytest
from lab import MIB, Host, Lab

RECEIVE = (
    "import socket, sys; server = socket.create_server((sys.argv[1], 7000)); "
    "peer = server.accept()[0]; "
    "[None for chunk in iter(lambda: peer.recv(1 << 20), b'')]"
)


def banner(host: Host, timeout_s: float) -> bytes:
    with socket.create_connection((host.address, host.port), timeout=timeout_s) as connection:
        return connection.recv(100)


def test_a_host_answers_at_its_address(lab: Lab) -> None:
    host = lab.host("one")
    assert banner(host, 2).startswith(b"SSH-2.0-")


def test_a_cut_link_is_silent_for_old_and_new_connections(lab: Lab) -> None:
    host = lab.host("one")
    with socket.create_connection((host.address, host.port), timeout=2) as connection:
        assert connection.recv(100)
        host.link.cut()
        connection.sendall(b"SSH-2.0-test\r\n")
        connection.settimeout(5)  # longer than it takes to find a neighbour gone
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


@pytest.mark.parametrize("rate", [10 * MIB, 100 * MIB])
def test_a_link_between_hosts_has_the_rate_that_was_set(
    lab: Lab, tmp_path: Path, rate: int
) -> None:
    one, other = lab.host("one"), lab.host("other")
    link = lab.link(one, other, rate=rate)
    receiver = other.begin(["python3", "-c", RECEIVE, link.far.address], tmp_path / "log")
    send = (
        "import socket, sys, time; data = bytes(1 << 20); time.sleep(0.5); "
        "peer = socket.create_connection((sys.argv[1], 7000)); began = time.monotonic(); sent = 0\n"
        "while time.monotonic() - began < 5: sent += peer.send(data)\n"
        "print(sent / (time.monotonic() - began))"
    )
    found = float(one.run_as_root("python3", "-c", send, link.far.address))
    receiver.kill()
    receiver.wait()
    payload = 1448 / 1514  # of a full frame
    assert found == pytest.approx(rate * payload, rel=0.05)
