"""Why a figure of a sustained test may not decide a criterion."""

from collections.abc import Sequence

from assay.analysis.carry import TOLERANCE, drained
from assay.analysis.flags import EXCLUDED, Rate
from assay.base.worded import say
from assay.base.words import capital, count, duration
from assay.kinds.bounds import Cause, bound_of
from assay.kinds.doubts import (
    interrupted,
    of_flags,
    of_rate,
    of_source,
    unsound,
)
from assay.kinds.metrics import (
    Arguments,
    Bound,
    Doubt,
    DoubtCode,
    Sense,
)
from assay.kinds.run_record import Gap
from assay.kinds.sustained.criteria import chosen
from assay.kinds.sustained.fields import noun
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.limits import ends_behind_gap
from assay.kinds.sustained.result import SustainedResult


def cut_off(result: SustainedResult, bound: Bound | None) -> list[Doubt]:
    """Return the doubts that not all planned trials were measured, or not to their end."""
    cells = [cell for cell in result.cells if cell.operation == result.operations[0]]
    done = sum(cell.repeats_done for cell in cells)
    total = sum(cell.repeats_total for cell in cells)
    found = interrupted(result.warnings, done, total, bound)
    late = [flag for cell in result.cells for flag in cell.flags if flag.code == "timed_out"]
    if late:
        found.append(Doubt("timed_out", late[0].evidence, late[0].figures, bound))
    return found


def unreliable(
    result: SustainedResult, cell: SustainedCell, rate: Rate, sense: Sense
) -> list[Doubt]:
    """Return why the figures of a cell are unreliable."""
    doubts = [
        one
        for one in cut_off(result, None)
        if one.code == "interrupted" and cell.repeats_done < cell.repeats_total
    ]
    return [*doubts, *disturbed(result, cell.trials, rate, sense)]


def disturbed(
    result: SustainedResult, trials: Sequence[SustainedTrial], rate: Rate, sense: Sense
) -> list[Doubt]:
    """Return why none of these trials is reliable; nothing if one is.

    The writes of a mixed test, read apart, share its threads with reads.
    """
    reads = result.operation != "write" or any(trial.directions for trial in trials)
    ids = {trial.id for trial in trials}
    cells = [cell for cell in result.cells if any(trial.id in ids for trial in cell.trials)]
    concurrent = is_concurrent(result, cells)
    return unsound(trials, rate, sense, reads=reads, concurrent=concurrent)


def is_concurrent(result: SustainedResult, cells: Sequence[SustainedCell]) -> bool:
    """Return whether one of the cells has no pace, and several operations at once."""
    return any(
        cell.offered_bytes_per_s is None
        and len(result.participants) * cell.streams * cell.queue_depth > 1
        for cell in cells
    )


def of_device(cell: SustainedCell) -> list[Doubt]:
    """Return the doubts about a metric of the device over time."""
    found = of_rate(cell.served_by, "application", "device", "pattern")
    return [*found, *of_breaks([cell], "pattern")]


def of_gaps(result: SustainedResult, cells: Sequence[SustainedCell], sense: Sense) -> list[Doubt]:
    """Return the doubts about latencies and queues of trials with gaps, or with interruptions."""
    found = [gap for cell in cells for trial in cell.trials for gap in trial.gaps]
    starved: Cause = "starved_concurrent" if is_concurrent(result, cells) else "gap"
    causes: tuple[tuple[DoubtCode, Cause], ...] = (("suspended", "gap"), ("starved", starved))
    message = "Operations that a gap delayed, or that had to catch up, are counted."
    doubts = [
        Doubt(what, message, bound=bound_of(cause, sense))
        for what, cause in causes
        if any(gap.what == what and gap.delays for gap in found)
    ]
    moments = any(gap.rested and not gap.is_stretch for gap in found)
    return [*doubts, *(of_breaks(cells, sense) if moments else ())]


def of_breaks(cells: Sequence[SustainedCell], sense: Sense, cause: Cause = "rested") -> list[Doubt]:
    """Return the doubt that a trial was interrupted, so that its storage could rest."""
    found = [gap for cell in cells for trial in cell.trials for gap in trial.gaps]
    breaks = [gap for gap in found if gap.rested]
    if not breaks:
        return []
    figures = {"interruptions": float(len(breaks))}
    message = "The trial was interrupted, or paused for a second: its storage could rest."
    return [Doubt("interrupted", message, figures, bound_of(cause, sense))]


def of_any_gap(cells: Sequence[SustainedCell], bound: Bound) -> list[Doubt]:
    """Return the doubt that operations were left out with the gaps that delayed them."""
    gaps = [gap for cell in cells for trial in cell.trials for gap in trial.gaps]
    if not gaps:
        return []
    message = "Operations were left out because the probe or its machine was disturbed."
    return [Doubt("interrupted", message, {"gaps": float(len(gaps))}, bound)]


def of_rest(result: SustainedResult, cell: SustainedCell, rate: Rate) -> list[Doubt]:
    """Return the doubts about a rate of a storage that could rest.

    The aggregate of several participants includes the gaps that delayed one of them, and its
    durable rate includes all.
    """
    found = [gap for trial in cell.trials for gap in trial.gaps]
    gaps = [gap for gap in found if rate == "durable" or gap.delays or not gap.is_stretch]
    if len(result.participants) > 1 and gaps:
        message = "A participant was disturbed for a part of the trial, which the rate includes."
        return [Doubt("interrupted", message, {"gaps": float(len(gaps))}, None)]
    behind = [trial for trial in cell.trials if ends_behind_gap(trial)]
    message = "The trial ended before it had caught up with what was due in a gap."
    late = [Doubt("suspended", message, {"trials": float(len(behind))}, "lower")] if behind else []
    rested: Cause = "rested_durable" if rate == "durable" else "rested"
    return [*late, *_of_unknown_writeback(gaps, rate), *of_breaks([cell], "rate", rested)]


def _of_unknown_writeback(gaps: Sequence[Gap], rate: Rate) -> list[Doubt]:
    """Return the doubt that a durable rate includes gaps in which nothing may have been written."""
    kept = [gap for gap in gaps if gap.in_durable]
    if rate != "durable" or not kept:
        return []
    total = sum(gap.until_ns - gap.from_ns for gap in kept)
    message = (
        f"The durable rate includes {count(len(kept), 'gap')} of {duration(total)} in all: no "
        "counter shows what the kernel wrote back meanwhile."
    )
    return [
        Doubt("suspended", message, {"gaps": float(len(kept)), "gaps_ns": float(total)}, "lower")
    ]


def not_measured(result: SustainedResult, arguments: Arguments) -> list[Doubt]:
    """Return why there is no value."""
    cells = chosen(result.cells, arguments)
    trials = [trial for cell in cells for trial in cell.trials]
    flags = [flag for trial in trials for flag in trial.flags if flag.code in EXCLUDED]
    doubts = [*cut_off(result, None), *of_flags(flags), *of_breaks(cells, "pattern")]
    sources = [cell.served_by.durable for cell in cells if cell.served_by]
    doubts += [doubt for one in sources for doubt in of_source(one, "durability")]
    return doubts or [Doubt("not_measured", "No trial measured this metric reliably.")]


def of_unreturned(operation: str, trials: Sequence[SustainedTrial]) -> list[Doubt]:
    """Return that operations were abandoned, which may have taken any time longer.

    Of a direction of mixed trials they are no latencies: each may have been of the other one.
    """
    abandoned = sum(trial.unreturned for trial in trials)
    if not abandoned:
        return []
    apart = operation != "mixed" and any(trial.directions for trial in trials)
    what = count(abandoned, noun("mixed" if apart else operation))
    counted = (
        "not counted, because each may have been a read or a write"
        if apart
        else "counted with the time until the probe gave up"
    )
    message = f"{capital(what)} never returned: {counted}."
    return [Doubt("censored", message, {"operations": float(abandoned)}, "lower")]


def of_growing_queue(
    cell: SustainedCell, bytes_per_s: float, most_bytes: int, streams: int
) -> list[Doubt]:
    """Return the doubt that no memory suffices, which is what "Will it carry" answers.

    `most_bytes` is the largest backlog at this rate, `streams` are those of all participants.
    """
    capacities = [
        (1 + one.margin) * one.bytes_per_s for one in cell.carry if one.margin is not None
    ]
    capacity = min(capacities, default=bytes_per_s)
    if capacity < bytes_per_s * (1 - TOLERANCE):
        message = say(
            "The capacity of the storage is {}, less than the rate: a longer trial needs more "
            "memory.",
            {"bytes_per_s": capacity},
        )
        figures = {"capacity_bytes_per_s": capacity}
        return [Doubt("censored", message, figures, "lower", strict=True)]
    # between two rates the value is that of the higher one
    ends = [
        one.end_bytes for one in cell.backlogs if one.bytes_per_s >= bytes_per_s * (1 - TOLERANCE)
    ]
    end = {"end_bytes": float(ends[0])} if ends else {}
    if ends and ends[0] > max(most_bytes / 4, 2 * cell.block * cell.streams):
        message = "The backlog was still growing at the end: a longer trial needs more memory."
        return [Doubt("censored", message, end, "lower", strict=True)]
    if streams > 1 and not drained(cell.backlogs, bytes_per_s, cell.block, streams):
        message = (
            "The backlog had not drained at the end: a stream may be slower than its part of the "
            "rate, so that a longer trial needs more memory."
        )
        return [Doubt("censored", message, end, "lower")]
    return []
