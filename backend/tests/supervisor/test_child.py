import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from assay.supervisor.child import Child, ended

Lines = list[tuple[str, str]]


def child(program: str, lines: Lines) -> Child:
    return Child(
        "part", [sys.executable, "-uc", program], os.environ, lambda *line: lines.append(line)
    )


def alive(pid: int) -> bool:
    try:
        return not Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].startswith(" Z")
    except FileNotFoundError:
        return False


async def until(check: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not check():
            await asyncio.sleep(0.01)


async def kept(part: Child, body: Callable[[], Awaitable[None]]) -> None:
    task = asyncio.create_task(part.keep())
    try:
        await body()
    finally:
        task.cancel()
        await asyncio.wait({task})


def test_output_is_logged_with_the_name_including_an_unterminated_line() -> None:
    lines: Lines = []
    code = asyncio.run(child("print('one'); print('two', end=''); exit(3)", lines).once())
    assert (code, lines) == (3, [("part", "one"), ("part", "two")])


def test_a_dead_child_is_restarted_and_logged() -> None:
    lines: Lines = []
    part = child("import os, time; print(os.getpid()); time.sleep(60)", lines)

    async def body() -> None:
        await until(lambda: lines)
        os.kill(int(lines[0][1]), signal.SIGKILL)
        await until(lambda: len(lines) == 3)

    asyncio.run(kept(part, body))
    assert lines[1] == ("assay", "part was killed by SIGKILL; restarting in 0.5 s")
    assert lines[2][1] != lines[0][1]
    assert not alive(int(lines[2][1]))


def test_the_backoff_grows_while_the_child_fails() -> None:
    lines: Lines = []

    async def body() -> None:
        await until(lambda: len(lines) == 3)

    asyncio.run(kept(child("exit(1)", lines), body))
    assert [line.split()[-2] for _, line in lines] == ["0.5", "1", "2"]


def test_an_exit_is_detected_and_grandchildren_with_the_pipe_are_killed() -> None:
    lines: Lines = []
    program = (
        "import subprocess, sys\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    )
    assert asyncio.run(child(program, lines).once()) == 0
    deadline = time.monotonic() + 5
    while alive(int(lines[0][1])) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(int(lines[0][1]))


def test_cancellation_terminates_the_child_and_waits(tmp_path: Path) -> None:
    lines: Lines = []
    mark = tmp_path / "ended in order"
    program = (
        "import pathlib, signal, sys, time\n"
        f"def end(*_): time.sleep(0.3); pathlib.Path({str(mark)!r}).touch(); sys.exit()\n"
        "signal.signal(signal.SIGTERM, end); print('ready'); time.sleep(60)"
    )

    async def body() -> None:
        await until(lambda: lines)

    asyncio.run(kept(child(program, lines), body))
    assert mark.exists()


def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    program = (
        "import asyncio, os, sys; from assay.supervisor.child import Child\n"
        "inner = 'import os, time; print(os.getpid(), flush=True); time.sleep(60)'\n"
        "part = Child('part', [sys.executable, '-c', inner], os.environ,\n"
        "             lambda _, line: print(line, flush=True))\n"
        "asyncio.run(part.keep())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as supervisor:
        assert supervisor.stdout is not None
        pid = int(supervisor.stdout.readline())
        assert alive(pid)
        supervisor.kill()
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(pid)


def test_an_exit_code_is_described() -> None:
    assert ended(2) == "exited with code 2"
    assert ended(-9) == "was killed by SIGKILL"
