"""Comparison of sustained runs: each against the first, such as direct against buffered."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assay.analysis.flags import Rate
from assay.analysis.noise import Difference, difference
from assay.analysis.served_by import Source
from assay.analysis.shape import Shaped
from assay.kinds.cells import is_sound, rate_of
from assay.kinds.kind import BaseComparison
from assay.kinds.sustained.examples import COMPARISON
from assay.kinds.sustained.figures import CliffLevels, SustainedCell
from assay.kinds.sustained.headline import HighestCarried, highest_carried, mean_of, shown
from assay.kinds.sustained.parameters import NAME, Operation
from assay.kinds.sustained.result import SustainedResult


class SustainedSide(BaseModel):
    """One run: the mean of its leading cell, and that divided by the first run's.

    `slow_down` is how much slower the last tenth of the shown trial was than its first. The ratio
    is null for the first run, without reliable repeats of both, if the page cache served one of
    both, if one has a cliff, if they were paced at different rates, and of reads against writes.
    """

    run_id: int
    operation: Operation
    cell: str | None
    served_by: Source | None
    shown_trial_id: int | None
    bytes_per_s: float | None
    offered_bytes_per_s: int | None
    levels: CliffLevels | None
    no_cliff_within_bytes: int | None
    shape: Shaped | None
    peak_ns: int | None
    slow_down: float | None
    carried: HighestCarried | None
    ratio: float | None
    p: float | None
    significant: bool
    too_few_repeats: bool


class SustainedComparison(BaseComparison):
    """Two or more runs by one rate: durable if every run has it, else application."""

    model_config = ConfigDict(json_schema_extra={"examples": [COMPARISON]})

    kind: Literal["sustained"]
    rate: Rate
    runs: list[SustainedSide]


def compare(results: Sequence[SustainedResult]) -> SustainedComparison:
    """Compare each run with the first."""
    leading = [_leading(result) for result in results]
    durable = all(cell is not None and cell.durable for cell in leading)
    rate: Rate = "durable" if durable else "application"
    first = _rates(leading[0], rate)
    sources: list[Source | None] = [_source(cell, rate) for cell in leading]
    runs: list[SustainedSide] = []
    for number, (result, cell) in enumerate(zip(results, leading, strict=True)):
        own = _rates(cell, rate)
        compares = (
            number
            and own
            and first
            and result.operation == results[0].operation
            and _comparable(leading[0], cell, (sources[0], sources[number]))
        )
        against = difference(own, first) if compares else None
        runs.append(_run(result, cell, sources[number], rate, against))
    return SustainedComparison(kind=NAME, rate=rate, runs=runs)


def _leading(result: SustainedResult) -> SustainedCell | None:
    return next((cell for cell in result.cells if cell.key == result.leading_cell), None)


def _rates(cell: SustainedCell | None, rate: Rate) -> list[float]:
    trials = [one for one in cell.trials if is_sound(one, rate)] if cell else []
    return [value for one in trials if (value := rate_of(one, rate)) is not None]


def _comparable(
    first: SustainedCell | None, cell: SustainedCell | None, sources: Sequence[Source | None]
) -> bool:
    """Return whether the ratio of two means says something about the storage."""
    if first is None or cell is None:
        return False
    served = {source == "page_cache" for source in sources}
    offered = {first.offered_bytes_per_s, cell.offered_bytes_per_s}
    changed = any(trial and trial.cliff for trial in (shown(first), shown(cell)))
    return len(served) == 1 and not changed and (len(offered) == 1 or None in offered)


def _source(cell: SustainedCell | None, rate: Rate) -> Source | None:
    rates = cell.served_by if cell else None
    found = rates and (rates.durable if rate == "durable" else rates.application)
    return None if found is None else found.source


def _run(
    result: SustainedResult,
    cell: SustainedCell | None,
    source: Source | None,
    rate: Rate,
    against: Difference | None,
) -> SustainedSide:
    trial = shown(cell) if cell else None
    return SustainedSide(
        run_id=result.run_id,
        operation=result.operation,
        cell=cell.key if cell else None,
        served_by=source,
        shown_trial_id=cell.shown_trial_id if cell else None,
        bytes_per_s=mean_of(cell, rate) if cell else None,
        offered_bytes_per_s=cell.offered_bytes_per_s if cell else None,
        levels=trial.cliff if trial else None,
        no_cliff_within_bytes=trial.no_cliff_within_bytes if trial else None,
        shape=trial.shape if trial else None,
        peak_ns=cell.peak_ns if cell else None,
        slow_down=trial.slow_down.share if trial and trial.slow_down else None,
        carried=highest_carried(cell.carry) if cell else None,
        ratio=against.ratio if against else None,
        p=against.p if against else None,
        significant=against is not None and against.significant,
        too_few_repeats=against is not None and against.too_few,
    )
