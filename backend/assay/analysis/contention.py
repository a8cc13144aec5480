"""Contention: whether other processes or hosts used a trial's device. Pure.

The device's counters contain all bytes. The bytes beyond the probe's own are contention or
amplification (a journal, copy on write). What the disks below move beside the device, for other
partitions and volumes, is contention. Four readings separate the rest: traffic against the trial's
direction, which amplification does not cause; traffic just after the trial, while the probe is
idle; the bytes of other processes, if the probe may read them; and the course of the excess over
time (`excess`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from assay.analysis import excess
from assay.analysis.excess import BusyStretch, DeviceCourse
from assay.base.worded import Words, say
from assay.base.words import listed

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
    "neighbors",
    "other_processes",
    "appliance",
    "busy_after_trial",
    "uneven",
    "under_threshold",
    "amplified",
    "excess",
    "interrupted",
]
"""The rule that decided."""

NEAR_NS = 10**9
"""A level change this near to other I/O coincides with it."""

THROUGHOUT = 0.9
"""Other I/O during this share of a trial is not at a time of its own."""


@dataclass(frozen=True)
class Traffic:
    """A trial's bytes and its device's, from the probe's result.

    `unseen` is why other I/O may not be visible, such as an array behind the device; `copies` is
    how often the devices store each byte. `siblings_bytes` are the bytes of participants of the
    same run on the device, which are not contention; None if there are none.
    `siblings_host_bytes` are those on any device of the host, moved by other processes.
    `opposite_bytes` and `opposite_host_bytes` are the same of participants that read while this one
    writes, or write while it reads. Of the bytes of a mixed trial, `read_bytes` were read.
    `disks` are those below the device; participants beside it moved `neighbors_bytes` on them.
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
    disks: Sequence[str] = ()
    neighbors_bytes: int = 0
    course: DeviceCourse | None = None
    """What the device moved over time; null if unknown, or if participants share it."""
    direct: bool = True
    """Whether the trial bypassed the page cache: only then its own bytes over time are certain."""

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
    evidence: Words
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    busiest_process: str | None = None
    participant_id: int | None = None
    """The participant of the finding, if there are several."""

    def coincides(self, at_ns: int) -> bool:
        """Return whether others were active at this time, or nearly."""
        if self.state != "contended":
            return False
        begin, end = self.figures.get("from_ns"), self.figures.get("until_ns")
        if begin is None or end is None:
            return False
        return begin - NEAR_NS <= at_ns <= end + NEAR_NS


def others_at(at_ns: int, clocks: Iterable[tuple[Contention | None, int]]) -> bool:
    """Return whether others were active at any participant at a time of the common window.

    The clocks are each participant's finding, and what its trial's time is ahead of the window's.
    """
    return any(found.coincides(at_ns + ahead_ns) for found, ahead_ns in clocks if found)


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
    assays = r["appliance_read_bytes"], r["appliance_write_bytes"]
    ours_read = _least_of(assays[0], read, r["others_read_bytes"])
    ours_written = _least_of(assays[1] * t.copies, written, r["others_write_bytes"])
    read, written, ours = read - ours_read, written - ours_written, ours_read + ours_written
    surplus = read + written
    found = _against(t, r, read, written, least) or _processes(r, surplus, least)
    stretch = excess.found(t.course) if t.course else None
    if ours < LEAST_BYTES or surplus >= least:  # otherwise Assay's own explain all of it
        found = found or _quiet(t, r, surplus) or _uneven(t, r, stretch, least)
    found = found or _excess(r, surplus, least)
    beside = _beside(t, r)
    ours_beside = min(max(0, sum(assays) - ours), beside)
    found = _with_neighbors(found, t, r, beside - ours_beside, least)
    found = _with_time(_with_appliance(found, ours + ours_beside, least), t, stretch)
    if found.state == "contended":  # reads by others may fill a cache that a read profits from
        found = replace(found, figures={**found.figures, "others_read_bytes": float(read)})
    return replace(found, busiest_process=r["busiest"])


def _least_of(assays: int, surplus: int, others: int) -> int:
    """Return how much of a surplus Assay's own processes moved at least; `others` may be of it."""
    return min(assays, max(0, surplus - others))


def _with_appliance(found: Contention, moved: int, least: int) -> Contention:
    """Add what Assay's own processes moved, which disturb a trial as others do."""
    if moved < LEAST_BYTES:
        return found
    figures = {**found.figures, "appliance_bytes": float(moved)}
    if found.state == "none" and moved >= least:
        said = say(
            "Assay's own database, queue and logs transferred {} on the disk during the "
            "trial. Keep them on another disk.",
            {"bytes": moved},
        )
        return Contention("contended", found.others_bytes, "appliance", said, figures)
    said = say("Assay's own database, queue and logs transferred {} beside that.", {"bytes": moved})
    return replace(found, evidence=say("{} {}", found.evidence, said), figures=figures)


def _against(
    t: Traffic, r: Mapping[str, Any], read: int, written: int, least: int
) -> Contention | None:
    """Return contended if the device was used against the trial's direction, if it has one."""
    if t.kind == "mixed":
        return None
    moved, verb = (read, "reads") if t.kind == "write" else (written, "writes")
    if moved < least:
        return None
    said = say(
        "Other {} on the device during this {}: {}{}.", verb, t.kind, {"bytes": moved}, _busiest(r)
    )
    figures = {"opposite_bytes": float(moved)}
    return Contention("contended", read + written, "opposite_direction", said, figures)


def _processes(r: Mapping[str, Any], surplus: int, least: int) -> Contention | None:
    """Return contended if other processes moved the bytes beyond the probe's own."""
    others = min(r["others_read_bytes"] + r["others_write_bytes"], surplus)
    if others < least:
        return None
    said = say(
        "Other processes on the host transferred {} during the trial{}.",
        {"bytes": others},
        _busiest(r),
    )
    figures = {"processes_bytes": float(others)}
    return Contention("contended", others, "other_processes", said, figures)


def _excess(r: Mapping[str, Any], surplus: int, least: int) -> Contention:
    """Interpret an excess that no reading attributes to others."""
    if surplus < least:
        said = say("Other I/O on the device: {}.", {"bytes": surplus})
        return Contention("none", surplus, "under_threshold", said, {"excess_bytes": surplus})
    if r["sees_all"] and r["quiet_ns"]:  # no other process, and the device was idle after the trial
        others = min(r["others_read_bytes"] + r["others_write_bytes"], surplus)
        said = say(
            "Other processes on the host transferred {}; the rest is amplification.",
            {"bytes": others},
        )
        figures = {"processes_bytes": float(others), "excess_bytes": float(surplus)}
        return Contention("none", others, "amplified", said, figures)
    said = say(
        "The device transferred {} more than the probe: other I/O or amplification.",
        {"bytes": surplus},
    )
    figures = {"excess_bytes": float(surplus)}
    return Contention("others_or_amplification", surplus, "excess", said, figures)


def _uneven(
    t: Traffic, r: Mapping[str, Any], stretch: BusyStretch | None, least: int
) -> Contention | None:
    """Interpret an excess that is not proportional to the trial's bytes, as amplification is.

    A file system may cause it as well: one that writes from time to time, or that begins to when a
    journal is full. Then the excess comes and goes, or every other process was idle, or it ended
    with the trial, which others would have to do by chance. Buffered data leaves memory at its own
    times.
    """
    if stretch is None or t.course is None or stretch.bytes < least:
        return None
    ends = stretch.until_ns >= t.course.end_ns[-1] - 2 * max(t.course.dt_ns) and r["quiet_ns"] > 0
    processes = min(r["others_read_bytes"] + r["others_write_bytes"], stretch.bytes)
    figures = {"excess_bytes": float(stretch.bytes)}
    if t.direct and stretch.steady and not ends and not (r["sees_all"] and processes < least):
        said = say(
            "The device transferred {} more than is proportional to the trial{}.",
            {"bytes": stretch.bytes},
            _busiest(r),
        )
        return Contention("contended", stretch.bytes, "uneven", said, figures)
    said = say(
        "The device transferred {} more than is proportional to the trial: other I/O "
        "or amplification.",
        {"bytes": stretch.bytes},
    )
    return Contention("others_or_amplification", stretch.bytes, "uneven", said, figures)


def _with_time(found: Contention, t: Traffic, stretch: BusyStretch | None) -> Contention:
    """Add when other I/O happened and its share, unless it went on throughout the trial."""
    if t.course is None or found.state not in ("contended", "others_or_amplification"):
        return found
    course = t.course
    spans = [stretch]
    beside = {"neighbors_bytes", "appliance_bytes"} & {*found.figures}
    if beside and course.neighbors is not None:
        spans.append(excess.span(course, course.neighbors))
    if found.reason == "opposite_direction":
        spans.append(excess.span(course, course.against))
    known = [one for one in spans if one is not None and one.bytes >= LEAST_BYTES]
    if not known:
        return found
    begin, end = min(one.from_ns for one in known), max(one.until_ns for one in known)
    moved = sum(one.bytes for one in known)
    total = sum(course.device) + sum(course.against) + sum(course.neighbors or ())
    share = min(1.0, moved / total) if total else 0.0
    figures = {**found.figures, "moved_bytes": float(moved), "moved_share": share}
    if end - begin < THROUGHOUT * course.elapsed_ns:
        figures |= {"from_ns": float(begin), "until_ns": float(end)}
        when = f"From {begin / 1e9:.1f} to {end / 1e9:.1f} s"
    else:
        when = "Throughout the trial"
    what = "other I/O" if found.state == "contended" else "other I/O or amplification"
    what = "Assay's own I/O" if found.reason == "appliance" else what
    where = f" on {listed(t.disks)}" if t.disks else ""
    said = say(
        "{} {} moved {}{}, {} of all bytes.", when, what, {"bytes": moved}, where, {"share": share}
    )
    return replace(found, evidence=say("{} {}", found.evidence, said), figures=figures)


def _quiet(t: Traffic, r: Mapping[str, Any], surplus: int) -> Contention | None:
    """Return contended if the device was busy while the probe was idle."""
    moved = r["quiet_read_bytes"] + r["quiet_write_bytes"]
    if not r["quiet_ns"] or not t.elapsed_ns or moved < LEAST_QUIET_BYTES:
        return None
    idle_rate = moved * 1e9 / r["quiet_ns"]
    if idle_rate < DISTURBS * t.bytes * 1e9 / t.elapsed_ns:
        return None
    said = say(
        "The device transferred {} just after the trial, while the probe was idle{}.",
        {"bytes_per_s": idle_rate},
        _busiest(r),
    )
    figures = {"after_trial_bytes_per_s": idle_rate}
    return Contention("contended", surplus, "busy_after_trial", said, figures)


def _beside(t: Traffic, r: Mapping[str, Any]) -> int:
    """Return what was moved on the same disks beside the device, but not by participants."""
    read, written = r["neighbor_read_bytes"], r["neighbor_write_bytes"]
    return 0 if read is None or written is None else max(0, read + written - t.neighbors_bytes)


def _with_neighbors(
    found: Contention, t: Traffic, r: Mapping[str, Any], moved: int, least: int
) -> Contention:
    """Add what others moved on the same disks beside the device, which no amplification causes."""
    if moved < least:
        return found
    where = f"the disk{'' if len(t.disks) == 1 else 's'} {listed(t.disks)}"
    said = say(
        "Other partitions, volumes or programs transferred {} on {} during the trial{}.",
        {"bytes": moved},
        where,
        _busiest(r),
    )
    figures = {"neighbors_bytes": float(moved)}
    if found.state != "contended":
        return Contention("contended", moved, "neighbors", said, figures)
    return replace(
        found,
        others_bytes=(found.others_bytes or 0) + moved,
        evidence=say("{} {}", found.evidence, said),
        figures={**found.figures, **figures},
    )


def _busiest(r: Mapping[str, Any]) -> str:
    name: str | None = r["busiest"]
    return f"; the busiest process on the host was {name}" if name else ""
