"""Conditions and times as text."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from assay.analysis import words

_IN_BINARY = {"read_ahead_bytes", "alignment_bytes", "block", "record_bytes", "small_file_bytes"}
_IN_BYTES = {"file_size", "length"}


def condition_words(name: str, value: Any) -> str | None:
    """Return a condition of a run with its unit; None if it is unknown.

    If participants differ, it has the value of each.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        several = [condition_words(name, one) for one in cast("Sequence[Any]", value)]
        return ", ".join(one or "unknown" for one in several) or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return json.dumps(value, sort_keys=True)
    if isinstance(value, int | float):
        return _number(name, value)
    return str(value)


def _number(name: str, value: float) -> str:
    if name in _IN_BINARY:
        return words.block(int(value))
    if name in _IN_BYTES or (name.endswith("_bytes")):
        return words.size(int(value))
    if name.endswith("_bytes_per_s"):
        return words.rate(value)
    if name.endswith("_ms"):
        return words.span(int(value) * 10**6)
    return f"{value:g}" if isinstance(value, float) else str(value)


def moment_words(at: str | None) -> str:
    """Return a time as `2026-11-21 01:17:00 UTC`; a dash if there is none."""
    if at is None:
        return "–"
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def elapsed_words(begin: str | None, end: str | None) -> str:
    """Return the time between two moments, such as `37.0 min`; a dash if one is missing."""
    if begin is None or end is None:
        return "–"
    seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
    return words.span(round(seconds) * 10**9)


def speed_words(bits_per_s: int | None) -> str:
    """Return the speed of a network card, such as `10 Gb/s`; a dash if it is unknown."""
    if not bits_per_s:
        return "–"
    giga = bits_per_s / 1e9
    return f"{giga:g} Gb/s" if giga >= 1 else f"{bits_per_s / 1e6:g} Mb/s"
