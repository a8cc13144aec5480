import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from assay_worker.connectors import ssh
from assay_worker.connectors.keys import fetch_host_key, fingerprint
from assay_worker.connectors.ssh import SshConnection, SshLogin, connect
from assay_worker.errors import (
    AuthenticationError,
    ConnectionLostError,
    CredentialMissingError,
    HomeReadOnlyError,
    HostKeyChangedError,
    ProbeAlteredError,
    ProbeFailedError,
    RefusedError,
    UnknownHostError,
    UnreachableError,
)
from testing.sshd import Sshd, free_port

HOSTILE = [
    "it's",
    'a "quote"',
    "new\nline",
    "$(touch /tmp/pwned)",
    "`id`",
    "ümläut ☃",
    "-n",
    "",
    "*",
]


def login_to(server: Sshd) -> SshLogin:
    return SshLogin("127.0.0.1", server.port, server.user, server.host_key, server.private_key)


def on(server: Sshd, work: Callable[[SshConnection], Coroutine[Any, Any, Any]]) -> Any:
    async def go() -> Any:
        connection = await connect(login_to(server))
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(go())


def refusal(login: SshLogin) -> Exception:
    async def go() -> None:
        await (await connect(login)).close()

    with pytest.raises(Exception) as caught:
        asyncio.run(go())
    return caught.value


def test_arguments_reach_the_host_unchanged(sshd: Sshd) -> None:
    done = on(sshd, lambda c: c.run(["printf", "%s\\0", *HOSTILE]))
    assert done.stdout.decode().split("\0")[:-1] == HOSTILE
    assert done.exit_code == 0


def test_a_command_returns_output_error_and_exit_code(sshd: Sshd) -> None:
    done = on(sshd, lambda c: c.run(["sh", "-c", "cat; echo why >&2; exit 7"], b"\x00\xff in"))
    assert (done.stdout, done.complaint, done.exit_code) == (b"\x00\xff in", "why", 7)


def test_endless_output_is_an_error_and_uses_no_memory(sshd: Sshd) -> None:
    with pytest.raises(ProbeFailedError, match="printed more than"):
        on(sshd, lambda c: c.run(["yes"]))


def test_a_hung_command_times_out(sshd: Sshd) -> None:
    with pytest.raises(ProbeFailedError, match=r"^sleep 60 did not exit within"):
        on(sshd, lambda c: c.run(["sleep", "60"], timeout_s=0.3))


def test_a_stream_delivers_output_and_exit_code(sshd: Sshd) -> None:
    async def work(connection: SshConnection) -> tuple[bytes, int]:
        stream = await connection.stream(["sh", "-c", "echo one; exit 10"])
        return await stream.read(100), (await stream.finish()).exit_code

    assert on(sshd, work) == (b"one\n", 10)


def test_a_dead_server_ends_a_stream_as_a_lost_connection(sshd: Sshd) -> None:
    async def work(connection: SshConnection) -> None:
        stream = await connection.stream(["sh", "-c", "echo one; sleep 30"])
        await stream.read(100)
        await asyncio.to_thread(sshd.stop)
        while await stream.read(100):
            pass
        await stream.finish()

    with pytest.raises(ConnectionLostError):
        on(sshd, work)


def test_a_command_that_closes_its_output_without_exiting_times_out(
    sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "END_TIMEOUT_S", 0.3)

    async def work(connection: SshConnection) -> None:
        stream = await connection.stream(["sh", "-c", "exec cat >/dev/null 2>&1"])
        assert await stream.read(100) == b""
        await stream.finish()

    with pytest.raises(ProbeFailedError, match="closed its output, but did not exit within"):
        on(sshd, work)


def test_a_session_that_the_host_does_not_open_times_out(
    sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "OPEN_TIMEOUT_S", 0.3)

    async def work(connection: SshConnection) -> None:
        with sshd.frozen():
            await connection.stream(["true"])

    with pytest.raises(ProbeFailedError, match="true was not started within"):
        on(sshd, work)


def test_an_upload_is_complete_and_executable(sshd: Sshd, tmp_path: Path) -> None:
    place = tmp_path / "it's a probe"
    on(sshd, lambda c: c.upload(b"#!/bin/sh\necho ran\n" * 1000, str(place)))
    assert place.stat().st_mode & 0o777 == 0o700
    assert place.stat().st_size == 19000
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".new")] == []


def test_an_upload_into_a_missing_directory_fails_with_the_reason(
    sshd: Sshd, tmp_path: Path
) -> None:
    with pytest.raises(HomeReadOnlyError, match=r"(?i)no such file|nonexistent"):
        on(sshd, lambda c: c.upload(b"x", str(tmp_path / "no" / "where")))


def test_a_partial_upload_is_not_left_behind(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a lost connection looks like that of the data."""
    monkeypatch.setattr(ssh, "UPLOAD", ssh.UPLOAD.replace("cat >", "head -c 500 >"))
    with pytest.raises(ProbeAlteredError, match="500 of 1000 bytes arrived"):
        on(sshd, lambda c: c.upload(b"x" * 1000, str(tmp_path / "probe")))
    assert list(tmp_path.glob("probe*")) == []


def test_the_host_key_is_fetched_before_any_login(sshd: Sshd) -> None:
    key = asyncio.run(fetch_host_key("127.0.0.1", sshd.port, None))
    assert key == sshd.host_key
    assert fingerprint(key).startswith("SHA256:")


def test_a_changed_host_key_is_rejected_and_both_keys_are_named(sshd: Sshd) -> None:
    login = login_to(sshd)
    sshd.stop()
    sshd.new_host_key()
    sshd.start()
    error = refusal(login)
    assert isinstance(error, HostKeyChangedError)
    assert fingerprint(login.host_key) in str(error)
    assert fingerprint(sshd.host_key) in str(error)
    assert error.offered == sshd.host_key


def test_a_host_key_of_another_type_is_a_changed_key(sshd: Sshd) -> None:
    ecdsa = (
        asyncssh.generate_private_key("ecdsa-sha2-nistp256").export_public_key().decode().strip()
    )
    error = refusal(replace(login_to(sshd), host_key=ecdsa))
    assert isinstance(error, HostKeyChangedError)
    assert error.offered == sshd.host_key


def test_a_wrong_key_is_rejected(sshd: Sshd) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()
    error = refusal(replace(login_to(sshd), private_key=other))
    assert isinstance(error, AuthenticationError)
    assert sshd.user in str(error)


def test_a_wrong_password_is_rejected_and_not_revealed(tmp_path: Path) -> None:
    server = Sshd(tmp_path / "sshd", password_only=True)
    server.start()
    try:
        login = replace(login_to(server), private_key=None, password="not-the-password")
        error = refusal(login)
        assert isinstance(error, AuthenticationError)
        assert "not-the-password" not in str(error) + repr(login)
    finally:
        server.stop()


def test_an_encrypted_key_is_not_a_usable_credential(sshd: Sshd) -> None:
    sealed = sshd.client_key.export_private_key(passphrase="secret").decode()
    assert isinstance(refusal(replace(login_to(sshd), private_key=sealed)), CredentialMissingError)


def test_unknown_name_closed_port_and_silent_port_are_distinguished(sshd: Sshd) -> None:
    login = login_to(sshd)
    unknown = refusal(replace(login, address="no-such-host.invalid"))
    assert isinstance(unknown, UnknownHostError)
    assert "no-such-host.invalid" in str(unknown)
    assert "[Errno" not in str(unknown)
    assert isinstance(refusal(replace(login, port=free_port())), RefusedError)


def test_a_port_without_ssh_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay_worker.connectors.keys.CONNECT_TIMEOUT_S", 0.3)

    async def go() -> None:
        mute = await asyncio.start_server(lambda r, w: asyncio.sleep(5), "127.0.0.1", 0)
        async with mute:
            await fetch_host_key("127.0.0.1", mute.sockets[0].getsockname()[1], None)

    with pytest.raises(UnreachableError, match="is not an SSH server"):
        asyncio.run(go())


def test_the_users_ssh_agent_and_configuration_are_ignored(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agent and configuration would change the outcome of the login."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host *\n  HostName 192.0.2.1\n  User nobody\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "no-agent"))
    assert on(sshd, lambda c: c.run(["echo", "in"])).stdout == b"in\n"


def test_a_command_that_exits_without_reading_its_input_succeeds(sshd: Sshd) -> None:
    async def late(connection: SshConnection) -> Any:
        start = connection._start

        async def start_and_wait(argv: Any) -> Any:
            session = await start(argv)
            await asyncio.sleep(0.3)
            return session

        connection._start = start_and_wait  # pyright: ignore
        return await connection.run(["echo", "done"], b"input that is not read")

    assert on(sshd, late).stdout == b"done\n"


def test_the_number_of_concurrent_logins_is_limited(
    sshd: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way, most, log_in = 0, 0, asyncssh.connect

    async def counted(*arguments: Any, **named: Any) -> asyncssh.SSHClientConnection:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            return await log_in(*arguments, **named)
        finally:
            under_way -= 1

    async def go() -> None:
        for connection in await asyncio.gather(*(connect(login_to(sshd)) for _ in range(6))):
            await connection.close()

    monkeypatch.setattr(ssh, "_handshakes", asyncio.Semaphore(2))
    monkeypatch.setattr(asyncssh, "connect", counted)
    asyncio.run(go())
    assert most == 2
