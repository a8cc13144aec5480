"""Limitations and findings of a sustained test's result, the most severe first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from assay.analysis.flags import FlagCode, Rate, of_most_trials
from assay.analysis.levels import levels_words
from assay.analysis.steady import MOST_SLOPE, MOST_SPREAD, Steady
from assay.base import words
from assay.base.worded import Words, say
from assay.kinds import limits as shared
from assay.kinds import writeback
from assay.kinds.cells import by_rate
from assay.kinds.limits import BaseLimit
from assay.kinds.run_record import CutShort, Gap
from assay.kinds.sustained.fields import Operation, is_random, noun
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.headline import shown
from assay.kinds.sustained.modes import mode_words

LimitOfSustained = Literal[
    "verify_errors",
    "read_back_incomplete",
    "suspended",
    "starved",
    "contended",
    "served_by_page_cache",
    "served_by_array_cache",
    "served_by_unknown",
    "failed",
    "too_short",
    "short_overlap",
    "timed_out",
    "gap",
    "interrupted",
    "paused",
    "bounded",
    "unreturned",
    "cliff",
    "decline",
    "rise",
    "sawtooth",
    "behind_schedule",
    "not_steady",
    "unstable",
    "ring_footprint",
    "working_set",
    "pessimistic",
    "no_repeats",
    "writeback_delay",
    "below_repeats",
    "cut_short",
]

_DONE: dict[Operation, str] = {"write": "written", "read": "read", "mixed": "begun"}

MOST_NAMED = 3
"""Modes that a limitation names."""

LATE = 0.001
"""A trial is behind its schedule if more than this share of its data is late at the end."""


def ends_behind_gap(trial: SustainedTrial) -> bool:
    """Return whether a trial of a rate ended before it had moved what was due in a gap."""
    if trial.due_peak_ns is None or not any(gap.delays for gap in trial.gaps):
        return False
    return trial.backlog_end_bytes is None or _latest(trial) is not None


def _latest(trial: SustainedTrial) -> int | None:
    """Return the backlog at the end of a trial, or of the worst participant, if it is late."""
    own = [(one.backlog_end_bytes or 0, one.bytes) for one in trial.participants or [trial]]
    return max((backlog for backlog, moved in own if backlog > LATE * moved), default=None)


@dataclass(frozen=True)
class SustainedLimit(BaseLimit):
    """One limitation: `code` and `figures` have everything that programs need, with units.

    `rate` is null if both rates are affected, `operation` if both directions are, or if there is
    only one. `message` is the same as text.
    """

    code: LimitOfSustained
    operation: Operation | None = None


def limits(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any], why: CutShort | None
) -> list[SustainedLimit]:
    """Return all limitations of the result; `why` it did not measure all trials, if so."""
    return [
        *_cut_short(cells, why),
        *_wrong_data(cells),
        *_not_read_back(cells),
        *_served_by(cells),
        *_failed(cells),
        *_of_flags(cells),
        *_gaps(cells, parameters),
        *_bounded(cells),
        *_unreturned(cells, parameters["operation"]),
        *_over_time(cells, parameters["operation"]),
        *_of_writeback(cells),
        *_below(cells, parameters),
        *_of_method(cells, parameters),
    ]


def merged(of_each: Mapping[Operation, Sequence[SustainedLimit]]) -> list[SustainedLimit]:
    """Return the limitations of all directions; each names its direction unless all have it."""
    if len(of_each) == 1:
        return [one for found in of_each.values() for one in found]
    merged: list[SustainedLimit] = []
    for operation, found in of_each.items():
        for one in found:
            if all(one in other for other in of_each.values()):
                merged += [] if one in merged else [one]
                continue
            whose = "Writes" if operation == "write" else "Reads"
            message = say("{}: {}", whose, one.message)
            merged.append(replace(one, message=message, operation=operation))
    return merged


def _cut_short(cells: Sequence[SustainedCell], why: CutShort | None) -> Iterator[SustainedLimit]:
    if said := shared.unfinished(why, cells):
        yield SustainedLimit("cut_short", *said)


def _wrong_data(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    if wrong := sum(trial.verify_errors for cell in cells for trial in cell.trials):
        message, figures = shared.wrong_data(wrong)
        yield SustainedLimit("verify_errors", message, figures)


def _not_read_back(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    """Yield that not all files could be read back; those that still may be are none of them."""
    found = [t.read_back for cell in cells for t in cell.trials if t.read_back]
    if short := [one for one in found if not (one.whole or one.pending)]:
        why = short[0].error or "the run was stopped, or the probe or its host died"
        message = (
            f"Reading back ended early in {words.count(len(short), 'trial')}: {why}. "
            f"{words.size(short[0].bytes)} were verified."
        )
        yield SustainedLimit(
            "read_back_incomplete", message, {"verified_bytes": float(short[0].bytes)}
        )


def _unreturned(cells: Sequence[SustainedCell], operation: str) -> Iterator[SustainedLimit]:
    """Yield that operations were abandoned, so that latencies are lower bounds."""
    trials = [trial for cell in cells for trial in cell.trials if trial.unreturned]
    if abandoned := sum(trial.unreturned for trial in trials):
        message = (
            f"{words.capital(words.count(abandoned, noun(operation)))} never returned and had to "
            f"be abandoned after {words.duration(max(trial.peak_ns or 0 for trial in trials))}: "
            "the latencies are lower bounds."
        )
        yield SustainedLimit("unreturned", message, {"operations": float(abandoned)})


def _served_by(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    for one in shared.sources(cells):
        first = one.found[0]
        own = [
            c for c in cells if c.served_by and c.served_by.of(one.rate or "durable") in one.found
        ]
        where = f" in {_which(own, cells)}" if len(cells) > 1 else ""
        message = say("{}{}. {}", one.said, where, first.evidence)
        yield SustainedLimit(one.code, message, first.figures, one.rate)


def _failed(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    failed = [trial for cell in cells for trial in cell.trials if trial.status == "failed"]
    if failed:
        message = f"{words.capital(words.count(len(failed), 'trial'))} failed."
        yield SustainedLimit("failed", message, {"trials": float(len(failed))})


_FLAGS: tuple[FlagCode, ...] = (
    *("suspended", "starved", "contended", "too_short", "short_overlap", "timed_out", "cliff"),
    "unstable",
)


def _of_flags(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    """Yield the cells' flags, each code once; a cliff is named with its levels."""
    for code in _FLAGS:
        every = ((cell, [flag for flag in cell.flags if flag.code == code]) for cell in cells)
        found = [(cell, flags) for cell, flags in every if flags]
        if not found:
            continue
        cell, flags = found[0]
        flag = of_most_trials(flags)
        trial = shown(cell)
        levels = trial.levels if trial and code == "cliff" else None
        message = say("{}.", levels_words(levels.held)) if levels else flag.evidence
        if len(cells) > 1:
            message = say("In {}: {}", _which([one for one, _ in found], cells), message)
        rates: set[Rate] = {rate for _, own in found for one in own for rate in one.rates}
        rate = rates.pop() if len(rates) == 1 else None
        yield SustainedLimit(code, message, flag.figures, rate)


def _which(found: Sequence[SustainedCell], cells: Sequence[SustainedCell]) -> str:
    """Format how many cells are affected, and which: `1 of 2 cells (page cache)`."""
    modes = dict.fromkeys(mode_words(cell.mode.given) for cell in found)
    named = "; ".join(filter(None, modes)) if len(modes) <= MOST_NAMED else ""
    return f"{len(found)} of {len(cells)} cells" + (f" ({named})" if named else "")


def _gaps(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any]
) -> Iterator[SustainedLimit]:
    """Yield what was not measured while it lasted, and that a trial did not run through."""
    gaps = [gap for cell in cells for trial in cell.trials for gap in trial.gaps]
    if lost := [gap for gap in gaps if gap.is_stretch]:
        yield _stretches(lost, _of_gaps(cells, parameters))
    if pauses := [gap for gap in gaps if gap.what == "paused"]:
        total = sum(gap.away_ns or 0 for gap in pauses)
        message = (
            f"The host's machine was paused for {words.duration(total)} together with its clocks, "
            "at an unknown time: the storage could rest meanwhile."
        )
        yield SustainedLimit("paused", message, {"away_ns": float(total)})
    if breaks := [gap for gap in gaps if gap.what == "interrupted"]:
        yield _interruptions(breaks)


def _stretches(lost: Sequence[Gap], meaning: str) -> SustainedLimit:
    total = sum(gap.until_ns - gap.from_ns for gap in lost)
    whats = " or ".join(sorted({gap.what for gap in lost}, reverse=True))
    message = (
        f"The probe or its machine was {whats} during {words.count(len(lost), 'gap')} of "
        f"{words.duration(total)} in all. {meaning}"
    )
    figures = {"gaps": float(len(lost)), "gaps_ns": float(total)}
    return SustainedLimit("gap", message, figures)


def _interruptions(breaks: Sequence[Gap]) -> SustainedLimit:
    away = [gap.away_ns for gap in breaks if gap.away_ns is not None]
    lasted = f", for {words.duration(sum(away))} in all" if away else ""
    message = (
        f"{words.capital(words.count(len(breaks), 'interruption'))}{lasted}: the storage could "
        "rest meanwhile. Percentiles and the slowest operations are those of the part after "
        "the last one; durability, buffers and the sources of the data are unknown."
    )
    figures = {"interruptions": float(len(breaks)), "away_ns": float(sum(away))}
    return SustainedLimit("interrupted", message, figures)


def _of_gaps(cells: Sequence[SustainedCell], parameters: Mapping[str, Any]) -> str:
    """Say what gaps mean for the figures."""
    trials = [trial for cell in cells for trial in cell.trials]
    gaps = [gap for trial in trials for gap in trial.gaps]
    several = any(len(trial.participants) > 1 for trial in trials)
    if not any(gap.delays for gap in gaps):
        but = ""
        if several:
            but = "; but the durable rate of all includes it"
        elif any(gap.in_durable for gap in gaps):
            but = "; but the durable rate includes it, as no counter shows what was written back"
        return f"It is left out of rates, latencies, due times, backlogs and buffers{but}."
    if several:
        return "The aggregate includes it, so no change over time was searched."
    if any(ends_behind_gap(trial) for trial in trials):
        return (
            "A trial ended before it had caught up, so its rate is a lower bound, and no change "
            "over time was searched; percentiles, buffers and the backlog may be too high."
        )
    if parameters["pace"] == "rate":
        return (
            "The rate includes catching up afterwards, so no change over time was searched; "
            "percentiles, buffers and the backlog may be too high."
        )
    return (
        "What was transferred meanwhile is left out of rates and peaks; percentiles and buffers "
        "may be too high."
    )


def _bounded(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    number = sum(trial.bounded for cell in cells for trial in cell.trials)
    if number:
        message = (
            f"{words.capital(words.count(number, 'trial'))} did not finish the final sync in time: "
            "the true durable rate is lower."
        )
        yield SustainedLimit("bounded", message, {"trials": float(number)}, "durable")


_SHAPES: dict[str, str] = {
    "decline": "The rate declined steadily by {0} of its mean; this is not a cliff.",
    "rise": "The rate rose steadily by {0} of its mean.",
    "sawtooth": (
        "Sawtooth: the rate alternated by {0} of its mean, with a period of {1}; this is not a "
        "cliff."
    ),
}


def _over_time(cells: Sequence[SustainedCell], operation: Operation) -> Iterator[SustainedLimit]:
    """Yield what the shown trials did over time: shape, schedule, steady state."""
    trials = [trial for cell in cells if (trial := shown(cell))]
    shapes = [trial.shape for trial in trials if trial.shape]
    for name, said in _SHAPES.items():
        if found := next((one for one in shapes if one.shape == name), None):
            change, period = abs(found.change), found.period_ns
            message = said.format(words.percent(change), words.duration(period or 0))
            figures = {"change": change, **({"period_ns": float(period)} if period else {})}
            yield SustainedLimit(found.shape, message, figures)
    yield from _behind_schedule(trials, operation)
    loose = [t.steady for t in trials if t.steady and not t.steady.reached]
    if loose:
        yield _not_steady(loose[0])


def _behind_schedule(
    trials: Sequence[SustainedTrial], operation: Operation
) -> Iterator[SustainedLimit]:
    late = [(backlog, t) for t in trials if (backlog := _latest(t))]
    if not late:
        return
    backlog, trial = late[0]
    whose = " at one participant" if trial.participants else ""
    delayed = any(gap.delays or not gap.is_stretch for gap in trial.gaps)
    message = (
        f"At the end {words.size(backlog)}{whose} were due and not yet {_DONE[operation]}: "
        + ("a gap may be the cause." if delayed else "the storage did not hold the rate.")
    )
    yield SustainedLimit("behind_schedule", message, {"backlog_bytes": float(backlog)})


def _not_steady(found: Steady) -> SustainedLimit:
    window = found.window
    message = (
        f"Steady state was not reached after {words.count(found.rounds, 'round')} of 60 s: "
        f"the last five spread by {words.percent(window.spread_share)} of their mean (limit "
        f"{words.percent(MOST_SPREAD)}), and the fitted line changes by "
        f"{words.percent(abs(window.slope_share))} (limit {words.percent(MOST_SLOPE)})."
    )
    figures = {
        "rounds": float(found.rounds),
        "spread_share": window.spread_share,
        "slope_share": window.slope_share,
    }
    return SustainedLimit("not_steady", message, figures)


def _of_writeback(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    """Yield what page-cache rates include, said of the fastest cell."""
    said = writeback.delay([(_place(cell, cells), cell.writeback) for cell in by_rate(cells)])
    if said:
        yield SustainedLimit("writeback_delay", *said, "durable")


def _below(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any]
) -> Iterator[SustainedLimit]:
    """Yield the trial that is far below its repeats, of those without gaps: they are causes."""
    rate: Rate = "durable" if any(cell.durable for cell in cells) else "application"
    of_cells = [
        (
            _place(cell, cells),
            writeback.repeats_of([one for one in cell.trials if not one.gaps], rate),
        )
        for cell in cells
    ]
    trials = [one for cell in cells for one in cell.trials]
    allocates = (
        parameters["operation"] == "write"
        and not is_random(parameters)
        and not any(one.preparation for one in trials)
    )
    first = min((one.id for one in trials), default=0)
    said = writeback.below(of_cells, first_trial_id=first, allocates=allocates)
    if said:
        yield SustainedLimit("below_repeats", *said, rate)


def _place(cell: SustainedCell, cells: Sequence[SustainedCell]) -> Words:
    """Return where one of several cells was measured: its block, and its rate if that is given."""
    if len(cells) == 1:
        return ""
    paced = say(" at {}", {"bytes_per_s": cell.rate_bytes_per_s}) if cell.rate_bytes_per_s else ""
    return say("with {} blocks{}", {"block_bytes": cell.block}, paced)


def _of_method(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any]
) -> Iterator[SustainedLimit]:
    """Yield what the way of measuring cannot show."""
    trials = [trial for cell in cells if (trial := shown(cell))]
    if parameters["file_mode"] == "ring":
        yield from _ring(trials, reads=parameters["operation"] == "read")
    yield from _working_set(trials, parameters)
    if parameters["pace"] == "none" and any(cell.carry for cell in cells):
        message = (
            f"Buffers are pessimistic: {parameters['operation']}s followed each other without "
            "pacing, so the storage never had time to recover."
        )
        yield SustainedLimit("pessimistic", message)
    if single := shared.single_repeats(cells):
        yield SustainedLimit("no_repeats", *single)


def _ring(trials: Sequence[SustainedTrial], *, reads: bool) -> Iterator[SustainedLimit]:
    """Yield that a ring of files was used again, so that a cache may hold it."""
    again = (t for t in trials if t.footprint_bytes < t.bytes)
    found = next((t for t in again if reads or t.no_cliff_within_bytes), None)
    if found is None:
        return
    size = words.size(found.footprint_bytes)
    message = (
        f"The ring of {size} was read again and again: a cache that is not visible from this "
        "host may have served it, and a cliff beyond this footprint cannot be excluded."
        if reads
        else f"The ring of files overwrote {size} again and again: a cliff beyond this "
        "footprint cannot be excluded."
    )
    figures = {"footprint_bytes": float(found.footprint_bytes)}
    yield SustainedLimit("ring_footprint", message, figures)


def _working_set(
    trials: Sequence[SustainedTrial], parameters: Mapping[str, Any]
) -> Iterator[SustainedLimit]:
    """Yield that a working set was used again and again, which a cache may have absorbed."""
    again = [t for t in trials if t.footprint_bytes < t.bytes]
    if not again or not is_random(parameters):
        return
    most = max(again, key=lambda trial: trial.bytes / trial.footprint_bytes)
    times = most.bytes / most.footprint_bytes
    size = words.size(most.footprint_bytes)
    moved, may = {
        "read": ("was read", "have served it"),
        "write": ("was overwritten", "have absorbed the writes"),
        "mixed": ("was read and overwritten", "have served or absorbed them"),
    }[parameters["operation"]]
    message = (
        f"The working set of {size} {moved} {words.figure(times)} times: a cache below this host "
        f"that holds it may {may}. A larger working set may be slower."
    )
    figures = {"footprint_bytes": float(most.footprint_bytes), "times": times}
    yield SustainedLimit("working_set", message, figures)
