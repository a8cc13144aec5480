"""Driver of the two probes that observe another program on this machine, and of its commands."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from probe_driver import Probe, moments, of, record
from transfer_driver import Ends, wait_for_trial

FILES = {"input": "files", "files": 3, "file_bytes": 1_000_003}
RECORDS = {"input": "records", "records": 1000, "record_bytes": 40}
LIMITS = {"timeout_ms": 60000, "sync_timeout_ms": 60000}


@dataclass
class Places:
    """What both ends told: the directories of the data, and the sink's ports."""

    source: str | None
    sink: str | None
    port: int
    second_port: int

    def text(self, command: str) -> str:
        """Replace SOURCE, SINK and PORT in a command."""
        for name, value in (("SOURCE", self.source), ("SINK", self.sink), ("PORT", self.port)):
            command = command.replace(name, shlex.quote(str(value)))
        return command


@dataclass
class ToolEnds(Ends):
    """A source and a sink between which shell commands move the input."""

    orders: dict[str, dict[str, object]] = field(default_factory=dict)

    def plan(self, probe: Probe, *trials: dict, target: Path | None, **fields: object) -> str:
        role = "sender" if probe is self.sender else "receiver"
        head = {"v": 2, "job": "tool", "run": f"r1-{role}", "group": "r1", "generation": 1}
        head |= {"watch_ms": 60000, "sample_ms": 100, "role": role, "token": self.token}
        lines = [record("plan", head | {"barrier": "yes"} | fields)]
        if target:
            lines.append(record("target", {"path": target, "reserve_bytes": 0}))
        for position, trial in enumerate(trials):
            lines.append(record("trial", {"position": position, "attempt": 1} | LIMITS | trial))
        return "\n".join([*lines, "end", ""])

    def places(self, trial: int = 0) -> Places:
        """Wait until both ends ask for their orders."""
        source = wait_for_trial(self.sender, "awaiting_orders", trial)
        sink = wait_for_trial(self.receiver, "awaiting_orders", trial)
        return Places(
            source["directory"], sink["directory"], sink["port"] or 0, sink["second_port"] or 0
        )

    def order(self, probe: Probe, places: Places, trial: int = 0, attempt: int = 1, **own) -> None:
        """Give an end its orders; commands may name SOURCE, SINK and PORT."""
        texts = {name: places.text(v) if isinstance(v, str) else v for name, v in own.items()}
        line = record("orders", {"trial": trial, "attempt": attempt} | texts)
        words = ("order", probe.run_dir, trial, "--generation", 1)
        assert probe.answer(*words, stdin=line + "\n") == {"state": "told", "trial": trial}

    def move(self, trial: dict, command: str, *, targets: bool = True, **sink) -> tuple[dict, dict]:
        """Run a trial whose source command is `command`; return both results."""
        self.start(trial, targets=targets)
        self.prepare(command, **sink)
        self.release()
        return self.complete()

    def prepare(self, command: str, source: dict | None = None, **sink) -> Places:
        places = self.places()
        self.order(self.receiver, places, **sink)
        self.order(self.sender, places, main=command, **(source or {}))
        return places

    def complete(self) -> tuple[dict, dict]:
        """Let the sink finish once the source has, or abort it if the source failed."""
        sent = self.sender.wait_for("result")
        self.receiver.release(0, "finish" if sent["status"] == "complete" else "abort")
        return self.results()


def processes(mark: object) -> list[int]:
    """Return the processes that carry a run directory's mark."""
    wanted = f"ASSAY_RUN_DIR={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def await_no_processes(mark: object) -> None:
    for _ in moments():
        if not processes(mark):
            return
    raise AssertionError(f"processes of {mark} remain: {processes(mark)}")


def notice(probe: Probe, code: str) -> dict:
    return next(event for event in of(probe.events(), "notice") if event["code"] == code)
