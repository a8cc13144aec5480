"""Driver of the probes of a trial of records on this machine: some senders and one receiver."""

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from probe_driver import Probe, of, record
from transfer_driver import LOOPBACK

RECORDS = {
    "record_bytes": 10,
    "records": 25_000,
    "batch_records": 1000,
    "timeout_ms": 60000,
    "sync_timeout_ms": 60000,
}


@dataclass
class RecordEnds:
    """Senders and their receiver, each with a run directory of its own."""

    senders: list[Probe]
    receiver: Probe
    token: str = field(default_factory=lambda: secrets.token_hex(32))

    def __iter__(self) -> Iterator[Probe]:
        return iter((*self.senders, self.receiver))

    def plan(self, probe: Probe, trial: dict, target: Path | None = None, **fields: object) -> str:
        number = None if probe is self.receiver else self.senders.index(probe)
        role = "receiver" if number is None else "sender"
        run = f"r1-{role}" if number is None else f"r1-{role}{number}"
        head = {"v": 2, "job": "records", "run": run, "group": "r1"}
        head |= {"generation": 1, "watch_ms": 60000, "sample_ms": 100, "role": role}
        own = {} if number is None else {"sender": number}
        lines = [record("plan", head | {"token": self.token, "barrier": "yes"} | fields)]
        if target:
            lines.append(record("target", {"path": target, "reserve_bytes": 0}))
        agreed = {"position": 0, "attempt": 1, "senders": len(self.senders)}
        return "\n".join([*lines, record("trial", agreed | RECORDS | own | trial), "end", ""])

    def start(self, trial: dict, **fields: object) -> None:
        """Start all ends with the same trial; the receiver has a target if its sink is a disk."""
        for probe in self:
            disk = probe is self.receiver and trial.get("sink") == "disk"
            target = probe.target if disk else None
            probe.start(self.plan(probe, trial, target, **fields), prefix=probe.prefix)

    def meet(self, attempt: int = 1, generation: int = 1) -> None:
        """Tell each sender where the receiver listens, once it does."""
        port = self.receiver.wait_for("listening", count=attempt)["port"]
        for sender in self.senders:
            words = ("connect", sender.run_dir, 0, LOOPBACK, port, "--generation", generation)
            assert json.loads(sender.verb(*words).stdout)["state"] == "told"

    def release(self, attempt: int = 1, generation: int = 1) -> None:
        """Release all ends once they are ready, at the same moment."""
        for probe in self:
            probe.wait_for("ready", count=attempt)
        at = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 20_000_000
        for probe in self:
            probe.release(0, at, generation)

    def begin(self, trial: dict, **fields: object) -> None:
        """Bring all ends to the start of the trial."""
        self.start(trial, **fields)
        self.meet()
        self.release()

    def run(self, trial: dict, **fields: object) -> tuple[list[dict], dict]:
        """Execute a trial; return the results of the senders and of the receiver."""
        self.begin(trial, **fields)
        return self.results()

    def results(self) -> tuple[list[dict], dict]:
        """Follow all ends to their end, and return their last results."""
        found = [last_result(probe) for probe in self]
        return found[:-1], found[-1]


def last_result(probe: Probe) -> dict:
    """Follow a probe to its end, and return its last result."""
    probe.follow()
    assert probe.problems() == []
    return of(probe.events(), "result")[-1]


def recount(probe: Probe) -> dict:
    return of(probe.events(), "recount")[-1]
