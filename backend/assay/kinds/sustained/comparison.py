"""Comparison of sustained runs: each against the first, such as direct against buffered."""

from collections.abc import Sequence
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict

from assay.analysis.flags import Rate
from assay.analysis.levels import levels_words
from assay.analysis.noise import Difference
from assay.analysis.served_by import Source
from assay.analysis.shape import Shaped
from assay.base.worded import Part, Quantity, Words, joined, say
from assay.kinds.comparison import Answer, faster_sentence, not_compared, run
from assay.kinds.examples import example
from assay.kinds.result import BaseComparison
from assay.kinds.sustained.fields import NAME, Access, Operation
from assay.kinds.sustained.figures import SustainedCell, TrialLevels
from assay.kinds.sustained.headline import (
    HighestCarried,
    highest_carried,
    levels_of,
    shown,
)
from assay.kinds.sustained.modes import NO_MODE, Mode, mode_words
from assay.kinds.sustained.result import SustainedResult
from assay.kinds.sustained.sweeps import against


class SustainedSide(BaseModel):
    """One direction of a run: the mean of its leading cell, and that divided by the first run's.

    `rate` is durable if every run that has the direction has a durable rate.

    `slow_down` is how much slower the last tenth of the shown trial was than its first. The ratio
    is null for the first run, without reliable repeats of both, if the page cache served one of
    both, if one has a cliff, if they were paced at different rates, of reads against writes, of
    random against sequential access, and of mixtures with other shares of reads. `iops` are
    operations per second of the application rate.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    run_id: int
    operation: Operation
    access: Access = "sequential"
    read_percent: int | None = None
    block: int | None = None
    queue_depth: int | None = None
    mode: Mode = NO_MODE
    iops: float | None = None
    rate: Rate
    cell: str | None = None
    served_by: Source | None = None
    shown_trial_id: int | None = None
    bytes_per_s: float | None = None
    offered_bytes_per_s: int | None = None
    levels: TrialLevels | None = None
    no_cliff_within_bytes: int | None = None
    shape: Shaped | None = None
    peak_ns: int | None = None
    slow_down: float | None = None
    carried: HighestCarried | None = None
    ratio: float | None = None
    p: float | None = None
    significant: bool = False
    too_few_repeats: bool = False


class SustainedComparison(BaseComparison):
    """The directions of two or more runs, in the order of the runs, the writes of each first."""

    model_config = ConfigDict(json_schema_extra=example("sustained", "comparison"))

    kind: Literal["sustained"]
    runs: list[SustainedSide]


def compare(results: Sequence[SustainedResult]) -> SustainedComparison:
    """Compare each run with the first: writes with writes, and reads with reads."""
    operations: tuple[Operation, ...] = ("write", "read", "mixed")
    rates: dict[Operation, Rate] = {one: _common_rate(results, one) for one in operations}
    sides: list[SustainedSide] = []
    for number, result in enumerate(results):
        for operation in result.operations:
            first = results[0] if number and _alike(results[0], result, operation) else None
            base = first and _leading(first.of(operation))
            cell, rate = _leading(result.of(operation)), rates[operation]
            found = against(base, cell, rate)
            sides.append(_run(result.of(operation), cell, rate, found))
    return SustainedComparison(kind=NAME, sentences=sentences_of(sides), runs=sides)


def _alike(first: SustainedResult, result: SustainedResult, operation: Operation) -> bool:
    """Return whether two runs do the same kind of I/O in a direction."""
    same = (first.access, first.read_percent) == (result.access, result.read_percent)
    return same and operation in first.operations


def _common_rate(results: Sequence[SustainedResult], operation: Operation) -> Rate:
    """Return the rate by which runs of an operation are compared: durable if each has it."""
    leading = [_leading(one.of(operation)) for one in results if operation in one.operations]
    durable = all(cell is not None and cell.durable for cell in leading)
    return "durable" if durable else "application"


def _leading(result: SustainedResult) -> SustainedCell | None:
    return next((cell for cell in result.cells if cell.key == result.leading_cell), None)


def _run(
    result: SustainedResult,
    cell: SustainedCell | None,
    rate: Rate,
    found: Difference | None,
) -> SustainedSide:
    side = SustainedSide(
        run_id=result.run_id,
        operation=cast(Operation, result.operation),
        access=result.access,
        read_percent=result.read_percent,
        rate=rate,
    )
    return side.model_copy(
        update={
            **(_of_cell(cell, rate) if cell else {}),
            **(_of_difference(found) if found else {}),
        }
    )


def _of_cell(cell: SustainedCell, rate: Rate) -> dict[str, Any]:
    """Return the fields of a side with a leading cell; levels replace what is known of a rate."""
    trial, levels = shown(cell), levels_of(cell)
    level = None if levels else trial
    return {
        "block": cell.block,
        "queue_depth": cell.queue_depth,
        "mode": cell.mode,
        "iops": cell.iops.mean if cell.iops else None,
        "cell": cell.key,
        "served_by": cell.source(rate),
        "shown_trial_id": cell.shown_trial_id,
        "bytes_per_s": cell.mean(rate),
        "offered_bytes_per_s": cell.offered_bytes_per_s,
        "levels": levels,
        "no_cliff_within_bytes": level.no_cliff_within_bytes if level else None,
        "shape": level.shape if level else None,
        "peak_ns": cell.peak_ns,
        "slow_down": trial.slow_down.share if trial and trial.slow_down else None,
        "carried": highest_carried(cell.carry),
    }


def _of_difference(found: Difference) -> dict[str, Any]:
    return {
        "ratio": found.ratio,
        "p": found.p,
        "significant": found.significant,
        "too_few_repeats": found.too_few,
    }


_DIRECTIONS: dict[Operation, str] = {
    "write": "Writes",
    "read": "Reads",
    "mixed": "Reads and writes",
}


def sentences_of(sides: Sequence[SustainedSide]) -> list[Words]:
    """Return a sentence about each direction of each run but the first.

    It says how much faster or slower it is than the same direction of the first run, which may lack
    it.
    """
    first = sides[0]
    of_first = [side for side in sides if side.run_id == first.run_id]
    others = [side for side in sides if side.run_id != first.run_id]
    named = len(of_first) > 1 or len({side.run_id for side in others}) < len(others)
    found: list[Words] = []
    for side in others:
        base = next((one for one in of_first if one.operation == side.operation), None)
        sentence = _sentence(side, base or first)
        found.append(
            say("{}: {}", _DIRECTIONS[side.operation], sentence) if named and base else sentence
        )
    return found


def _sentence(side: SustainedSide, first: SustainedSide) -> Words:
    """Return how a direction of a run compares with that of the first run."""
    name, other = run(side.run_id), run(first.run_id)
    if side.ratio is not None:
        answer: Answer = "a_faster" if side.significant else "within_noise"
        if side.too_few_repeats:
            answer = "too_few_repeats"
        details = say("({} against {})", _reached(side), _reached(first))
        return faster_sentence(answer, side.ratio, side.run_id, first.run_id, details)
    why: Words = "one has no reliable repeat"
    offered = side.offered_bytes_per_s, first.offered_bytes_per_s
    cached = side.served_by == "page_cache"
    if _does(side) != _does(first):
        why = say(
            "{} {} ({}), and {} {} ({})",
            *(name, _does(side), _reached(side)),
            *(other, _does(first), _reached(first)),
        )
    elif cached != (first.served_by == "page_cache"):
        one, without = (side, first) if cached else (first, side)
        why = say(
            "the page cache served {} ({}), but not {} ({})",
            *(run(one.run_id), _reached(one), run(without.run_id), _reached(without)),
        )
    elif side.levels or first.levels:
        sentence = "The rate changed for good: {} reached {}; {} {}."
        return say(sentence, name, _over_time(side), other, _over_time(first))
    elif offered[0] is not None and offered[1] is not None and offered[0] != offered[1]:
        rates: list[Part] = [{"bytes_per_s": rate} for rate in offered if rate is not None]
        why = say("they were paced at {} and {}", *rates)
    return not_compared(side.run_id, first.run_id, why)


def _does(side: SustainedSide) -> str:
    """Return what a side does: `writes`, `reads at random`."""
    if side.operation == "mixed":
        return f"reads ({side.read_percent} %) and writes at random"
    return f"{side.operation}s at random" if side.access == "random" else f"{side.operation}s"


def _reached(side: SustainedSide) -> Words:
    """Return a rate, or its levels, with the mode of the cell if its run compares several."""
    if side.bytes_per_s is None and not side.levels:
        return "no reliable rate"
    reached: Part = {"bytes_per_s": side.bytes_per_s or 0.0}
    if side.levels:
        reached = levels_words(side.levels.held)
    return joined(", ", [reached, mode_words(side.mode.given)])


def _over_time(side: SustainedSide) -> Words:
    """Return the levels of a side, and the durable rate over all of them; else its rate."""
    rate, levels = side.bytes_per_s, side.levels
    if rate is None and not levels:
        return "no reliable rate"
    reached: Quantity = {"bytes_per_s": rate or 0.0}
    if not levels:
        course = say("{}{}", reached, "" if side.operation == "read" else f" {side.rate}")
    elif levels.durable or rate is None or side.rate != "durable":
        course = levels_words(levels.held)
    else:
        application = levels_words(levels.held)
        course = say("an application rate of {}, and {} durable over all", application, reached)
    return joined(", ", [course, mode_words(side.mode.given)])
