"""Buckets of samples as plotted columns. Pure.

It works column by column, because a chart has 600 points and dozens of columns and is
computed per request.

Shares of CPU time and of pressure are of intervals that are long enough for its tick: the kernel
shows CPU times in whole ticks (10 ms), each rounded separately. The difference of two readings is
therefore wrong by up to one tick, more than an interval of 6.5 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.runs.samples.blocks import Course, merged
from assay.runs.samples.columns import COLUMNS
from assay.runs.samples.schemas import Columns, Implausible, Numbers

LEAST_TICKS = 20
"""Ticks in the shortest interval of which a share is taken: one tick is then 5 % of it."""

TICK_NS = 10**7
"""The tick of hosts whose probe did not report it."""

_ROUNDED = {"cpu_busiest": 5}
"""Number of rounded times that a column sums; the default is one."""

_BUSY = ("cpu_user", "cpu_system", "cpu_softirq")


@dataclass(frozen=True)
class Cpus:
    """Number of CPUs of a host, and the tick of the kernel's CPU times."""

    count: int = 1
    tick_ns: int = TICK_NS

    @classmethod
    def of(cls, hello: dict[str, Any] | None) -> "Cpus":
        """Return the CPUs of a host from its probe's `hello`."""
        told = hello or {}
        return cls(told.get("ncpu") or 1, told.get("cpu_tick_ns") or TICK_NS)


def windows(lengths: Sequence[int], least: int) -> list[range]:
    """Return neighboring intervals in groups of at least `least`; none if all are shorter.

    The rest at the end joins the last group.
    """
    found: list[range] = []
    begin, total = 0, 0
    for at, length in enumerate(lengths):
        total += length
        if total >= least:
            found.append(range(begin, at + 1))
            begin, total = at + 1, 0
    if found and begin < len(lengths):
        found[-1] = range(found[-1].start, len(lengths))
    return found


@dataclass(frozen=True)
class Shares:
    """The shares of each interval by column, and the implausible ones."""

    columns: dict[str, Numbers]
    implausible: list[Implausible]


def shares(
    values: dict[str, Sequence[int | None]],
    lengths: Sequence[int],
    ends: Sequence[int],
    cpus: Cpus,
) -> Shares:
    """Return each column's share of its interval: `cpu_*` of all CPUs, but the busiest of one.

    `values`, `lengths` (both in ns) and `ends` have an entry for each interval. All intervals of a
    group have the group's share. A share above 1 is cut to 1 if rounding explains it; otherwise,
    and if the busiest CPU is below the mean, it is null and reported.
    """
    groups = windows(lengths, LEAST_TICKS * cpus.tick_ns)
    found: dict[str, Numbers] = {name: [None] * len(lengths) for name in values}
    impossible: dict[str, list[tuple[int, float]]] = {}
    for group in groups:
        length = sum(lengths[i] for i in group)
        tick = cpus.tick_ns / length
        exact = {
            name: _sum(column, group, length, _cpus(name, cpus)) for name, column in values.items()
        }
        mean = sum(exact.get(name) or 0 for name in _BUSY)
        for name, share in exact.items():
            if share is None:
                continue
            slack = _ROUNDED.get(name, 1) * tick
            below = name == "cpu_busiest" and share < mean - slack
            if share > 1 + slack or below:
                impossible.setdefault(name, []).append((ends[group[-1]], share))
                continue
            for i in group:
                found[name][i] = round(min(share, 1), 3)
    reports = [
        Implausible(column=name, t_ns=seen[0][0], share=round(seen[0][1], 3), count=len(seen))
        for name, seen in impossible.items()
    ]
    return Shares(found, reports)


def _cpus(name: str, cpus: Cpus) -> int:
    return cpus.count if name.startswith("cpu_") and name != "cpu_busiest" else 1


def _sum(column: Sequence[int | None], group: range, length: int, cpus: int) -> float | None:
    known = [value for i in group if (value := column[i]) is not None]
    return sum(known) / (length * cpus) if known else None


SHOWN = [column for column in COLUMNS if column.series]
"""The columns that have a series of their own."""

_MICROSECOND = 1000
_SECOND = 10**9
_KEPT = 10**4
_STEPS = [max(1, 10 ** (len(str(2**bits // 2)) - 4)) for bits in range(65)]
"""What a number of so many bits is rounded to at least, so that four digits remain."""


def thin(course: Course, points: int) -> Course:
    """Merge neighbors until there are at most `points`; extremes are kept."""
    width = -(-len(course["count"]) // points)
    if width <= 1:
        return course
    return merged(course, width)


def columns(course: Course, cpus: Cpus) -> tuple[Columns, list[Implausible]]:
    """Return rates, shares and levels of each bucket, and the implausible shares."""
    dt, host_dt, ends = (
        [time or 0 for time in course[n]] for n in ("dt_ns", "host_dt_ns", "end_ns")
    )
    of_time = {one.series_name: course[one.name] for one in SHOWN if one.series == "share"}
    taken = shares(of_time, host_dt, ends, cpus)

    def per_second(name: str) -> Numbers:
        return [_ratio(value, time, _SECOND) for value, time in zip(course[name], dt, strict=True)]

    def amount(name: str) -> Numbers:
        return [None if value is None else four_digits(value) for value in course[name]]

    def time(name: str) -> Numbers:
        return [None if value is None else microseconds(value) for value in course[name]]

    forms = {"rate": per_second, "amount": amount, "time": time}
    plain = {one.series_name: forms[one.series](one.name) for one in SHOWN if one.series in forms}
    computed: dict[str, Numbers] = {
        "t_ns": time("end_ns"),
        "dt_ns": time("dt_ns"),
        "phase": list(course["phase"]),
        "rate_min_bytes_per_s": amount("rate_min"),
        "rate_mean_bytes_per_s": per_second("bytes"),
        "rate_max_bytes_per_s": amount("rate_max"),
        "ops_per_s": per_second("ops"),
        "lat_mean_ns": [
            _ratio(total, ops or 0)
            for total, ops in zip(course["lat_sum_ns"], course["ops"], strict=True)
        ],
    }
    return Columns.model_validate(computed | taken.columns | plain), taken.implausible


def _ratio(value: int | None, whole: int, scale: int = 1) -> int | None:
    return None if value is None or not whole else four_digits(value * scale // whole)


def four_digits(value: int) -> int:
    """Round to four digits: the rest is noise, and would be most of the response."""
    if value < _KEPT:
        return value
    step = _STEPS[value.bit_length()]
    if value >= _KEPT * step:
        step *= 10  # its bits span a power of ten
    return (value + step // 2) // step * step


def microseconds(ns: int) -> int:
    """Round a time in nanoseconds to whole microseconds."""
    return (ns + _MICROSECOND // 2) // _MICROSECOND * _MICROSECOND
