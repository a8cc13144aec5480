"""What a campaign would do: cells, bytes, times, and all that speaks against it. Pure.

Times are bounds, not predictions: the longest is every trial's timeout, the shortest takes the
best rate that was ever seen on the target, or `FASTEST_BPS`. Preparing is in both at that rate; how
much longer it takes, and final syncs, are in neither.
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

Item = TypeVar("Item")


@dataclass
class Forecast:
    """The runs that a campaign would have, what speaks against it, and what to bear in mind.

    `fits` is None where nothing planned lacks space, and something could not be planned.
    """

    runs: list[PlannedRun] = field(default_factory=list[PlannedRun])
    problems: list[FieldError] = field(default_factory=list[FieldError])
    cautions: list[Caution] = field(default_factory=list[Caution])
    fits: bool | None = None

    @property
    def cells(self) -> int:
        """Parameter combinations of all runs."""
        return sum(run.cells for run in self.runs)

    @property
    def trials(self) -> int:
        """Measurements of all runs."""
        return sum(run.trials for run in self.runs)

    @property
    def bytes_written(self) -> int:
        """Bytes that all runs write, prepared files included."""
        return sum(run.bytes_written for run in self.runs)

    @property
    def shortest_s(self) -> float:
        """Hosts work at the same time, the runs of a host or shared array one after the other."""
        return _longest_queue(self.runs, lambda run: run.shortest_s)

    @property
    def longest_s(self) -> float:
        """As `shortest_s`, with every trial running into its timeout."""
        return _longest_queue(self.runs, lambda run: run.longest_s)


def forecast(tests: Sequence[Test], places: Sequence[Place], name: FieldName) -> Forecast:
    """Each test on each place, in that order; `name` says which field to blame.

    Of more than `MOST_TRIALS` nothing is planned.
    """
    found, complete = Forecast(), True
    trials = sum(test.trials for test in tests) * len(places)
    if trials > MOST_TRIALS:  # to plan them all would take seconds, and memory without end
        message = f"makes {trials} trials in all; {MOST_TRIALS} are the most"
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


def _once(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[Item]:
    """Return the first item of each key, in the same order; time is linear in the items."""
    first: dict[Hashable, Item] = {}
    for item in items:
        first.setdefault(key(item), item)
    return list(first.values())
