"""The columns of a sustained test."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from assay.kinds.export import (
    ColumnType,
    ExportColumn,
    ExportedRatio,
    ExportedTrial,
    computed,
    figure,
    figures,
    of_cell,
    of_levels,
    within,
)
from assay.kinds.run_record import Gap
from assay.kinds.sustained.comparison import SustainedComparison
from assay.kinds.sustained.fields import Direction
from assay.kinds.sustained.figures import BUFFERED

_DIRECTION: tuple[tuple[str, ColumnType], ...] = (
    ("bytes", "integer"),
    ("operations", "integer"),
    ("application_bytes_per_s", "number"),
    ("durable_bytes_per_s", "number"),
    ("iops", "number"),
    ("peak_ns", "integer"),
    ("p99_ns", "integer"),
)


def _of_direction(operation: Direction, name: str, type_: ColumnType) -> ExportColumn:
    """Return the column of a figure of the reads or the writes of a mixed trial."""

    def read(one: ExportedTrial) -> Any:
        own = (each for each in one.at("directions") or () if each.operation == operation)
        return getattr(next(own, None), name, None)

    return computed(f"{operation}_{name}", type_, read)


def _dropped_with(buffered: int) -> ExportColumn:
    """Return the column of the frames lost with a memory of so many frames."""

    def read(one: ExportedTrial) -> int | None:
        losses = one.at("frames", "losses") or ()
        return next((each.dropped for each in losses if each.buffered == buffered), None)

    return computed(f"dropped_with_{buffered}", "integer", read)


def _of_gaps(name: str, count: Callable[[Sequence[Gap]], int]) -> ExportColumn:
    """Return the column of a sum over the gaps of a trial."""

    def read(one: ExportedTrial) -> int | None:
        gaps: Sequence[Gap] | None = one.at("gaps")
        return None if gaps is None else count(gaps)

    return computed(name, "integer", read)


COLUMNS = (
    of_cell("direction", "text", "operation"),
    of_cell("direction_offered_bytes_per_s", "integer", "offered_bytes_per_s"),
    *figures("number", "application_bytes_per_s", "durable_bytes_per_s", "iops"),
    figure("bounded", "boolean"),
    *figures("integer", "bytes", "operations", "duration_ns", "ramp_ns", "ramp_bytes"),
    *figures("integer", "asleep_ns", "footprint_bytes"),
    figure("last_mark_bytes", "integer", "mark_bytes"),
    *figures("integer", "peak_ns", "p99_ns", "stall_ns"),
    *figures("integer", "due_peak_ns", "due_p99_ns", "due_unfinished", "unreturned"),
    *figures("integer", "backlog_most_bytes", "backlog_end_bytes", "verify_errors"),
    *figures("integer", "no_cliff_within_bytes", "window_ns"),
    figure("fairness"),
    figure("writeback_bytes_per_s", "number", "writeback.bytes_per_s"),
    figure("writeback_begins_ns", "integer", "writeback.begins_ns"),
    *of_levels(lambda one: one.at("levels", "held")),
    figure("levels_durable", "boolean", "levels.durable"),
    figure("shape", "text", "shape.shape"),
    figure("shape_change_share", "number", "shape.change"),
    figure("shape_period_ns", "integer", "shape.period_ns"),
    figure("slow_down_share", "number", "slow_down.share"),
    figure("frames", "integer", "frames.count"),
    figure("frames_needed", "integer", "frames.needed"),
    *(_dropped_with(each) for each in BUFFERED),
    figure("syncs", "integer", "syncs.count"),
    *within("syncs", "sync_", "integer", "sum_ns", "max_ns", "p99_ns"),
    _of_gaps("gaps", lambda gaps: sum(gap.is_stretch for gap in gaps)),
    _of_gaps("gaps_ns", lambda gaps: sum(gap.until_ns - gap.from_ns for gap in gaps)),
    _of_gaps("interruptions", lambda gaps: sum(gap.what == "interrupted" for gap in gaps)),
    *within("preparation", "prepared_", "integer", "fill_bytes", "fill_ns"),
    figure("prepared_level_share", "number", "preparation.level_share"),
    *within("preparation", "prepared_", "integer", "precondition_passes", "precondition_bytes"),
    *within("preparation", "prepared_", "integer", "precondition_ns", "idle_ns"),
    figure("snia_conformant", "boolean", "conformance.conformant"),
    *within("read_back", "read_back_", "integer", "bytes", "ns", "errors"),
    *within("read_back", "read_back_", "integer", "first_offset_bytes", "first_stream"),
    figure("read_back_whole", "boolean", "read_back.whole"),
    figure("read_back_error", "text", "read_back.error"),
    figure("contention", "text", "contention.state"),
    figure("others_bytes", "integer", "contention.others_bytes"),
    *(
        _of_direction(operation, name, type_)
        for operation in ("write", "read")
        for name, type_ in _DIRECTION
    ),
)


def ratios(found: SustainedComparison) -> Iterator[ExportedRatio]:
    """Yield the leading rate of each direction of each run after the first, with its ratio."""
    first = found.runs[0].run_id
    bases = {one.operation: one for one in found.runs if one.run_id == first}
    for one in found.runs:
        base = bases.get(one.operation)
        if one.run_id == first:
            continue
        if one.ratio is None:
            answer = "too_few_repeats" if one.too_few_repeats else "not_comparable"
        elif one.too_few_repeats:
            answer = "too_few_repeats"
        else:
            answer = "different" if one.significant else "within_noise"
        yield ExportedRatio(
            base_run_id=first,
            run_id=one.run_id,
            cell=f"{one.operation} {one.cell or ''}".strip(),
            figure=f"{one.rate}_bytes_per_s",
            base_value=base.bytes_per_s if base else None,
            value=one.bytes_per_s,
            ratio=one.ratio,
            p=one.p,
            answer=answer,
            of_base=True,
        )
