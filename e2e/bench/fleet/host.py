"""A simulated host: answers the probe's verbs, and measures a run by replaying a recorded one.

Its spool grows by a sample each second whether it is followed or not, as a real one does. The bench
compares the database with the written bytes and their times.
"""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.runs.lifecycle import DONE
from fleet import recording

INTERVAL_S = 1.0
JITTER_S = 0.1
"""How far a sample may come before or after its time."""

NO_RUN, FENCED = 11, 4
"""Exit codes of the probe's contract."""

BOTH_OPEN_S = 1.0
"""A follower that another has replaced may take this long to notice."""


@dataclass(eq=False)
class Follower:
    """One open `follow`: its generation, and an event for new bytes."""

    generation: int
    bell: asyncio.Event = field(default_factory=asyncio.Event)


class Host:
    """One host with at most one run."""

    def __init__(self, name: str, facts: dict[str, Any], seed: int) -> None:
        """Start without a run."""
        identity = {"hostname": name, "machine_id": f"{name}-machine", "boot_id": f"{name}-boot"}
        self.name, self._facts = name, facts | identity
        self._chance = random.Random(seed)
        self._recorded = self._chance.choice(recording.trials())
        self.spool = bytearray()
        self.written_at: list[float] = []
        """When each event was written, on the monotonic clock; its place is its `seq`."""
        self.samples: list[int] = []
        """The `seq` of each sample."""
        self.bytes_claimed = 0
        self.ended, self.hurry = False, asyncio.Event()
        self.followers: set[Follower] = set()
        self.starts = self.driven_twice = 0
        self._generation, self._measuring = 0, None
        self._began = 0.0
        self.longest_unwatched_s, self._unwatched_at = 0.0, 0.0
        """How long it measured without a follower: a real probe stops at a limit."""

    @property
    def running(self) -> bool:
        """Whether it measures now."""
        return self._measuring is not None and not self.ended

    def answer(self, argv: list[str], stdin: str) -> tuple[int, dict[str, Any] | str]:
        """Return exit code, and JSON on standard output or an error message."""
        match argv[1:]:
            case ["inspect", *_]:
                return 0, self._facts
            case ["sweep", *_]:
                return 0, {"removed": [], "kept": [], "failed": []}
            case ["start", run_dir]:
                return self._start(run_dir.rpartition("/")[2], stdin)
            case ["stop", *_]:
                self.hurry.set()
                return 0, {"state": "done" if self.ended else "stopping", "call": None}
            case _:
                return 2, f"a simulated probe has no such verb: {argv[1:]}"

    def _start(self, name: str, plan: str) -> tuple[int, dict[str, Any]]:
        head, *lines = plan.splitlines()
        trials = [_fields(line) for line in lines if line.startswith("trial ")]
        self._generation = max(self._generation, int(_fields(head)["generation"]))
        if self._measuring is None:
            self.starts += 1
            self._unwatched_at = time.monotonic()
            self._measuring = asyncio.create_task(self._measure(name, trials))
            return 0, {"state": "started", "segment": 1, "offset": 0}
        return 0, {"state": "done" if self.ended else "running", "segment": 1, "offset": 0}

    @contextlib.contextmanager
    def following(self, generation: int) -> Iterator[Follower | tuple[int, str]]:
        """Return a follower, or the exit code and message of its rejection."""
        if self._measuring is None:
            yield NO_RUN, f"{self.name}: no such run"
            return
        if generation < self._generation:
            yield FENCED, f"generation {generation} is lower than {self._generation}"
            return
        self._generation = generation
        follower = Follower(generation)
        for other in self.followers:
            asyncio.get_running_loop().call_later(BOTH_OPEN_S, self._look, other, follower)
        self._note_unwatched()
        self.followers.add(follower)
        try:
            yield follower
        finally:
            self.followers.discard(follower)
            self._unwatched_at = time.monotonic()

    def _note_unwatched(self) -> None:
        if not self.followers:
            unwatched_s = time.monotonic() - self._unwatched_at
            self.longest_unwatched_s = max(self.longest_unwatched_s, unwatched_s)

    def _look(self, older: Follower, newer: Follower) -> None:
        if older in self.followers and newer in self.followers:
            self.driven_twice += 1

    async def _measure(self, name: str, trials: list[dict[str, str]]) -> None:
        self._began = time.monotonic()
        opening = {"generation": self._generation, "run": name, "hostname": self.name}
        clocks = {"wall_ns": time.time_ns(), "mono_ns": time.monotonic_ns()}
        self._write(recording.hello() | opening | clocks)
        due = self._began + self._chance.uniform(0, INTERVAL_S)
        for trial in trials:
            of = {"trial": int(trial["position"]), "attempt": int(trial["attempt"])}
            planned = max(1, int(trial["timeout_ms"]) // 1000)
            self._write(self._recorded.began | of)
            done = 0
            while done < planned and not (done and self.hurry.is_set()):
                due += INTERVAL_S
                await self._until(due + self._chance.uniform(-JITTER_S, JITTER_S))
                self.samples.append(len(self.written_at))
                self._write({"ev": "sample", **of, "s": self._recorded.values(done)})
                done += 1
            self.bytes_claimed += self._recorded.result["bytes"] * done
            self._write(self._recorded.after(done) | of | {"started_ns": 0})
        closing = {"status": DONE, "reason": None, "cleaned": True, "trials_complete": len(trials)}
        self._write({"ev": "end", **closing})
        self._note_unwatched()
        self.ended = True
        self._ring()

    async def _until(self, due: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.hurry.wait(), max(0, due - time.monotonic()))

    def _write(self, event: dict[str, Any]) -> None:
        elapsed = int((time.monotonic() - self._began) * 1e9)
        line = event | {"v": 2, "seq": len(self.written_at), "t": elapsed}
        self.spool += json.dumps(line, separators=(",", ":")).encode() + b"\n"
        self.written_at.append(time.monotonic())
        self._ring()

    def _ring(self) -> None:
        for follower in self.followers:
            follower.bell.set()


def _fields(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in line.split()[1:] if "=" in word)
