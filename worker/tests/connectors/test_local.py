import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from assay.base.settings import APPLIANCE
from assay_worker.connectors import local
from assay_worker.connectors.local import LocalConnection
from assay_worker.errors import ProbeFailedError


def here(work: Callable[[LocalConnection], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(work(LocalConnection()))


def test_a_stream_delivers_output_exit_code_and_standard_error() -> None:
    async def work(connection: LocalConnection) -> tuple[bytes, int, str]:
        stream = await connection.stream(["sh", "-c", "echo one; echo why >&2; exit 10"])
        told = await stream.read(100)
        done = await stream.finish()
        return told, done.exit_code, done.complaint

    assert here(work) == (b"one\n", 10, "why")


def test_a_command_that_closes_its_output_without_exiting_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "END_TIMEOUT_S", 0.3)

    async def work(connection: LocalConnection) -> int | None:
        stream = await connection.stream(["sh", "-c", "exec cat >/dev/null 2>&1"])
        assert await stream.read(100) == b""
        with pytest.raises(ProbeFailedError, match="closed its output, but did not exit within"):
            await stream.finish()
        monkeypatch.undo()
        await stream.close()
        return stream._process.returncode  # pyright: ignore

    assert here(work) == -9


def test_a_command_has_the_environment_without_what_is_the_appliances_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = {
        *(APPLIANCE, "ASSAY_SECRET_KEY", "ASSAY_DATABASE_URL", "ASSAY_TOKEN", "ASSAY_LATER"),
        *("assay_secret_key", "Assay_Database_Url", "PGPASSWORD", "REDISCLI_AUTH"),
    }
    others = {"RSYNC_RSH", "ASSAYER", "ASSAY_PROBE_ROOT", "ASSAY_TEST_WALL_AHEAD_S"}
    for name in own | others:
        monkeypatch.setenv(name, "secret" if name in own else "ssh -p 2222")

    async def work(connection: LocalConnection) -> str:
        return (await connection.run(["env"])).stdout.decode()

    printed = here(work)
    found = dict(line.partition("=")[::2] for line in printed.splitlines())
    assert {name: found[name] for name in others} == dict.fromkeys(others, "ssh -p 2222")
    assert found["LC_ALL"] == "C"
    assert own.isdisjoint(found), printed
