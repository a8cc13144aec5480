"""Checks of hosts: the reported problems, and what is stored."""

import hashlib
import os
import socket
import socketserver
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from assay.tables.database import reading, writing
from assay.tables.hosts import Check, Host, Inventory
from assay_worker import install
from sqlalchemy import select
from testing.installation import Installation, run_check
from testing.sshd import Sshd, free_port


def error_code(check: Check) -> str:
    assert check.state == "failed"
    assert check.error is not None
    assert all(check.error[part] for part in ("code", "title", "detail", "remedy"))
    return check.error["code"]


def test_a_check_stores_the_inventory(installation: Installation, sshd: Sshd) -> None:
    host_id = installation.ssh_host(sshd)
    check = installation.check(host_id)
    assert (check.state, check.error) == ("ok", None)
    host = installation.host(host_id)
    assert (host.state, host.state_reason) == ("ready", None)
    assert host.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert host.last_checked_at is not None
    with reading() as session:
        inventory = session.scalars(select(Inventory)).one()
    assert inventory.body["cpus"]["count"] == os.cpu_count()
    assert inventory.body["filesystems"]
    installation.check(host_id)
    with reading() as session:
        assert len(session.scalars(select(Inventory)).all()) == 2, "one of each look"


def test_this_machine_is_checked_without_a_login(installation: Installation) -> None:
    host_id = installation.local_host()
    assert installation.check(host_id).error is None
    assert installation.host(host_id).state == "ready"


def test_a_host_without_an_approved_key_offers_its_key_without_a_login(
    installation: Installation, sshd: Sshd
) -> None:
    host_id = installation.ssh_host(sshd, approved=False)
    assert error_code(installation.check(host_id)) == "host_key_unapproved"
    host = installation.host(host_id)
    assert (host.state, host.offered_key) == ("key_unapproved", sshd.host_key)
    assert "Accepted" not in (sshd.folder / "log").read_text()


def test_a_changed_host_key_stops_the_host_and_shows_old_and_new(
    installation: Installation, sshd: Sshd
) -> None:
    host_id = installation.ssh_host(sshd)
    sshd.stop()
    sshd.new_host_key()
    sshd.start()
    assert error_code(installation.check(host_id)) == "host_key_changed"
    host = installation.host(host_id)
    assert (host.state, host.offered_key) == ("key_changed", sshd.host_key)
    assert host.approved_key != host.offered_key


@pytest.mark.parametrize(
    ("field", "value", "code", "state"),
    [
        ("address", "no-such-host.invalid", "unknown_host", "unreachable"),
        ("port", None, "refused", "unreachable"),
        ("user", "nobody-like-this", "auth_failed", "error"),
        ("credential_id", None, "credential_missing", "error"),
    ],
)
def test_a_connection_problem_is_reported(
    installation: Installation, sshd: Sshd, field: str, value: object, code: str, state: str
) -> None:
    host_id = installation.ssh_host(sshd, **{field: free_port() if field == "port" else value})
    assert error_code(installation.check(host_id)) == code
    assert installation.host(host_id).state == state


class Resetting(socketserver.TCPServer):
    """Sends data to any client, and resets the connection."""

    def shutdown_request(self, request: Any) -> None:
        request.recv(1)
        request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.close()


def test_a_connection_reset_during_a_check_is_reported(
    installation: Installation, sshd: Sshd
) -> None:
    with Resetting(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        check = installation.check(installation.ssh_host(sshd, port=server.server_address[1]))
        server.shutdown()
    assert error_code(check) == "connection_lost"
    assert check.error is not None
    assert "[Errno" not in check.error["detail"]
    assert "check the host again" in check.error["remedy"]


def test_a_wrong_key_is_reported(installation: Installation, sshd: Sshd) -> None:
    right = sshd.client_key
    sshd.client_key = asyncssh.generate_private_key("ssh-ed25519")
    host_id = installation.ssh_host(sshd)
    sshd.client_key = right
    assert error_code(installation.check(host_id)) == "auth_failed"


def test_a_credential_encrypted_with_another_key_is_reported(
    installation: Installation, sshd: Sshd
) -> None:
    host_id = installation.ssh_host(sshd)
    (installation.home / "secret.key").write_text("another secret altogether, quite long")
    assert error_code(installation.check(host_id)) == "credential_missing"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A separate file system, to be mounted as a test needs; needs root."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", place], check=True)
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def remount(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)


def test_a_read_only_home_is_reported(
    installation: Installation, sshd: Sshd, small_disk: Path
) -> None:
    remount(small_disk, "ro")
    host_id = installation.ssh_host(sshd, probe_dir=str(small_disk / "assay"))
    check = installation.check(host_id)
    assert error_code(check) == "home_read_only"
    assert check.error is not None
    assert "Read-only file system" in check.error["detail"]


def test_a_noexec_home_is_reported(
    installation: Installation, sshd: Sshd, small_disk: Path
) -> None:
    remount(small_disk, "noexec")
    host_id = installation.ssh_host(sshd, probe_dir=str(small_disk / "assay"))
    assert error_code(installation.check(host_id)) == "home_noexec"


def test_an_architecture_without_a_build_is_reported(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    """The host's own `uname` prints the values of a RISC-V machine."""
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "uname").write_text('#!/bin/sh\n[ "$1" = -m ] && echo riscv64 || echo Linux\n')
    (fake / "uname").chmod(0o755)
    sshd.stop()
    sshd.environment = {"PATH": f"{fake}:/usr/bin:/bin"}
    sshd.start()
    check = installation.check(installation.ssh_host(sshd))
    assert error_code(check) == "unsupported_architecture"
    assert check.error is not None
    assert "riscv64" in check.error["detail"]


def test_the_probe_is_uploaded_once_and_a_damaged_one_is_replaced(
    installation: Installation, sshd: Sshd
) -> None:
    host_id = installation.ssh_host(sshd)
    installation.check(host_id)
    (probe,) = (sshd.home / ".cache/assay/probe").rglob("assay-probe")
    assert probe.stat().st_mode & 0o777 == 0o700
    assert probe.parent.name == hashlib.sha256(probe.read_bytes()).hexdigest()
    first = probe.stat().st_ino
    installation.check(host_id)
    assert probe.stat().st_ino == first
    with probe.open("r+b") as file:
        file.write(b"damaged")
    assert installation.check(host_id).error is None
    assert probe.read_bytes() == install.build("x86_64").read_bytes()


def test_a_configured_probe_directory_can_have_any_name(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    folder = tmp_path / 'it\'s $(touch pwned) a "folder"\nümläut'
    host_id = installation.ssh_host(sshd, probe_dir=str(folder))
    assert installation.check(host_id).error is None
    assert list(folder.rglob("assay-probe"))
    assert not list(tmp_path.rglob("pwned"))


def test_a_message_about_a_check_that_ended_changes_nothing(
    installation: Installation,
) -> None:
    check = installation.check(installation.local_host())
    run_check(check.id)
    with reading() as session:
        assert session.get_one(Check, check.id).ended_at == check.ended_at


def test_a_check_does_not_revive_a_host_that_is_being_deleted(
    installation: Installation, sshd: Sshd
) -> None:
    host_id = installation.ssh_host(sshd)
    with writing() as session:
        session.get_one(Host, host_id).state = "deleting"
    installation.check(host_id)
    assert installation.host(host_id).state == "deleting"
