"""Estimates of campaigns: cells, bytes, durations and problems. Pure.

Durations are bounds, not predictions: the maximum is the sum of all time limits, the minimum uses
the highest rate ever measured on the target, or `FASTEST_BYTES_PER_S`. Both include preparation at
that rate, but neither its remaining duration nor final syncs.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from assay.campaigns.space import lacking_space
from assay.http.field_errors import FieldError
from assay.kinds.planning import Caution, FieldName, Place, PlannedRun
from assay.kinds.registry import KINDS, Test

MOST_TRIALS = 100_000

Unique = TypeVar("Unique")


@dataclass
class Forecast:
    """The runs of a campaign, its problems and its limitations.

    `fits` is None if no planned run lacks space but some could not be planned.
    """

    runs: list[PlannedRun] = field(default_factory=list[PlannedRun])
    problems: list[FieldError] = field(default_factory=list[FieldError])
    cautions: list[Caution] = field(default_factory=list[Caution])
    fits: bool | None = None

    @property
    def cells(self) -> int:
        """Number of parameter combinations in all runs."""
        return sum(run.cells for run in self.runs)

    @property
    def trials(self) -> int:
        """Number of trials in all runs."""
        return sum(run.trials for run in self.runs)

    @property
    def bytes_written(self) -> int:
        """Bytes that all runs write, including prepared files."""
        return sum(run.bytes_written for run in self.runs)

    @property
    def shortest_s(self) -> float:
        """Minimum duration: hosts run in parallel, runs of a host or shared array in sequence."""
        return _longest_queue(self.runs, lambda run: run.shortest_s)

    @property
    def longest_s(self) -> float:
        """As `shortest_s`, if every trial reaches its time limit."""
        return _longest_queue(self.runs, lambda run: run.longest_s)


def forecast(tests: Sequence[Test], places: Sequence[Place], name: FieldName) -> Forecast:
    """Plan each test on each place, in that order; `name` returns the field of a problem.

    If there are more than `MOST_TRIALS`, nothing is planned.
    """
    found, complete = Forecast(), True
    trials = sum(test.trials for test in tests) * len(places)
    if trials > MOST_TRIALS:  # planning them would take seconds and unbounded memory
        message = f"makes {trials} trials in total; the maximum is {MOST_TRIALS}"
        remedy = "Choose fewer targets, or fewer repeats."
        found.problems.append(FieldError("target_ids", message, remedy))
        return found
    for number, test in enumerate(tests):
        for place in places:
            run, problems = KINDS[test.kind].plan(number, test, place, name)
            found.problems.extend(problems)
            if run is None:
                complete = False
                continue
            found.runs.append(run)
            found.cautions.extend(run.cautions())
    lacking = lacking_space(found.runs, lambda run: name(run.number, "file_size"))
    if lacking or complete:
        found.fits = not lacking
    found.problems.extend(lacking)
    found.problems = _once(found.problems, lambda one: (one.field, one.message, one.remedy))
    found.cautions = _once(found.cautions, lambda one: (one.code, one.message))
    return found


def _longest_queue(runs: Iterable[PlannedRun], seconds: Callable[[PlannedRun], float]) -> float:
    queues: defaultdict[str, float] = defaultdict(float)
    for run in runs:
        for resource in run.place.resources:
            queues[resource] += seconds(run)
    return max(queues.values(), default=0.0)


def _once(items: Iterable[Unique], key: Callable[[Unique], Hashable]) -> list[Unique]:
    """Return the first item of each key, in the same order, in linear time."""
    first: dict[Hashable, Unique] = {}
    for item in items:
        first.setdefault(key(item), item)
    return list(first.values())
