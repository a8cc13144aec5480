"""What a campaign would do: cells, bytes, times, and all that speaks against it. Pure.

Times are bounds, not predictions: the longest is every trial's timeout, the shortest takes the
best rate that was ever seen on the target, or `FASTEST_BPS`. Preparing is in both at that rate; how
much longer it takes, and final syncs, are in neither.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from assay.campaigns.cautions import Caution, cautions
from assay.campaigns.planned import ASSUMED_BYTES_PER_S, Cell, Place, PlannedRun
from assay.campaigns.space import lacking_space
from assay.http.field_errors import FieldError
from assay.profiles.expressions import ExpressionError, evaluate
from assay.profiles.schemas import LARGEST_FILE, Test

MOST_TRIALS = 100_000

Item = TypeVar("Item")

FieldName = Callable[[int, str], str]
"""Where in the request a field of the n-th test came from."""


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
        """Squares of all matrices."""
        return sum(len(run.cells) for run in self.runs)

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
            run, problems = _plan(number, test, place, name)
            found.problems.extend(problems)
            if run is None:
                complete = False
                continue
            found.runs.append(run)
            found.cautions.extend(cautions(run))
    lacking = lacking_space(found.runs, lambda run: name(run.number, "file_size"))
    if lacking or complete:
        found.fits = not lacking
    found.problems.extend(lacking)
    found.problems = _once(found.problems, lambda one: (one.field, one.message, one.remedy))
    found.cautions = _once(found.cautions, lambda one: (one.code, one.message))
    return found


def _plan(
    number: int, test: Test, place: Place, name: FieldName
) -> tuple[PlannedRun | None, list[FieldError]]:
    size_field = name(number, "file_size")
    try:
        size = _size(test, place)
    except ExpressionError as error:
        remedy = 'Write it like "min(1 GB, free / 10)".'
        message = f"cannot be computed for {place.name}: {error}"
        return None, [FieldError(size_field, message, remedy, test.file_size)]
    if not 1 <= size <= LARGEST_FILE:
        message = f"gives {size} bytes for {place.name}"
        remedy = "Give 1 byte or more, and 2^62 or less."
        return None, [FieldError(size_field, message, remedy, test.file_size)]
    cells = [
        _cell(block, threads, test.files, size) for block in test.block for threads in test.threads
    ]
    largest = max(cell.bytes for cell in cells)
    if largest > LARGEST_FILE:
        message = f"overflows: all files of a trial would have {largest} bytes; 2^62 is the most"
        return None, [FieldError(size_field, message, "Give smaller or fewer files.", size)]
    run = PlannedRun(place, number, test, size, _cache(test, place), tuple(cells))
    return run, _direct_problems(run, name)


def _size(test: Test, place: Place) -> int:
    if isinstance(test.file_size, int):
        return test.file_size
    rate = round(place.sizing_bytes_per_s(test.kind) or ASSUMED_BYTES_PER_S)
    known = {"ram": place.ram, "cpus": place.cpus, "free": place.free_bytes, "rate": rate}
    return evaluate(test.file_size, {n: v for n, v in known.items() if v is not None})


def _cell(block: int, threads: int, files: int, size: int) -> Cell:
    """The cell, with its file size rounded up to whole blocks as the probe does."""
    return Cell(block, threads, min(files, threads), -(-size // block) * block)


def _cache(test: Test, place: Place) -> str:
    if test.cache == "direct_if_real":
        return "direct" if place.direct == "real" else "page"
    return test.cache


def _direct_problems(run: PlannedRun, name: FieldName) -> list[FieldError]:
    place, test = run.place, run.test
    if run.cache != "direct":
        return []
    if place.direct == "refused":
        message = f"the file system of {place.name} ({place.fs_type}) refuses O_DIRECT"
        remedy = 'Choose cache "page", or "direct_if_real".'
        return [FieldError(name(run.number, "cache"), message, remedy, test.cache)]
    if place.alignment is None:
        return []
    uneven = [block for block in test.block if block % place.alignment]
    if not uneven:
        return []
    message = (
        f"with O_DIRECT on {place.name}, blocks must be multiples of {place.alignment} bytes; "
        f"{', '.join(map(str, uneven))} {'is' if len(uneven) == 1 else 'are'} not"
    )
    remedy = f'Give multiples of {place.alignment}, or cache "page".'
    return [FieldError(name(run.number, "block"), message, remedy, list(test.block))]


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
