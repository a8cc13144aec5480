"""A sustained test as CSV."""

import csv
import io
from dataclasses import astuple

from assay.analysis.levels import first_fall
from assay.kinds.levels import LEVELS, level_values
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.frames import BUFFERED
from assay.kinds.sustained.mixed import DIRECTIONS
from assay.kinds.sustained.modes import COMPARED
from assay.kinds.sustained.result import SustainedResult

_CELL = (
    "operation",
    "block",
    "streams",
    "queue_depth",
    "rate_bytes_per_s",
    "burst_blocks",
    "idle_ms",
    "offered_bytes_per_s",
)
_RUN = ("access", "read_percent", "engine")
_TRIAL = (
    "id",
    "repeat",
    "status",
    "application_bytes_per_s",
    "durable_bytes_per_s",
    "iops",
    "bounded",
    "bytes",
    "operations",
    "duration_ns",
    "ramp_bytes",
    "ramp_ns",
    "asleep_ns",
    "footprint_bytes",
    "mark_bytes",
    "peak_ns",
    "p99_ns",
    "stall_ns",
    "due_peak_ns",
    "due_p99_ns",
    "due_unfinished",
    "unreturned",
    "backlog_most_bytes",
    "backlog_end_bytes",
    "no_cliff_within_bytes",
)
_DIRECTION = (
    "bytes",
    "operations",
    "application_bytes_per_s",
    "durable_bytes_per_s",
    "iops",
    "peak_ns",
    "p99_ns",
)
"""What a mixed trial adds for its reads, and for its writes."""
_READ_BACK = ("bytes", "ns", "errors", "first_offset_bytes", "first_stream", "whole", "error")
_WRITEBACK = ("bytes_per_s", "begins_ns")
_SHAPE = ("shape", "shape_change_share", "shape_period_ns")


def sustained_csv(result: SustainedResult) -> str:
    """Return a row per trial: rates in bytes per second, durations in ns, sizes in bytes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = ["cliff_at_ns", "cliff_at_bytes", *LEVELS, *_SHAPE]
    frames = ["frames", "frames_needed", *(f"dropped_with_{n}" for n in BUFFERED)]
    syncs = ["syncs", "sync_sum_ns", "sync_max_ns", "sync_p99_ns"]
    verified = [f"read_back_{name}" for name in _READ_BACK]
    before = ["fill_bytes", "fill_ns", "fill_level_share"]
    before += ["precondition_passes", "precondition_bytes", "precondition_ns", "idle_ns"]
    gaps = ["gaps", "gaps_ns", "interruptions"]
    writer.writerow(
        [
            *_CELL,
            *_RUN,
            *COMPARED,
            *_TRIAL,
            *names,
            "slow_down_share",
            *(f"writeback_{name}" for name in _WRITEBACK),
            *frames,
            *syncs,
            *gaps,
            *before,
            "snia_conformant",
            *verified,
            *(f"{each}_{name}" for each in DIRECTIONS for name in _DIRECTION),
            "flags",
        ]
    )
    for cell in result.cells:
        for trial in cell.trials:
            levels = trial.levels.held if trial.levels else ()
            fell = first_fall(levels)
            shape = trial.shape
            slower = trial.slow_down.share if trial.slow_down else None
            row = [
                *_cell(cell),
                *(getattr(result, name) for name in _RUN),
                *_mode(result, cell),
                *(getattr(trial, name) for name in _TRIAL),
                *((fell.from_ns, fell.from_bytes) if fell else (None, None)),
                *level_values(levels),
                *((shape.shape, shape.change, shape.period_ns) if shape else (None, None, None)),
                slower,
                *(getattr(trial.writeback, name, None) for name in _WRITEBACK),
                *_frames(trial),
                *(astuple(trial.syncs) if trial.syncs else [None] * len(syncs)),
                sum(gap.is_stretch for gap in trial.gaps),
                sum(gap.until_ns - gap.from_ns for gap in trial.gaps),
                sum(gap.what == "interrupted" for gap in trial.gaps),
                *_before(trial),
                trial.conformance.conformant if trial.conformance else None,
                *(getattr(trial.read_back, name, None) for name in _READ_BACK),
                *_directions(trial),
                " ".join(flag.code for flag in trial.flags),
            ]
            writer.writerow(map(_plain, row))
    return out.getvalue()


def _cell(cell: SustainedCell) -> list[object]:
    """Return the parameters of a cell, with the pace of its own direction."""
    own = {name: getattr(cell, name) for name in _CELL}
    if cell.paced_apart:
        own |= {"rate_bytes_per_s": cell.offered_bytes_per_s, "burst_blocks": None}
    return list(own.values())


def _mode(result: SustainedResult, cell: SustainedCell) -> list[str | None]:
    """Return cache and priorities of a cell; where the test compares none, those of the run."""
    of_run = {name: next(iter(getattr(result, name)), None) for name in COMPARED}
    return list((of_run | cell.mode.given).values())


def _frames(trial: SustainedTrial) -> list[int | None]:
    """Return the number of frames, the memory needed, and the losses with each memory."""
    losses = trial.frames
    if losses is None:
        return [None] * (2 + len(BUFFERED))
    dropped = {one.buffered: one.dropped for one in losses.losses}
    return [losses.count, losses.needed, *(dropped.get(each) for each in BUFFERED)]


def _directions(trial: SustainedTrial) -> list[object]:
    """Return the figures of both directions of a mixed trial; empty for another one."""
    own = {one.operation: one for one in trial.directions}
    return [getattr(own.get(each), name, None) for each in DIRECTIONS for name in _DIRECTION]


def _before(trial: SustainedTrial) -> list[float | None]:
    """Return what was done before a trial; empty if it was nothing."""
    done = trial.preparation
    if done is None:
        return [None] * 7
    return [
        done.fill_bytes,
        done.fill_ns,
        done.level_share,
        done.precondition_passes,
        done.precondition_bytes,
        done.precondition_ns,
        done.idle_ns,
    ]


def _plain(value: object) -> object:
    """Format booleans as JSON and databases do."""
    return str(value).lower() if isinstance(value, bool) else value
