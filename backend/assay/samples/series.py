"""Buckets of samples as the columns that are plotted, pure."""

from collections.abc import Sequence
from math import floor, log10

from assay.samples.columns import NAMES
from assay.samples.rollup import Bucket, merge
from assay.samples.schemas import Columns, Numbers

_AT = {name: i for i, name in enumerate(NAMES)}
_CPU = ("cpu_user_ns", "cpu_system_ns", "cpu_softirq_ns", "cpu_iowait_ns", "cpu_idle_ns")
_MICROSECOND = 1000
_SECOND = 10**9


def thin(buckets: Sequence[Bucket], points: int) -> list[Bucket]:
    """Neighbours merged until there are at most `points`; what was extreme stays so."""
    width = -(-len(buckets) // points)
    if width <= 1:
        return list(buckets)
    return [merge(buckets[i : i + width]) for i in range(0, len(buckets), width)]


def columns(buckets: Sequence[Bucket]) -> Columns:
    """Rates, shares and levels of each bucket."""
    dt = [bucket.values[_AT["dt_ns"]] or 0 for bucket in buckets]
    cpu = [sum(bucket.values[_AT[name]] or 0 for name in _CPU) for bucket in buckets]

    def raw(name: str) -> list[int | None]:
        return [bucket.values[_AT[name]] for bucket in buckets]

    def per_second(name: str) -> Numbers:
        return [_ratio(value, time, _SECOND) for value, time in zip(raw(name), dt, strict=True)]

    def share(name: str, of: Sequence[int]) -> Numbers:
        return [_share(value, whole) for value, whole in zip(raw(name), of, strict=True)]

    def amount(name: str) -> Numbers:
        return [None if value is None else _four_digits(value) for value in raw(name)]

    def time(name: str) -> Numbers:
        return [None if value is None else _microseconds(value) for value in raw(name)]

    return Columns(
        t_ns=time("end_ns"),
        dt_ns=time("dt_ns"),
        phase=list(raw("phase")),
        rate_min=[_four_digits(bucket.rate_min) for bucket in buckets],
        rate_mean=per_second("bytes"),
        rate_max=[_four_digits(bucket.rate_max) for bucket in buckets],
        lat_mean_ns=[
            _ratio(total, ops or 0)
            for total, ops in zip(raw("lat_sum_ns"), raw("ops"), strict=True)
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
    return None if value is None or not whole else round(value / whole, 3)


def _four_digits(value: int) -> int:
    """Rounded to four digits: the rest is noise, and would be most of the answer's bytes."""
    if value < 10_000:
        return value
    step = 10 ** (floor(log10(value)) - 3)
    return (value + step // 2) // step * step


def _microseconds(ns: int) -> int:
    return (ns + _MICROSECOND // 2) // _MICROSECOND * _MICROSECOND
