"""Connections through jump hosts; every host is a real sshd."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import asyncssh
import pytest
from assay_worker.connectors.keys import fetch_host_key, fingerprint
from assay_worker.connectors.ssh import SshLogin, connect, connect_jump_host
from assay_worker.errors import (
    AuthenticationError,
    HostError,
    HostKeyChangedError,
    JumpHostError,
    JumpHostUnreachableError,
    RefusedError,
    UnknownHostError,
)
from testing.sshd import Sshd, free_port


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[str], Sshd]]:
    made: list[Sshd] = []

    def new(name: str) -> Sshd:
        server = Sshd(tmp_path / name)
        server.start()
        made.append(server)
        return server

    yield new
    for server in made:
        server.stop()


@pytest.fixture
def bastion(make: Callable[[str], Sshd]) -> Sshd:
    return make("bastion")


def login(server: Sshd, name: str, jump: SshLogin | None = None) -> SshLogin:
    return SshLogin(
        "127.0.0.1",
        server.port,
        server.user,
        server.host_key,
        server.private_key,
        name=name,
        jump=jump,
    )


def said(wanted: SshLogin) -> bytes:
    async def go() -> bytes:
        connection = await connect(wanted)
        try:
            return (await connection.run(["echo", "here"])).stdout
        finally:
            await connection.close()

    return asyncio.run(go())


def failure(wanted: SshLogin) -> HostError:
    with pytest.raises(HostError) as caught:
        said(wanted)
    return caught.value


def test_a_host_is_reached_through_a_chain_of_jump_hosts(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    inner, target = make("inner"), make("target")
    way = login(target, "target", login(inner, "inner", login(bastion, "bastion")))
    assert said(way) == b"here\n"
    for server in (bastion, inner, target):
        assert "Accepted publickey" in (server.folder / "log").read_text()


def test_the_connections_to_the_jump_hosts_end_with_the_connection(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")

    async def go() -> bool:
        connection = await connect(login(target, "target", login(bastion, "bastion")))
        through = connection._through  # pyright: ignore[reportPrivateUsage]
        assert through is not None
        await connection.close()
        await asyncio.sleep(0.1)
        return through.as_jump_host("bastion").connection.is_closed()

    assert asyncio.run(go())


def test_the_key_of_a_host_is_fetched_through_a_jump_host(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")

    async def go() -> str:
        through = await connect_jump_host(login(bastion, "bastion"))
        try:
            jump = through.as_jump_host("bastion")
            return await fetch_host_key("127.0.0.1", target.port, None, jump)
        finally:
            await through.close()

    assert asyncio.run(go()) == target.host_key
    assert "Accepted" not in (target.folder / "log").read_text()


def test_a_stopped_jump_host_is_named_and_is_worth_a_retry(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")
    bastion.stop()
    error = failure(login(target, "target", login(bastion, "bastion")))
    assert isinstance(error, JumpHostUnreachableError)
    assert error.transient
    assert str(error).startswith("jump host bastion: The connection was refused")


def test_a_rejected_login_on_a_jump_host_is_not_the_targets(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")
    other = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()
    error = failure(login(target, "target", replace(login(bastion, "bastion"), private_key=other)))
    assert type(error) is JumpHostError
    assert not error.transient
    assert str(error).startswith("jump host bastion: The host rejected the login")


def test_a_changed_key_of_a_jump_host_is_not_a_key_of_the_target(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")
    old = login(bastion, "bastion")
    bastion.stop()
    bastion.new_host_key()
    bastion.start()
    error = failure(login(target, "target", old))
    assert type(error) is JumpHostError
    assert not isinstance(error, HostKeyChangedError)
    assert fingerprint(bastion.host_key) in str(error)
    assert "Accepted" not in (target.folder / "log").read_text()


def test_the_failure_of_the_farther_jump_host_is_named_once(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    inner, target = make("inner"), make("target")
    bastion.stop()
    way = login(target, "target", login(inner, "inner", login(bastion, "bastion")))
    error = failure(way)
    assert str(error).startswith("jump host bastion: ")
    assert "inner" not in str(error)


def test_a_jump_host_that_does_not_forward_is_named(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")
    bastion.stop()
    bastion.options = ["AllowTcpForwarding no"]
    bastion.start()
    error = failure(login(target, "target", login(bastion, "bastion")))
    assert type(error) is JumpHostError
    assert str(error).startswith(
        f"jump host bastion: does not forward to 127.0.0.1 port {target.port}"
    )
    assert "AllowTcpForwarding" in error.remedy


def test_failures_of_the_target_stay_the_targets(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")
    way = login(target, "target", login(bastion, "bastion"))
    assert isinstance(failure(replace(way, user="nobody-like-this")), AuthenticationError)
    refused = failure(replace(way, port=free_port()))
    assert isinstance(refused, RefusedError)
    assert "from the jump host bastion" in str(refused)
    unknown = failure(replace(way, address="no-such-host.invalid"))
    assert isinstance(unknown, UnknownHostError)
    assert "bastion cannot resolve no-such-host.invalid" in str(unknown)
    target.stop()
    target.new_host_key()
    target.start()
    changed = failure(way)
    assert isinstance(changed, HostKeyChangedError)
    assert changed.offered == target.host_key


def test_a_jump_host_that_dies_during_a_command_ends_it(
    make: Callable[[str], Sshd], bastion: Sshd
) -> None:
    target = make("target")

    async def go() -> None:
        connection = await connect(login(target, "target", login(bastion, "bastion")))
        try:
            stream = await connection.stream(["sh", "-c", "echo one; sleep 30"])
            await stream.read(100)
            await asyncio.to_thread(bastion.stop)
            while await stream.read(100):
                pass
            await stream.finish()
        finally:
            await connection.close()

    with pytest.raises(HostError) as caught:
        asyncio.run(go())
    assert caught.value.transient
