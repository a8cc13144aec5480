import asyncio
import os
from pathlib import Path

import pytest
import redis
from assay.base import home as home_directory
from assay.supervisor import queue_server, up
from assay.supervisor.child import Child


def test_it_keeps_data_after_a_kill_and_listens_only_on_its_socket(
    tmp_path: Path,
) -> None:
    runtime = home_directory.make_runtime_folder(tmp_path)
    socket = home_directory.queue_socket(tmp_path)
    lines: list[str] = []
    child = Child(
        "queue",
        queue_server.command(tmp_path, socket),
        os.environ,
        lambda _, line: lines.append(line),
    )

    async def once(body: str) -> None:
        task = asyncio.create_task(child.keep())
        try:
            await queue_server.wait_until_ready(socket)
            client = redis.Redis(unix_socket_path=str(socket))
            if body == "write":
                client.rpush("list", "message")
                assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
                assert client.config_get("port")["port"] == "0"
                os.kill(client.info("server")["process_id"], 9)
                while len(lines) == 0 or "SIGKILL" not in lines[-1]:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.5)
                await queue_server.wait_until_ready(socket)
            assert client.lrange("list", 0, -1) == [b"message"]
            assert socket.stat().st_mode & 0o777 == 0o700
        finally:
            task.cancel()
            await asyncio.wait({task})

    try:
        asyncio.run(once("write"))
        asyncio.run(once("read"))
    finally:
        socket.unlink(missing_ok=True)
        runtime.rmdir()


def test_a_server_that_does_not_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_server, "STARTUP_TIMEOUT_S", 0.2)
    with pytest.raises(home_directory.StartupError, match="did not respond"):
        asyncio.run(queue_server.wait_until_ready(tmp_path / "nothing"))


def test_the_memory_warning_is_not_logged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert queue_server.IGNORED_WARNING.encode() in queue_server.program().read_bytes()
    up.log_queue("queue", f"1:M * WARNING {queue_server.IGNORED_WARNING} Without it, a save may")
    up.log_queue("queue", "1:M # Failed opening Unix socket: bind: Address already in use")
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("queue") and "Failed opening" in line
