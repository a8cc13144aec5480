"""The columns of samples and marks, in the probe's order.

They are defined in `worker/probe/contract/columns.json`; a test compares these lists with it.
`merge` is how neighboring rows are merged: `sum`, `max`, `min`, or `last`.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column's name, how it merges, and whether it may be null."""

    name: str
    merge: str = "sum"
    nullable: bool = False


COLUMNS: tuple[Column, ...] = (
    Column("phase", "last"),
    Column("end_ns", "last"),
    Column("dt_ns"),
    Column("ops"),
    Column("bytes"),
    Column("lat_sum_ns"),
    Column("lat_min_ns", "min", nullable=True),
    Column("lat_max_ns", "max"),
    Column("oldest_ns", "max"),
    Column("host_dt_ns"),
    Column("cpu_user_ns"),
    Column("cpu_system_ns"),
    Column("cpu_softirq_ns"),
    Column("cpu_iowait_ns"),
    Column("cpu_steal_ns"),
    Column("cpu_idle_ns"),
    Column("cpu_busiest_ns"),
    Column("mem_available_bytes", "min"),
    Column("mem_dirty_bytes", "max"),
    Column("mem_writeback_bytes", "max"),
    Column("dev_read_bytes", nullable=True),
    Column("dev_write_bytes", nullable=True),
    Column("dev_busy_ns", nullable=True),
    Column("net_rx_bytes"),
    Column("net_tx_bytes"),
    Column("psi_cpu_some_ns", nullable=True),
    Column("psi_io_some_ns", nullable=True),
    Column("psi_io_full_ns", nullable=True),
    Column("psi_mem_some_ns", nullable=True),
    Column("psi_mem_full_ns", nullable=True),
    Column("fs_free_bytes", "last", nullable=True),
    Column("late_ns", "max"),
    Column("run_delay_ns", nullable=True),
    Column("read_ops", nullable=True),
    Column("read_bytes", nullable=True),
    Column("neighbor_read_bytes", nullable=True),
    Column("neighbor_write_bytes", nullable=True),
)

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)

OLDER_NAMES: tuple[tuple[str, ...], ...] = tuple(
    NAMES[: NAMES.index(first_omitted)] for first_omitted in ("read_ops", "neighbor_read_bytes")
)
"""The columns of older probes, the oldest first."""

LENGTHS: tuple[int, ...] = tuple(map(len, (*OLDER_NAMES, NAMES)))
"""The numbers of values that samples have."""


def complete(values: Sequence[int | None]) -> list[int | None]:
    """Return a sample with the columns that an older probe omits, as null."""
    return [*values, *([None] * (len(NAMES) - len(values)))]


MARK_COLUMNS: tuple[Column, ...] = (
    Column("end_ns", "last"),
    Column("dt_ns"),
    Column("bytes"),
    Column("ops"),
    Column("lat_sum_ns"),
    Column("lat_max_ns", "max"),
    Column("lat_p99_ns", "max"),
    Column("busy_ns"),
    Column("due_max_ns", "max", nullable=True),
    Column("backlog_bytes", "max", nullable=True),
)

SYNC = 1
"""The phase of a sample of the final sync; a sample of writing has 0, of reading 2."""
