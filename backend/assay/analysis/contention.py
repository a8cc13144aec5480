"""Contention: bytes that others moved on a trial's device, and whether they disturbed it. Pure.

The device's counters hold everybody's bytes. What exceeds the probe's own is others' work or
amplification (a journal, copy on write); three readings tell them apart: traffic against the
trial's direction, which amplification does not cause; traffic in a quiet moment just after the
trial; and the bytes of other processes where the probe may read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.analysis.words import rate, size

DISTURBS = 0.05
"""Others' bytes for each byte of the trial from which it is contended."""

LEAST_BYTES = 1_000_000
"""Less than this is a log or a journal, whatever its share."""

LEAST_QUIET_BYTES = 262_144
"""As `LEAST_BYTES`, in the quiet moment, which lasts a fifth of a second."""

State = Literal["none", "contended", "others_or_amplification", "unknown"]


@dataclass(frozen=True)
class Traffic:
    """A trial's bytes beside its device's, as the probe's result has them.

    `unseen` says why others' work may be out of sight, such as an array behind the device;
    `copies` is how often the devices store each byte.
    """

    kind: Literal["write", "read"]
    bytes: int
    elapsed_ns: int
    readings: Mapping[str, Any] | None
    unseen: str | None = None
    copies: int = 1


@dataclass(frozen=True)
class Contention:
    """Whether others moved bytes meanwhile. `others_bytes` is null where it cannot be known.

    With `others_or_amplification` they are all bytes beyond the probe's own.
    """

    state: State
    others_bytes: int | None
    evidence: str


def judge(traffic: Traffic) -> Contention:
    """What the readings say of others."""
    seen = _seen(traffic)
    if seen.state != "contended" and traffic.unseen is not None:
        return Contention("unknown", seen.others_bytes, traffic.unseen)
    return seen


def _seen(t: Traffic) -> Contention:
    r = t.readings
    if r is None or r["dev_read_bytes"] is None:
        return Contention(
            "unknown", None, "No counter of a local device shows what others moved meanwhile."
        )
    own_read, own_write = r["own_read_bytes"], r["own_write_bytes"]
    if own_read is None:  # a kernel without accounting: at least what was claimed was our own
        own_read, own_write = (0, t.bytes) if t.kind == "write" else (t.bytes, 0)
    read = max(0, r["dev_read_bytes"] - own_read)
    written = max(0, r["dev_write_bytes"] - own_write * t.copies)
    least = max(LEAST_BYTES, round(DISTURBS * t.bytes))
    found = _against(t, r, read, written, least) or _processes(r, read + written, least)
    return found or _quiet(t, r, read + written) or _excess(r, read + written, least)


def _against(
    t: Traffic, r: Mapping[str, Any], read: int, written: int, least: int
) -> Contention | None:
    """Contended when the device was used against the trial's direction."""
    moved, verb = (read, "read") if t.kind == "write" else (written, "wrote")
    if moved < least:
        return None
    said = f"Others {verb} {size(moved)} on the device during this {t.kind}{_who(r)}."
    return Contention("contended", read + written, said)


def _processes(r: Mapping[str, Any], surplus: int, least: int) -> Contention | None:
    """Contended when other processes moved what the device moved beyond the probe's own."""
    others = min(r["others_read_bytes"] + r["others_write_bytes"], surplus)
    if others < least:
        return None
    said = f"Other processes on the host moved {size(others)} meanwhile{_who(r)}."
    return Contention("contended", others, said)


def _excess(r: Mapping[str, Any], surplus: int, least: int) -> Contention:
    """What the excess is when nothing shows others."""
    if surplus < least:
        return Contention("none", surplus, f"Others moved {size(surplus)} on the device.")
    if r["sees_all"] and r["quiet_ns"]:  # nobody else, and the device stood still when asked
        others = min(r["others_read_bytes"] + r["others_write_bytes"], surplus)
        said = f"The other processes on the host moved {size(others)}: the rest is amplification."
        return Contention("none", others, said)
    said = f"The device moved {size(surplus)} beyond the probe's own: others or amplification."
    return Contention("others_or_amplification", surplus, said)


def _quiet(t: Traffic, r: Mapping[str, Any], surplus: int) -> Contention | None:
    """Contended when the device was busy while the probe was idle."""
    moved = r["quiet_read_bytes"] + r["quiet_write_bytes"]
    if not r["quiet_ns"] or not t.elapsed_ns or moved < LEAST_QUIET_BYTES:
        return None
    idle_rate = moved * 1e9 / r["quiet_ns"]
    if idle_rate < DISTURBS * t.bytes * 1e9 / t.elapsed_ns:
        return None
    said = (
        f"The device moved {rate(idle_rate)} just after the trial, while the probe was "
        f"idle{_who(r)}."
    )
    return Contention("contended", surplus, said)


def _who(r: Mapping[str, Any]) -> str:
    return f"; the busiest process on the host was {r['busiest']}" if r["busiest"] else ""
