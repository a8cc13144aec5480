"""Buckets of samples as plotted columns. Pure.

It works column by column, because a chart has 600 points and 31 columns and is computed per
request.
"""

from assay.samples.columns import COLUMNS
from assay.samples.rollup import Course, merged
from assay.samples.schemas import Columns, Implausible, Numbers
from assay.samples.shares import Cpus, shares

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
