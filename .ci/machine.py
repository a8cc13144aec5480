"""Runs commands until a deadline, and measures the time and the processor time that they took."""

import contextlib
import hashlib
import os
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

END_WITHIN_S = 60.0
"""How long a command may take to end after SIGINT, with its report and the removal of its parts."""
TICKS = os.sysconf("SC_CLK_TCK")
REFERENCE_S = 0.0186
"""Processor time of `_fixed_work` on the machine that the budgets were measured on."""
PAUSE_S = 20.0
"""Between two measurements of the processors' speed: a thousandth of one core."""


@dataclass(frozen=True)
class Used:
    """How a command ended, its duration, and the processor time of it and its descendants.

    A descendant counts if its parent waited for it.
    """

    code: int
    seconds: float
    cpu_s: float
    failure: str = ""


class Processes:
    """Commands that run at the same time, and end together at the deadline or with Ctrl-C."""

    def __init__(self, deadline_s: float | None) -> None:
        """Count the deadline from now; None is no limit."""
        self._deadline_s = deadline_s
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self._over = ""
        self._timer = threading.Timer(deadline_s, self._expire) if deadline_s else None

    def __enter__(self) -> Self:
        """Start the deadline; let Ctrl-C end the commands, which are in sessions of their own."""
        self._handler = signal.signal(signal.SIGINT, self._interrupt)
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the deadline."""
        signal.signal(signal.SIGINT, self._handler)
        if self._timer:
            self._timer.cancel()

    def run(
        self, command: list[str], folder: Path, environment: Mapping[str, str], output: Path | None
    ) -> Used:
        """Run a command to its end; its output goes to a file, or is passed through if None."""
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(output.open("wb")) if output else None
            with self._lock:
                if self._over:
                    return Used(1, 0, 0, f"not run: {self._over}")
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env=environment,
                    stdout=file,
                    stderr=subprocess.STDOUT if file else None,
                    start_new_session=True,
                )
                self._running.add(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        with self._lock:
            self._running.remove(process.pid)
        code = process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        failure = self._over or f"exit code {code}"
        return Used(code or bool(self._over), seconds, usage.ru_utime + usage.ru_stime, failure)

    def _interrupt(self, _number: int, _frame: object) -> None:
        threading.Thread(target=self._end, args=("interrupted",)).start()

    def _expire(self) -> None:
        minutes = (self._deadline_s or 0) / 60
        print(f"\n=== the tests took more than {minutes:.0f} min: stopping them", flush=True)
        self._end(f"stopped after {minutes:.0f} min")

    def _end(self, reason: str) -> None:
        for number, wait_s in ((signal.SIGINT, END_WITHIN_S), (signal.SIGKILL, 0)):
            with self._lock:
                self._over = reason
                for pid in self._running:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(pid, number)
            until = time.monotonic() + wait_s
            while self._running and time.monotonic() < until:
                time.sleep(0.1)


class Machine:
    """Processor time of the whole machine since its creation, with what no command accounts for.

    Processors of other makes, or that share their core with somebody else's threads, need more of
    it for the same work; fixed work, done again and again, tells how much.
    """

    def __init__(self) -> None:
        """Begin now."""
        self._began = time.monotonic()
        self._before = _processor_times()
        self._work_s = [_fixed_work()]
        threading.Thread(target=self._repeat_work, daemon=True).start()

    def slowness(self) -> float:
        """Return how much more processor time the same work needs than where budgets come from.

        That is the median over the time since the creation, and at least 1.
        """
        return max(1.0, statistics.median(self._work_s) / REFERENCE_S)

    def _repeat_work(self) -> None:
        while True:
            time.sleep(PAUSE_S)
            self._work_s.append(_fixed_work())

    def used(self) -> str:
        """Format the time, the processor time, and what a hypervisor took."""
        now = _processor_times()
        busy, stolen = (after - before for after, before in zip(now, self._before, strict=True))
        seconds = time.monotonic() - self._began
        return (
            f"{seconds:.0f} s, {busy:.0f} s of processor time on {os.cpu_count()} cores,"
            f" {stolen:.0f} s stolen, {self.slowness():.2f} times that of the budgets' machine"
        )


def _fixed_work() -> float:
    """Do what tests mostly do, interpreting and hashing; return its processor time in seconds."""
    began = time.thread_time()
    hashlib.sha256(bytes(8 << 20)).digest()
    total = 0
    for number in range(300_000):
        total += number & 7
    {str(number): number + total for number in range(30_000)}
    return time.thread_time() - began


def _processor_times() -> tuple[float, float]:
    """Return the seconds that the processors were busy, and those that a hypervisor stole."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, stolen = map(int, fields[:8])
    return (user + nice + system + irq + softirq) / TICKS, stolen / TICKS
