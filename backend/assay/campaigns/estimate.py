"""Estimates of campaigns: cells, bytes, durations and problems. Pure.

Durations are bounds, not predictions: the maximum is the sum of all time limits, the minimum uses
the highest rate ever measured on the target, or `FASTEST_BYTES_PER_S`. Both include preparation at
that rate, but neither its remaining duration nor final syncs.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
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

    Each run has one plan per participant. `fits` is None if something could not be planned and the
    rest does not lack space.
    """

    runs: list[list[PlannedRun]] = field(default_factory=list[list[PlannedRun]])
    problems: list[FieldError] = field(default_factory=list[FieldError])
    cautions: list[Caution] = field(default_factory=list[Caution])
    fits: bool | None = None

    @property
    def cells(self) -> int:
        """Parameter combinations of all runs."""
        return sum(run[0].cells for run in self.runs)

    @property
    def trials(self) -> int:
        """Measurements of all runs."""
        return sum(run[0].trials for run in self.runs)

    @property
    def bytes_written(self) -> int:
        """Bytes that all runs write, prepared files included."""
        return sum(part.bytes_written for part in self.parts)

    @property
    def parts(self) -> list[PlannedRun]:
        """The plans of all participants."""
        return [part for run in self.runs for part in run]

    @property
    def shortest_s(self) -> float:
        """Minimum duration: hosts run in parallel, runs of a host or shared array in sequence."""
        return _longest_queue(self.runs, lambda run: run.shortest_s)

    @property
    def longest_s(self) -> float:
        """As `shortest_s`, if every trial reaches its time limit."""
        return _longest_queue(self.runs, lambda run: run.longest_s)


def forecast(
    tests: Sequence[Test], places: Sequence[Place], name: FieldName, *, together: bool = False
) -> Forecast:
    """Plan each test on each place, or on all `together`; `name` returns a test's field name.

    If there are more than `MOST_TRIALS`, nothing is planned.
    """
    found, complete = Forecast(), True
    trials = sum(test.trials for test in tests) * len(places)
    if trials > MOST_TRIALS:  # planning them would take seconds and unlimited memory
        message = f"makes {trials} trials in total; the maximum is {MOST_TRIALS}"
        remedy = "Choose fewer targets, or fewer repeats."
        found.problems.append(FieldError("target_ids", message, remedy))
        return found
    for number, test in enumerate(tests):
        planned: list[PlannedRun] = []
        for place in places:
            run, problems = KINDS[test.kind].plan(number, test, place, name)
            found.problems.extend(problems)
            if run is None:
                complete = False
                continue
            planned.append(run)
            found.cautions.extend(run.cautions())
        if together and planned:
            found.problems.extend(_unlike(planned, name))
            found.runs.append(planned)
        else:
            found.runs.extend([run] for run in planned)
    for kind in sorted({test.kind for test in tests}) if together else ():
        if not KINDS[kind].together:
            message = f"cannot be used for {kind} tests, which measure one target at a time"
            remedy = "Run each target by itself."
            found.problems.append(FieldError("together", message, remedy, value=True))
    if together and len(places) == 1:
        remedy = "Add targets, or run each target by itself."
        found.problems.append(
            FieldError("together", "needs two or more targets", remedy, value=True)
        )
    lacking = lacking_space(found.runs, lambda run: name(run.number, run.size_field))
    if lacking or complete:
        found.fits = not lacking
    found.problems.extend(lacking)
    found.problems = _once(found.problems, lambda one: (one.field, one.message, one.remedy))
    found.cautions = _once(found.cautions, lambda one: (one.code, one.message))
    return found


def _unlike(planned: Sequence[PlannedRun], name: FieldName) -> Iterator[FieldError]:
    """Yield the parameters that differ between participants, whose trials are the same."""
    first, *others = planned
    for other in others:
        theirs = other.parameters
        for parameter, value in first.parameters.items():
            if theirs[parameter] == value:
                continue
            message = (
                f"differs between targets that run together: {value} for {first.place.name}, "
                f"{theirs[parameter]} for {other.place.name}"
            )
            remedy = "Give the same value for all targets, or run each target by itself."
            yield FieldError(name(first.number, parameter), message, remedy, value)


def _longest_queue(
    runs: Iterable[Sequence[PlannedRun]], seconds: Callable[[PlannedRun], float]
) -> float:
    queues: defaultdict[str, float] = defaultdict(float)
    for run in runs:
        longest = max(map(seconds, run))
        for resource in {resource for part in run for resource in part.place.resources}:
            queues[resource] += longest
    return max(queues.values(), default=0.0)


def _once(items: Iterable[Unique], key: Callable[[Unique], Hashable]) -> list[Unique]:
    """Return the first item of each key, in the same order, in linear time."""
    first: dict[Hashable, Unique] = {}
    for item in items:
        first.setdefault(key(item), item)
    return list(first.values())
