"""Limitations and findings of a sustained test's result, the most severe first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.analysis import words
from assay.analysis.flags import BOTH, FlagCode, Rate
from assay.analysis.steady import MOST_SLOPE, MOST_SPREAD
from assay.kinds.kind import CutShort
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.headline import shown

LimitOfSustained = Literal[
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
    "bounded",
    "cliff",
    "decline",
    "rise",
    "sawtooth",
    "behind_schedule",
    "not_steady",
    "unstable",
    "ring_footprint",
    "pessimistic",
    "chosen_of_many",
    "cut_short",
]

LATE = 0.001
"""A trial is behind its schedule if more than this share of its data is late at the end."""


@dataclass(frozen=True)
class SustainedLimit:
    """One limitation: `code` and `figures` have everything that programs need, with units.

    `rate` is null if both rates are affected. `message` is the same as text.
    """

    code: LimitOfSustained
    message: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    rate: Rate | None = None


_CUT_SHORT: dict[CutShort, str] = {
    "cancelled": "The run was canceled",
    "failed": "The run failed",
    "lost": "The run's host is unreachable",
}


def limits(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any], why: CutShort | None
) -> list[SustainedLimit]:
    """Return all limitations of the result; `why` it did not measure all trials, if so."""
    return [
        *_cut_short(cells, why),
        *_served_by(cells),
        *_failed(cells),
        *_of_flags(cells),
        *_bounded(cells),
        *_over_time(cells),
        *_of_method(cells, parameters),
    ]


def _cut_short(cells: Sequence[SustainedCell], why: CutShort | None) -> Iterator[SustainedLimit]:
    done, total = (
        sum(of) for of in ((c.repeats_done for c in cells), (c.repeats_total for c in cells))
    )
    if why is None or done == total:
        return
    rests = (
        f"the result rests on {done} of the {total} planned trials"
        if done
        else "none of the planned trials was measured"
    )
    figures = {"trials": float(done), "planned_trials": float(total)}
    yield SustainedLimit("cut_short", f"{_CUT_SHORT[why]}: {rests}.", figures)


def _served_by(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    sources: dict[str, tuple[LimitOfSustained, str]] = {
        "page_cache": ("served_by_page_cache", "was served by the page cache"),
        "array_cache": ("served_by_array_cache", "was possibly served by the array's cache"),
        "unknown": ("served_by_unknown", "has an unknown source"),
    }
    for rate in BOTH:
        for source, (code, said) in sources.items():
            found = [
                one
                for cell in cells
                if cell.served_by
                and (one := getattr(cell.served_by, rate))
                and one.source == source
            ]
            if found:
                where = f" in {len(found)} of {len(cells)} cells" if len(cells) > 1 else ""
                message = f"The {rate} rate {said}{where}. {found[0].evidence}"
                yield SustainedLimit(code, message, found[0].figures, rate)


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
    """Yield the cells' flags, each code once; a cliff is named with both levels."""
    for code in _FLAGS:
        found = [(cell, flag) for cell in cells for flag in cell.flags if flag.code == code]
        if not found:
            continue
        cell, flag = found[0]
        trial = shown(cell)
        said = cliff_words(trial) if code == "cliff" and trial else None
        message = f"{said}." if said else flag.evidence
        if len(cells) > 1:
            message = f"In {len(found)} of {len(cells)} cells: {message}"
        rate = flag.rates[0] if len(flag.rates) == 1 else None
        yield SustainedLimit(code, message, flag.figures, rate)


def cliff_words(trial: SustainedTrial) -> str | None:
    """Format a cliff: `2.10 GB/s for 61.0 GB (412 s), then 340 MB/s (−84 %)`; None without one."""
    cliff = trial.cliff
    if cliff is None:
        return None
    sign = "−" if cliff.change > 0 else "+"
    return (
        f"{words.rate(cliff.before_bytes_per_s)} for {words.size(cliff.before_bytes)} "
        f"({words.duration(cliff.before_ns)}), then {words.rate(cliff.after_bytes_per_s)} "
        f"({sign}{words.percent(abs(cliff.change))})"
    )


def _bounded(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    number = sum(trial.bounded for cell in cells for trial in cell.trials)
    if number:
        message = (
            f"{words.capital(words.count(number, 'trial'))} did not finish the final sync in time: "
            "the true durable rate is lower."
        )
        yield SustainedLimit("bounded", message, {"trials": float(number)}, "durable")


def _over_time(cells: Sequence[SustainedCell]) -> Iterator[SustainedLimit]:
    """Yield what the shown trials did over time: shape, schedule, steady state."""
    trials = [trial for cell in cells if (trial := shown(cell))]
    shapes: dict[str, str] = {
        "decline": "The rate declined steadily by {0} of its mean; this is not a cliff.",
        "rise": "The rate rose steadily by {0} of its mean.",
        "sawtooth": (
            "The rate alternated by {0} of its mean, with a period of {1}; this is not a cliff."
        ),
    }
    for shape, said in shapes.items():
        found = [trial.shape for trial in trials if trial.shape and trial.shape.shape == shape]
        if found:
            change, period = abs(found[0].change), found[0].period_ns
            message = said.format(words.percent(change), words.duration(period or 0))
            figures = {"change": change, **({"period_ns": float(period)} if period else {})}
            yield SustainedLimit(found[0].shape, message, figures)
    late = [t for t in trials if t.backlog_end_bytes and t.backlog_end_bytes > LATE * t.bytes]
    if late:
        backlog = late[0].backlog_end_bytes or 0
        message = (
            f"At the end {words.size(backlog)} were due and not yet written: the storage did not "
            "hold the rate."
        )
        yield SustainedLimit("behind_schedule", message, {"backlog_bytes": float(backlog)})
    loose = [t.steady for t in trials if t.steady and not t.steady.reached]
    if loose:
        window = loose[0].window
        message = (
            f"Steady state was not reached after {words.count(loose[0].rounds, 'round')} of 60 s: "
            f"the last five spread by {words.percent(window.spread_share)} of their mean (limit "
            f"{words.percent(MOST_SPREAD)}), and their line changes by "
            f"{words.percent(abs(window.slope_share))} (limit {words.percent(MOST_SLOPE)})."
        )
        figures = {
            "rounds": float(loose[0].rounds),
            "spread_share": window.spread_share,
            "slope_share": window.slope_share,
        }
        yield SustainedLimit("not_steady", message, figures)


def _of_method(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any]
) -> Iterator[SustainedLimit]:
    """Yield what the way of measuring cannot show."""
    trials = [trial for cell in cells if (trial := shown(cell))]
    rings = [t for t in trials if t.footprint_bytes < t.bytes and t.no_cliff_within_bytes]
    if rings:
        message = (
            f"The ring of files overwrote {words.size(rings[0].footprint_bytes)} again and again: "
            "a cliff beyond this footprint cannot be excluded."
        )
        yield SustainedLimit(
            "ring_footprint", message, {"footprint_bytes": float(rings[0].footprint_bytes)}
        )
    if parameters["pace"] == "none" and any(cell.carry for cell in cells):
        message = (
            "Buffers are pessimistic: writes followed each other without pacing, so the storage "
            "never had time to recover."
        )
        yield SustainedLimit("pessimistic", message)
    measured = sum(bool(cell.application) for cell in cells)
    if measured > 1:
        message = (
            f"The headline is the highest of {words.count(measured, 'cell')}, which is partly luck."
        )
        yield SustainedLimit("chosen_of_many", message, {"cells": float(measured)})
