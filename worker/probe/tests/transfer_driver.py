"""Driver of the two probes of a transfer on this machine: their plans, meeting and start."""

import json
import re
import secrets
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import spool_rules
from probe_driver import Probe, moments, of, record

TRIAL = {
    "leg": "transfer",
    "length_bytes": 4 << 20,
    "duration_ms": 0,
    "block": 1 << 16,
    "timeout_ms": 60000,
    "sync_timeout_ms": 60000,
}
LOOPBACK = "127.0.0.1"


@dataclass
class Ends:
    """A sender and a receiver, each with a run directory of its own."""

    sender: Probe
    receiver: Probe
    token: str = field(default_factory=lambda: secrets.token_hex(32))
    address: str = LOOPBACK
    """Where the connecting end finds the other one."""

    def __iter__(self):
        return iter((self.sender, self.receiver))

    def plan(self, probe: Probe, *trials: dict, target: Path | None, **fields: object) -> str:
        role = "sender" if probe is self.sender else "receiver"
        head = {"v": 2, "job": "path", "run": f"r1-{role}", "group": "r1", "generation": 1}
        head |= {"watch_ms": 60000, "sample_ms": 100, "role": role, "token": self.token}
        lines = [record("plan", head | {"barrier": "yes"} | fields)]
        if target:
            lines.append(record("target", {"path": target, "reserve_bytes": 0}))
        for position, trial in enumerate(trials):
            lines.append(record("trial", {"position": position, "attempt": 1} | TRIAL | trial))
        return "\n".join([*lines, "end", ""])

    def start(self, *trials: dict, targets: bool = True, **fields: object) -> None:
        """Start both ends with the same trials; `own` of a trial has fields of one role only."""
        for probe in self:
            role = "sender" if probe is self.sender else "receiver"
            mine = [
                {name: value for name, value in trial.items() if name != "own"}
                | trial.get("own", {}).get(role, {})
                for trial in trials
            ]
            own = fields.pop(role, {}) if role in fields else {}
            target = probe.target if targets else None
            plan = self.plan(probe, *mine, target=target, **fields | own)
            probe.start(plan, prefix=probe.prefix)

    def meet(self, trial: int = 0) -> int:
        """Tell the connecting end where the other one listens, once it does; return the port."""
        for _ in moments():
            for listener, other in ((self.receiver, self.sender), (self.sender, self.receiver)):
                told = [e for e in of(listener.events(), "listening") if e["trial"] == trial]
                if told:
                    self.connect(other, trial, told[-1]["port"])
                    return told[-1]["port"]
        raise AssertionError("no end listens")

    def connect(self, probe: Probe, trial: int, port: int, address: str | None = None) -> None:
        words = ("connect", probe.run_dir, trial, address or self.address, port, "--generation", 1)
        assert json.loads(probe.verb(*words).stdout) == {"state": "told", "trial": trial}

    def release(self, trial: int = 0) -> None:
        """Release both ends once they are ready, at the same moment."""
        for probe in self:
            wait_for_trial(probe, "ready", trial)
        at = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 20_000_000
        for probe in self:
            probe.release(trial, at)

    def run(self, *trials: dict, **fields: object) -> tuple[dict, dict]:
        """Execute trials at both ends; return the results of the last one: sender's, receiver's."""
        self.start(*trials, **fields)
        for number, trial in enumerate(trials):
            if trial.get("leg", "transfer") == "transfer":
                self.meet(number)
            self.release(number)
        return self.results()

    def fail(self, failing: Probe) -> tuple[dict, dict]:
        """Abort the other end once one has failed, as the driver does; return the results."""
        failing.wait_for("result")
        other = self.receiver if failing is self.sender else self.sender
        other.release(0, "abort")
        return self.results()

    def results(self) -> tuple[dict, dict]:
        """Follow both ends to their end, and return their last results."""
        found = []
        for probe in self:
            probe.follow()
            assert probe.problems() == []
            found.append(of(probe.events(), "result")[-1])
        return found[0], found[1]


def wait_for_trial(probe: Probe, kind: str, trial: int) -> dict:
    for _ in moments():
        found = [e for e in probe.events() if e["ev"] == kind and e.get("trial") == trial]
        if found:
            return found[-1]
        ended = of(probe.events(), "end")
        assert not ended, probe.events()[-4:]
    raise AssertionError(f"no {kind} of trial {trial} came")


def wait_for_window_probes(probe: Probe, count: int) -> None:
    """Wait until the kernel has asked so often whether the closed window of a stream opened."""
    streams = ("nsenter", "-t", str(probe.pid()), "-n", "ss", "-HtnoipO")
    for _ in moments():
        for line in subprocess.check_output(streams, text=True).splitlines():
            backoff = re.search(r"timer:\(persist,.* backoff:(\d+)", line)
            if f"pid={probe.pid()}," in line and backoff and int(backoff[1]) >= count:
                return
    raise AssertionError("no window stayed closed for so long")


def links(probe: Probe) -> list[dict]:
    """Return the link events, whose streams are named by the contract's columns."""
    names = spool_rules.STREAM_COLUMNS
    return [
        event | {"streams": [dict(zip(names, row, strict=True)) for row in event["streams"]]}
        for event in of(probe.events(), "link")
    ]


def error(probe: Probe) -> dict:
    return of(probe.events(), "error")[-1]
