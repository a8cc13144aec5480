"""Buckets of samples as the columns that are plotted, pure.

It works column by column: a picture is of 600 points and 29 columns, and is made while someone
waits.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from assay.samples.columns import COLUMNS, Column
from assay.samples.rollup import merge_neighbours
from assay.samples.schemas import Columns, Numbers

Course = Mapping[str, Sequence[int | None]]
"""Neighbouring buckets, a column each: those of a sample, `count`, `rate_min` and `rate_max`."""

COURSE: tuple[Column, ...] = (
    Column("count"),
    Column("rate_min", "min"),
    Column("rate_max", "max"),
    *COLUMNS,
)

_CPU = ("cpu_user_ns", "cpu_system_ns", "cpu_softirq_ns", "cpu_iowait_ns", "cpu_idle_ns")
_MICROSECOND = 1000
_SECOND = 10**9
_KEPT = 10**4
_STEPS = [max(1, 10 ** (len(str(2**bits // 2)) - 4)) for bits in range(65)]
"""What a number of so many bits is rounded to at least, so that four digits remain."""


def thin(course: Course, points: int) -> Course:
    """Neighbours merged until there are at most `points`; what was extreme stays so."""
    width = -(-len(course["count"]) // points)
    if width <= 1:
        return course
    return {c.name: merge_neighbours(c, course[c.name], width) for c in COURSE}


def columns(course: Course) -> Columns:
    """Rates, shares and levels of each bucket."""
    dt = [time or 0 for time in course["dt_ns"]]
    times = zip(*(course[name] for name in _CPU), strict=True)
    cpu = [sum(cast("tuple[int, ...]", spent)) for spent in times]  # the kernel always tells them

    def per_second(name: str) -> Numbers:
        return [_ratio(value, time, _SECOND) for value, time in zip(course[name], dt, strict=True)]

    def share(name: str, of: Sequence[int]) -> Numbers:
        return [_share(value, whole) for value, whole in zip(course[name], of, strict=True)]

    def amount(name: str) -> Numbers:
        return [None if value is None else _four_digits(value) for value in course[name]]

    def time(name: str) -> Numbers:
        return [None if value is None else _microseconds(value) for value in course[name]]

    return Columns(
        t_ns=time("end_ns"),
        dt_ns=time("dt_ns"),
        phase=list(course["phase"]),
        rate_min=amount("rate_min"),
        rate_mean=per_second("bytes"),
        rate_max=amount("rate_max"),
        lat_mean_ns=[
            _ratio(total, ops or 0)
            for total, ops in zip(course["lat_sum_ns"], course["ops"], strict=True)
        ],
        lat_max_ns=amount("lat_max_ns"),
        oldest_ns=amount("oldest_ns"),
        cpu_user=share("cpu_user_ns", cpu),
        cpu_system=share("cpu_system_ns", cpu),
        cpu_softirq=share("cpu_softirq_ns", cpu),
        cpu_iowait=share("cpu_iowait_ns", cpu),
        cpu_busiest=share("cpu_busiest_ns", dt),
        mem_available_bytes=amount("mem_available_bytes"),
        mem_dirty_bytes=amount("mem_dirty_bytes"),
        mem_writeback_bytes=amount("mem_writeback_bytes"),
        dev_read_bps=per_second("dev_read_bytes"),
        dev_write_bps=per_second("dev_write_bytes"),
        dev_busy=share("dev_busy_ns", dt),
        net_rx_bps=per_second("net_rx_bytes"),
        net_tx_bps=per_second("net_tx_bytes"),
        psi_cpu_some=share("psi_cpu_some_ns", dt),
        psi_io_some=share("psi_io_some_ns", dt),
        psi_io_full=share("psi_io_full_ns", dt),
        psi_mem_some=share("psi_mem_some_ns", dt),
        psi_mem_full=share("psi_mem_full_ns", dt),
        fs_free_bytes=amount("fs_free_bytes"),
    )


def _ratio(value: int | None, whole: int, scale: int = 1) -> int | None:
    return None if value is None or not whole else _four_digits(value * scale // whole)


def _share(value: int | None, whole: int) -> float | None:
    return None if value is None or not whole else (2000 * value + whole) // (2 * whole) / 1000


def _four_digits(value: int) -> int:
    """Rounded to four digits: the rest is noise, and would be most of the answer's bytes."""
    if value < _KEPT:
        return value
    step = _STEPS[value.bit_length()]
    if value >= _KEPT * step:
        step *= 10  # its bits reach over a power of ten
    return (value + step // 2) // step * step


def _microseconds(ns: int) -> int:
    return (ns + _MICROSECOND // 2) // _MICROSECOND * _MICROSECOND
