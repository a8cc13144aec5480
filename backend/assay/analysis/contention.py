"""Contention: whether other processes or hosts used a trial's device. Pure.

The device's counters contain all bytes. The bytes beyond the probe's own are contention or
amplification (a journal, copy on write). Three readings separate them: traffic against the trial's
direction, which amplification does not cause; traffic just after the trial, while the probe is
idle; and the bytes of other processes, if the probe may read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from assay.analysis.words import rate, size

DISTURBS = 0.05
"""A trial is contended if other I/O is at least this share of its bytes."""

LEAST_BYTES = 1_000_000
"""Fewer bytes of other I/O never count: they may be a log or a journal."""

LEAST_QUIET_BYTES = 262_144
"""As `LEAST_BYTES`, in the 0.2 s after the trial."""

ContentionState = Literal["none", "contended", "others_or_amplification", "unknown"]
ContentionReason = Literal[
    "no_counter",
    "other_hosts_unseen",
    "opposite_direction",
    "other_processes",
    "busy_after_trial",
    "under_threshold",
    "amplified",
    "excess",
    "interrupted",
]
"""The rule that decided."""


@dataclass(frozen=True)
class Traffic:
    """A trial's bytes and its device's, from the probe's result.

    `unseen` is why other I/O may not be visible, such as an array behind the device; `copies` is
    how often the devices store each byte. `siblings_bytes` are the bytes of participants of the
    same run on the device, which are not contention; None if there are none.
    `siblings_host_bytes` are those on any device of the host, moved by other processes.
    `opposite_bytes` and `opposite_host_bytes` are the same of participants that read while this one
    writes, or write while it reads. Of the bytes of a mixed trial, `read_bytes` were read.
    """

    kind: Literal["write", "read", "mixed"]
    bytes: int
    elapsed_ns: int
    readings: Mapping[str, Any] | None
    unseen: str | None = None
    copies: int = 1
    siblings_bytes: int | None = None
    siblings_host_bytes: int = 0
    opposite_bytes: int | None = None
    opposite_host_bytes: int = 0
    read_bytes: int = 0

    @property
    def claimed(self) -> tuple[int, int]:
        """The bytes that the trial read, and those that it wrote."""
        read = {"write": 0, "read": self.bytes, "mixed": self.read_bytes}[self.kind]
        return read, self.bytes - read


@dataclass(frozen=True)
class Contention:
    """Whether others used the device. `others_bytes` is null if it cannot be known.

    With `others_or_amplification` it is all bytes beyond the probe's own. `reason` is the rule that
    decided, `figures` are its numbers, with units in their names; `evidence` is the same as a
    sentence; programs need not parse it. `busiest_process` is that of the host, if known.
    """

    state: ContentionState
    others_bytes: int | None
    reason: ContentionReason
    evidence: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    busiest_process: str | None = None
    participant_id: int | None = None
    """The participant of the finding, if there are several."""


def judge(traffic: Traffic) -> Contention:
    """Interpret the readings."""
    seen = _seen(traffic)
    if seen.state != "contended" and traffic.unseen is not None:
        return replace(
            seen, state="unknown", reason="other_hosts_unseen", evidence=traffic.unseen, figures={}
        )
    return seen


def _seen(t: Traffic) -> Contention:
    r = t.readings
    if r is None or r["dev_read_bytes"] is None:
        said = "No counter of a local device shows I/O by others during the trial."
        return Contention("unknown", None, "no_counter", said)
    own_read, own_write = r["own_read_bytes"], r["own_write_bytes"]
    if own_read is None:  # without I/O accounting: at least the claimed bytes are the probe's
        own_read, own_write = t.claimed
    read = max(0, r["dev_read_bytes"] - own_read)
    written = max(0, r["dev_write_bytes"] - own_write * t.copies)
    # siblings are processes of the host, whatever their device
    of_host = t.siblings_host_bytes, t.opposite_host_bytes
    on_device = t.siblings_bytes or 0, t.opposite_bytes or 0
    if t.kind == "read":
        of_host, on_device = of_host[::-1], on_device[::-1]
    r = {
        **r,
        "others_write_bytes": max(0, r["others_write_bytes"] - of_host[0]),
        "others_read_bytes": max(0, r["others_read_bytes"] - of_host[1]),
    }
    if t.siblings_bytes is not None or t.opposite_bytes is not None:
        r["quiet_ns"] = 0  # they may still have been active after the trial
        written = max(0, written - on_device[0] * t.copies)
        read = max(0, read - on_device[1])
    least = max(LEAST_BYTES, round(DISTURBS * t.bytes))
    found = _against(t, r, read, written, least) or _processes(r, read + written, least)
    found = found or _quiet(t, r, read + written) or _excess(r, read + written, least)
    if found.state == "contended":  # reads by others may fill a cache that a read profits from
        found = replace(found, figures={**found.figures, "others_read_bytes": float(read)})
    return replace(found, busiest_process=r["busiest"])


def _against(
    t: Traffic, r: Mapping[str, Any], read: int, written: int, least: int
) -> Contention | None:
    """Return contended if the device was used against the trial's direction, if it has one."""
    if t.kind == "mixed":
        return None
    moved, verb = (read, "reads") if t.kind == "write" else (written, "writes")
    if moved < least:
        return None
    said = f"Other {verb} on the device during this {t.kind}: {size(moved)}{_busiest(r)}."
    figures = {"opposite_bytes": float(moved)}
    return Contention("contended", read + written, "opposite_direction", said, figures)


def _processes(r: Mapping[str, Any], surplus: int, least: int) -> Contention | None:
    """Return contended if other processes moved the bytes beyond the probe's own."""
    others = min(r["others_read_bytes"] + r["others_write_bytes"], surplus)
    if others < least:
        return None
    said = f"Other processes on the host transferred {size(others)} during the trial{_busiest(r)}."
    figures = {"processes_bytes": float(others)}
    return Contention("contended", others, "other_processes", said, figures)


def _excess(r: Mapping[str, Any], surplus: int, least: int) -> Contention:
    """Interpret an excess that no reading attributes to others."""
    if surplus < least:
        said = f"Other I/O on the device: {size(surplus)}."
        return Contention("none", surplus, "under_threshold", said, {"excess_bytes": surplus})
    if r["sees_all"] and r["quiet_ns"]:  # no other process, and the device was idle after the trial
        others = min(r["others_read_bytes"] + r["others_write_bytes"], surplus)
        said = f"Other processes on the host transferred {size(others)}; the rest is amplification."
        figures = {"processes_bytes": float(others), "excess_bytes": float(surplus)}
        return Contention("none", others, "amplified", said, figures)
    said = (
        f"The device transferred {size(surplus)} more than the probe: other I/O or amplification."
    )
    figures = {"excess_bytes": float(surplus)}
    return Contention("others_or_amplification", surplus, "excess", said, figures)


def _quiet(t: Traffic, r: Mapping[str, Any], surplus: int) -> Contention | None:
    """Return contended if the device was busy while the probe was idle."""
    moved = r["quiet_read_bytes"] + r["quiet_write_bytes"]
    if not r["quiet_ns"] or not t.elapsed_ns or moved < LEAST_QUIET_BYTES:
        return None
    idle_rate = moved * 1e9 / r["quiet_ns"]
    if idle_rate < DISTURBS * t.bytes * 1e9 / t.elapsed_ns:
        return None
    said = (
        f"The device transferred {rate(idle_rate)} just after the trial, while the probe was "
        f"idle{_busiest(r)}."
    )
    figures = {"after_trial_bytes_per_s": idle_rate}
    return Contention("contended", surplus, "busy_after_trial", said, figures)


def _busiest(r: Mapping[str, Any]) -> str:
    return f"; the busiest process on the host was {r['busiest']}" if r["busiest"] else ""
