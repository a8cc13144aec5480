"""Driver of a real probe for tests: plans, verbs, spools, and waiting for events."""

import fcntl
import itertools
import json
import os
import re
import signal
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import spool_rules

PATIENCE_S = 60
OF_A_TARGET = ("path", "role", "fs_type", "fs_source", "fs_uuid", "reserve_bytes")
TRIALS = {
    "matrix": {
        "operation": "write",
        "file_size": 1 << 20,
        "block": 65536,
        "threads": 1,
        "files": 1,
        "layout": "fresh",
        "cache": "page",
        "open": "rw",
    },
    "sustained": {
        "operation": "write",
        "length_bytes": 1 << 20,
        "duration_ms": 0,
        "block": 65536,
        "streams": 1,
        "layout": "one",
        "cache": "page",
        "pace": "none",
        "mark_bytes": 1 << 18,
    },
}
"""Small, harmless trials of each job."""
LONG = {"file_size": 1 << 30, "block": 512, "open": "rws"}  # minutes, until something ends it


class Probe:
    """One probe binary, with a home for its runs and a target to measure."""

    def __init__(self, binary: Path, home: Path, target: Path) -> None:
        self.binary, self.home, self.target = binary, home, target
        self.reports = home / "sanitizer"
        options = f"log_path={self.reports}:abort_on_error=0"
        self.environment = os.environ | {
            "ASAN_OPTIONS": options,
            "UBSAN_OPTIONS": options + ":print_stacktrace=1",
        }
        self.run_dir = home / "runs" / "run"
        self.prefix: tuple[str, ...] = ()
        """The command that starts the probe."""
        self.patience_s = PATIENCE_S
        """The time that a verb may take."""

    def verb(
        self, *words: object, stdin: str | bytes = b"", prefix: tuple = (), check: bool = True
    ):
        """Run a verb to its end; with `check` it must succeed."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run(
            [*prefix, self.binary, *map(str, words)],
            input=data,
            capture_output=True,
            timeout=self.patience_s,
            env=self.environment,
            check=False,
        )
        assert not check or done.returncode == 0, (done.returncode, done.stderr.decode())
        return done

    def answer(self, *words: object, **options) -> dict:
        return json.loads(self.verb(*words, **options).stdout)

    def plan(self, *trials: dict, **fields: object) -> str:
        """Return a plan of small trials; unspecified fields have small, harmless values."""
        head = {
            "job": "matrix",
            "run": "r1-p1",
            "generation": 1,
            "watch_ms": 60000,
            "sample_ms": 100,
        } | {name: value for name, value in fields.items() if name not in OF_A_TARGET}
        target = {"path": self.target, "reserve_bytes": 0}
        target |= {name: value for name, value in fields.items() if name in OF_A_TARGET}
        lines = [record("plan", {"v": 2} | head), record("target", target)]
        for position, trial in enumerate(trials):
            lines.append(
                record(
                    "trial",
                    {
                        "position": position,
                        "attempt": 1,
                        **TRIALS[str(head["job"])],
                        "timeout_ms": 60000,
                        "sync_timeout_ms": 60000,
                    }
                    | trial,
                )
            )
        return "\n".join([*lines, "end", ""])

    def start(self, plan: str, **options):
        return self.verb("start", self.run_dir, stdin=plan, **options)

    def follow(self, offset: int = 0, generation: int = 1, **options):
        return self.verb(
            "follow", self.run_dir, "--from", offset, "--generation", generation, **options
        )

    def release(self, trial: int, when: int | str, generation: int = 1, **options):
        """Let a trial start at a moment of the boot clock, or abort it."""
        words = ("release", self.run_dir, trial, when, "--generation", generation)
        return self.verb(*words, **options)

    def stop(self, generation: int = 1, wait_ms: int = 20000) -> str:
        return self.stop_answer(generation, wait_ms)["state"]

    def stop_answer(self, generation: int = 1, wait_ms: int = 20000) -> dict:
        return self.answer("stop", self.run_dir, "--generation", generation, "--wait-ms", wait_ms)

    def start_traced(self, plan: str, prefix: tuple) -> None:
        """Start under strace, which runs until the probe has exited, without waiting for it."""
        argv = [str(word) for word in (*prefix, self.binary, "start", self.run_dir)]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(plan.encode())
        process.stdin.close()

    def run(self, *trials: dict, **fields: object) -> list[dict]:
        """Execute a plan to its end and return its events, which must keep all rules."""
        answer = json.loads(self.start(self.plan(*trials, **fields)).stdout)
        spool = self.follow(answer["offset"], fields.get("generation", 1)).stdout
        assert self.problems() == []
        return spool_rules.parse(spool)

    def problems(self) -> list[str]:
        return spool_rules.problems(self.spool())

    def spool(self) -> bytes:
        path = self.run_dir / "events.ndjson"
        return path.read_bytes() if path.exists() else b""

    def events(self) -> list[dict]:
        return spool_rules.parse(self.spool())

    def wait_for(self, kind: str, count: int = 1) -> dict:
        """Return the `count`-th event of a kind once it is in the spool."""
        for _ in moments():
            found = [event for event in self.events() if event["ev"] == kind]
            if len(found) >= count:
                return found[count - 1]
        raise AssertionError(f"no {kind} came")

    def pid(self) -> int:
        return int((self.run_dir / "lock").read_text())

    def test_files(self) -> list[Path]:
        """Return the test files that a running probe has open, in order of creation."""
        found = []
        open_files = sorted(Path(f"/proc/{self.pid()}/fd").iterdir(), key=lambda fd: int(fd.name))
        for fd in open_files:
            with suppress(FileNotFoundError):  # closed since the directory was read
                if re.search(r"/\.assay-[^/]*/", str(fd.readlink())):
                    found.append(fd)
        return found

    def kill(self) -> None:
        """SIGKILL the detached probe and wait until its last thread has ended, and so its lock."""
        os.kill(self.pid(), signal.SIGKILL)
        for _ in moments():
            if not is_locked(self.run_dir / "lock"):
                return
        raise AssertionError("the probe did not die")

    def leftovers(self) -> list[str]:
        return sorted(str(path.relative_to(self.target)) for path in self.target.rglob("*"))

    def clean_up(self) -> None:
        for run_dir in (self.home / "runs").glob("*"):
            self.verb("stop", run_dir, "--generation", (1 << 63) - 1, check=False)


def record(name: str, fields: dict) -> str:
    return " ".join(
        [name, *(f"{key}={quote(str(value), safe='/:-._~')}" for key, value in fields.items())]
    )


def moments(seconds: float = PATIENCE_S) -> Iterator[int]:
    end = time.monotonic() + seconds
    for number in itertools.count():
        yield number
        if time.monotonic() > end:
            return
        time.sleep(0.01)


def is_locked(path: Path) -> bool:
    """Return whether a process holds an open-file-description lock, as the probe checks it."""
    unlocked, get_lock = fcntl.F_UNLCK, 36  # F_OFD_GETLK, which Python's fcntl does not name
    with path.open("r+b") as lock:
        whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        return struct.unpack("hhqqi4x", fcntl.fcntl(lock, get_lock, whole))[0] != unlocked


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def of(events: list[dict], kind: str) -> list[dict]:
    return [event for event in events if event["ev"] == kind]


def samples(events: list[dict]) -> list[dict]:
    return [spool_rules.sample_of(event) for event in of(events, "sample")]
