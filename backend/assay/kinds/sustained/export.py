"""The columns of a sustained test in tidy exports."""

from collections.abc import Iterator
from typing import Any

from assay.kinds.export import (
    ExportColumn,
    ExportedRatio,
    ExportedTrial,
    figure,
    figures,
    of_cell,
    of_levels,
    of_mode,
    of_run,
    of_trial,
)
from assay.kinds.sustained.comparison import SustainedComparison
from assay.kinds.sustained.fields import Direction


def _of_direction(operation: Direction, name: str, type_: Any) -> ExportColumn:
    """Return the column of a figure of the reads or the writes of a mixed trial."""

    def read(one: ExportedTrial) -> Any:
        directions = one.figures.directions if one.figures else ()
        own = next((each for each in directions if each.operation == operation), None)
        return getattr(own, name, None)

    return ExportColumn(f"{operation}_{name}", type_, read)


COLUMNS = (
    of_run("operation"),
    of_run("access"),
    of_run("read_percent", "integer"),
    of_run("engine"),
    of_trial("block_bytes", field="block"),
    of_trial("streams"),
    of_trial("queue_depth"),
    of_mode("cache"),
    of_mode("priority"),
    of_mode("io_priority"),
    of_run("pace"),
    of_trial("rate_bytes_per_s"),
    of_trial("burst_blocks"),
    of_run("gap_ns", "integer"),
    of_trial("offered_bytes_per_s"),
    of_trial("length_bytes"),
    of_trial("duration_ms"),
    of_run("ramp_ms", "integer"),
    of_trial("idle_ms"),
    of_run("file_mode"),
    of_trial("files"),
    of_trial("file_bytes"),
    of_trial("mark_bytes"),
    of_run("sync_bytes", "integer"),
    of_run("sync_ms", "integer"),
    of_run("fill_percent", "integer"),
    of_run("precondition_passes", "integer"),
    of_run("purge"),
    of_run("read_back"),
    of_run("sample_ms", "integer"),
    of_cell("direction", "text", "operation"),
    *figures("number", "application_bytes_per_s", "durable_bytes_per_s", "iops"),
    figure("bounded", "boolean"),
    *figures("integer", "bytes", "operations", "duration_ns", "ramp_ns", "ramp_bytes"),
    *figures("integer", "asleep_ns", "footprint_bytes", "peak_ns", "p99_ns", "stall_ns"),
    *figures("integer", "due_peak_ns", "due_p99_ns", "due_unfinished", "unreturned"),
    *figures("integer", "backlog_most_bytes", "backlog_end_bytes", "verify_errors"),
    *figures("integer", "no_cliff_within_bytes", "window_ns"),
    figure("fairness"),
    figure("writeback_bytes_per_s", "number", "writeback.bytes_per_s"),
    figure("writeback_begins_ns", "integer", "writeback.begins_ns"),
    *of_levels(lambda figures: figures.levels.held if figures.levels else ()),
    figure("levels_durable", "boolean", "levels.durable"),
    figure("contention", "text", "contention.state"),
    figure("others_bytes", "integer", "contention.others_bytes"),
    *(
        _of_direction(operation, name, type_)
        for operation in ("write", "read")
        for name, type_ in (
            ("bytes", "integer"),
            ("application_bytes_per_s", "number"),
            ("durable_bytes_per_s", "number"),
            ("iops", "number"),
            ("peak_ns", "integer"),
            ("p99_ns", "integer"),
        )
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
