"""What a trial of one participant shows of the rates that its storage carries."""

from typing import Any

from assay.analysis import course
from assay.analysis.backlog import backlogs
from assay.analysis.carry import Reason, Recording, Stretch, starts
from assay.analysis.levels import Held
from assay.analysis.served_by import ServedBy
from assay.kinds.run_record import TrialRecord
from assay.kinds.sustained.continuity import MeasuredPart

FINEST = 2000
"""Marks are joined to at most this many intervals for the search of a change, and as stretches."""


def recording(
    trial: TrialRecord,
    measured: MeasuredPart,
    source: ServedBy,
    cache: str,
    levels: Held,
    *,
    bursts: bool,
) -> Recording:
    """Return what an attempt shows; `levels` are its lasting ones, if it has several.

    `bursts`: it is paced by bursts, whose own time adds to their gaps.
    """
    detail: dict[str, Any] = (measured.attempt.result or {}).get("detail") or {}
    streams: int = trial.parameters["streams"]
    stretches = _stretches(measured, streams)
    return Recording(
        stretches=stretches,
        backlogs=backlogs(detail.get("backlogs", ())),
        peak_ns=measured.peak_ns or 0,
        block=detail.get("block", trial.parameters["block"]),
        streams=streams,
        offered_bytes_per_s=_offered(trial, measured, bursts=bursts),
        levels=starts(stretches, [level.from_ns for level in levels]),
        doubt=_doubt(measured, source, cache),
    )


def _doubt(measured: MeasuredPart, source: ServedBy, cache: str) -> Reason | None:
    """Return why the recording shows only which rates are not carried."""
    if measured.resumed:
        return "interrupted"  # only the last segment's queues are known
    # the page cache was used, and nothing shows that the device kept up
    cached = source.source == "page_cache" or (cache != "direct" and source.source != "device")
    return "page_cache" if cached else None


def _offered(trial: TrialRecord, measured: MeasuredPart, *, bursts: bool) -> float | None:
    """Return the rate at which data arrived; of bursts what was written, delays included."""
    offered: int | None = trial.parameters["offered_bytes_per_s"]
    if offered is None or not bursts:
        return offered
    return min(offered, measured.application_bytes_per_s or 0)


def _stretches(measured: MeasuredPart, streams: int) -> list[Stretch]:
    """Return the marks joined to at most `FINEST` stretches."""
    marks, found = measured.marks, list[Stretch]()
    if marks is None:
        return found
    for group in course.neighbors(marks.bytes, FINEST):
        at, end = group.start, group.stop
        found.append(
            Stretch(
                begin_ns=marks.end_ns[at] - marks.dt_ns[at],
                end_ns=marks.end_ns[end - 1],
                begin_bytes=measured.begin_bytes[at],
                end_bytes=measured.begin_bytes[end - 1] + marks.bytes[end - 1],
                busy_ns=sum(marks.busy_ns[at:end]),
                streams=streams,
                left_out_bytes=measured.begin_bytes[end - 1]
                - measured.begin_bytes[at]
                - sum(marks.bytes[at : end - 1]),
            )
        )
    return found
