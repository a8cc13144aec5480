import asyncio
import os
from pathlib import Path

import pytest
import redis
from assay.supervisor import place, queue_server, up
from assay.supervisor.child import Child


def test_it_keeps_what_it_was_given_across_a_kill_and_listens_on_its_socket_only(
    tmp_path: Path,
) -> None:
    runtime = place.make_runtime_folder(tmp_path)
    socket = place.queue_socket(tmp_path)
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
            await queue_server.answers(socket)
            client = redis.Redis(unix_socket_path=str(socket))
            if body == "write":
                client.rpush("list", "message")
                assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
                assert client.config_get("port")["port"] == "0"
                os.kill(client.info("server")["process_id"], 9)
                while len(lines) == 0 or "SIGKILL" not in lines[-1]:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.5)
                await queue_server.answers(socket)
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


def test_a_server_that_does_not_come_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_server, "ANSWER_WITHIN_S", 0.2)
    with pytest.raises(place.CannotStartError, match="did not answer"):
        asyncio.run(queue_server.answers(tmp_path / "nothing"))


def test_its_advice_for_a_store_of_gigabytes_is_no_line_of_ours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert queue_server.NEEDLESS_ADVICE.encode() in queue_server.program().read_bytes()
    up.log_queue("queue", f"1:M * WARNING {queue_server.NEEDLESS_ADVICE} Without it, a save may")
    up.log_queue("queue", "1:M # Failed opening Unix socket: bind: Address already in use")
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("queue") and "Failed opening" in line
