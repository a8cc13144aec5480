"""Recorded runs for replay: the contract's golden spools, and a real `inspect`.

A recorded trial lasts milliseconds. In the replay, all of its work is repeated each second: its
samples are merged into one, and its histogram is multiplied by the number of samples, so that a
replayed trial adds up exactly.
"""

import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.runs.samples.blocks import columns_of, merged, of_samples
from assay.runs.samples.columns import NAMES

ROOT = Path(__file__).resolve().parents[3]
SPOOLS = ROOT / "worker/probe/contract/good"
SECOND = 10**9


@dataclass(frozen=True)
class Recorded:
    """A recorded trial: its start, all its samples merged, its result."""

    began: dict[str, Any]
    sample: dict[str, int | None]
    result: dict[str, Any]

    def values(self, number: int) -> list[int | None]:
        """Return sample `number` of a replayed trial, one second long."""
        own = {"phase": 0, "end_ns": (number + 1) * SECOND, "dt_ns": SECOND}
        return list((self.sample | own).values())

    def after(self, samples: int) -> dict[str, Any]:
        """Return the figures of a result after this many seconds."""
        took = samples * SECOND
        times = {"app_ns": took, "durable_ns": took, "first_done_ns": took, "last_done_ns": took}
        sums = {name: self.result[name] * samples for name in ("ops", "bytes", "lat_sum_ns")}
        histogram = [[step, count * samples] for step, count in self.result["hist"]]
        return {**self.result, **times, **sums, "hist": histogram}


@cache
def trials() -> tuple[Recorded, ...]:
    """Return every complete write trial of the matrix in the golden spools."""
    return tuple(trial for path in sorted(SPOOLS.glob("*.ndjson")) for trial in _complete(path))


@cache
def hello() -> dict[str, Any]:
    """Return the first line of a recorded run."""
    return json.loads((SPOOLS / "complete.ndjson").read_text().partition("\n")[0])


def inspection(probe: Path, folder: Path) -> dict[str, Any]:
    """Return a real probe's inspection of this machine and a directory, as if on its own disk."""
    command = [probe, "inspect", "--target", folder]
    found = json.loads(subprocess.check_output(list(map(str, command)), text=True))
    found["target"] |= {"is_root_fs": False, "disks": []}
    return found


def _complete(path: Path) -> list[Recorded]:
    found: list[Recorded] = []
    began: dict[str, Any] = {}
    samples: list[list[int | None]] = []
    for line in path.read_text().splitlines():
        if not line.endswith("}"):
            break  # a golden spool may end in a torn line
        event = json.loads(line)
        match event["ev"]:
            case "trial":
                began, samples = event, []
            case "sample":
                samples.append(event["s"])
            case "result" if _usable(began, event, samples):
                whole = merged(of_samples(columns_of(samples)), len(samples))
                sample = {name: whole[name][0] for name in NAMES}
                found.append(Recorded(began, sample, event))
    return found


def _usable(began: dict[str, Any], result: dict[str, Any], samples: list[Any]) -> bool:
    complete = result["status"] == "complete" and result["sync"] == "complete"
    written = began["parameters"].get("operation") == "write" and result["detail"] is None
    return written and complete and bool(samples)
