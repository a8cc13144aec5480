"""Estimates of campaigns: cells, bytes, durations and problems. Pure.

Durations are bounds, not predictions: the maximum is the sum of all time limits, the minimum uses
the highest rate ever measured on the target, or `FASTEST_BYTES_PER_S`. Both include preparation at
that rate, but neither its remaining duration nor final syncs.

Files must fit in the free space minus the reserve, and the inodes. Runs on the same file system
take place one after the other and remove their files, so each must fit by itself. The files of all
participants of a run exist at the same time.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from assay.base.field_errors import FieldError
from assay.base.words import grouped
from assay.base.words import size as bytes_in_words
from assay.kinds.planning import MEASURE_FIRST, Caution, FieldName, Place, PlannedRun
from assay.kinds.registry import KINDS, Test
from assay.runs.campaigns.pairs import NO_TRANSFERS, Pair, Transfers, on_one_host

_FREE = "free space and check the host again."
_INODES = "some and check the host again."


def lacking_space(
    runs: Sequence[Sequence[PlannedRun]], size_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """Return an error for each participant without enough space; a run is a list of their plans."""
    return [
        _refuse(part, peak, lack, size_field(part))
        for run in runs
        for part in run
        if (peak := joint_peak_bytes(part, run))
        if (lack := max(0, peak + part.place.reserve_bytes - part.place.free_bytes))
    ]


def lacking_inodes(
    runs: Sequence[Sequence[PlannedRun]], inodes_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """Return an error for each participant without enough inodes, as far as they are known."""
    found: list[FieldError] = []
    for run in runs:
        for part in run:
            free = part.place.free_inodes
            shared = [one for one in run if part.place.shares_space(one.place)]
            needed = sum(one.peak_inodes for one in shared)
            if not part.peak_inodes or free is None or needed <= free:
                continue
            field = inodes_field(part)
            message = f"{part.name} needs {grouped(needed)} inodes; {grouped(free)} are free"
            remedy = f"Use fewer files, a file system with more inodes, or free {_INODES}"
            value = part.parameters[part.inodes_field]
            found.append(FieldError(field, message, remedy, value))
    return found


def joint_peak_bytes(part: PlannedRun, run: Sequence[PlannedRun]) -> int:
    """Return the peak usage of a participant's file system, including that of its siblings."""
    return sum(other.peak_bytes for other in run if part.place.shares_space(other.place))


def _refuse(run: PlannedRun, peak: int, lack: int, size_field: str) -> FieldError:
    rate = run.sizing_rate
    estimated = f" {rate.words}" if rate else ""
    message = f"{run.name} needs {bytes_in_words(peak)}{estimated}; {_left(run, lack)}"
    reduced = "reduce the target's reserved space (reserve_bytes), " * bool(run.place.reserve_bytes)
    first = f"{MEASURE_FIRST}, use" if rate and not rate.measured_bytes_per_s else "Use"
    remedy = f"{first} {run.less_space}, {reduced}or {_FREE}"
    return FieldError(size_field, message, remedy, run.file_size_asked)


def _left(run: PlannedRun, lack: int) -> str:
    return (
        f"{bytes_in_words(run.place.free_bytes)} are free, and the target's reserved space of "
        f"{bytes_in_words(run.place.reserve_bytes)} is not used: "
        f"{bytes_in_words(lack)} are missing"
    )


MOST_TRIALS = 100_000

MOST_SCALED = 16
"""Maximum number of targets, or pairs, of a scale-out: 16 runs of each test, on 136 in all."""

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
        return self.queued_s(max(part.shortest_s for part in run) for run in self.runs)

    @property
    def longest_s(self) -> float:
        """As `shortest_s`, if every trial reaches its time limit."""
        return self.queued_s(max(part.longest_s for part in run) for run in self.runs)

    def queued_s(self, seconds: Iterable[float]) -> float:
        """Return how long all runs take if each takes that many seconds."""
        queues: defaultdict[str, float] = defaultdict(float)
        for run, each in zip(self.runs, seconds, strict=True):
            for resource in {resource for part in run for resource in part.place.resources}:
                queues[resource] += each
        return max(queues.values(), default=0.0)


def forecast(
    tests: Sequence[Test],
    places: Sequence[Place],
    name: FieldName,
    *,
    together: bool = False,
    scale_out: bool = False,
    transfers: Transfers = NO_TRANSFERS,
) -> Forecast:
    """Plan each test on each place, or on all `together`; `name` returns a test's field name.

    `scale_out`: on the first place, then on the first two together, … and on all of them. Tests
    that transfer data are planned from the sources to the sinks of `transfers` instead: all pairs
    in one run, growing numbers of them, or a run for each pair of a mesh. If there are more than
    `MOST_TRIALS`, nothing is planned.
    """
    found, complete = Forecast(), True
    pairs, mesh = transfers.pairs, transfers.arrangement == "mesh"
    trials = sum(
        test.trials * max(1, len(pairs if KINDS[test.kind].transfers else places)) for test in tests
    )
    if trials > MOST_TRIALS:  # planning them would take seconds and unlimited memory
        message = f"makes {trials} trials in total; the maximum is {MOST_TRIALS}"
        remedy = "Choose fewer targets, or fewer repeats."
        chosen = "target_ids" if places else "sources"
        found.problems.append(FieldError(chosen, message, remedy))
        return found
    for number, test in enumerate(tests):
        kind = KINDS[test.kind]
        planned: list[PlannedRun] = []
        for run, problems in _planned(number, test, places, pairs, name):
            found.problems.extend(problems)
            if run is None:
                complete = False
            else:
                planned.append(run)
        at_once = not mesh if kind.transfers else together or scale_out
        if len(planned) > 1:
            found.problems.extend(kind.refused_of_several(planned, name, at_once=at_once))
        if at_once and planned:
            planned = [*kind.alike(planned)]
            found.problems.extend(_unlike(planned, name))
            found.problems.extend(_only_alone(planned[0], name))
        first = 1 if scale_out else len(planned)
        groups = (
            [planned[:size] for size in range(first, len(planned) + 1)]
            if at_once
            else [[run] for run in planned]
        )
        runs = [kind.joined(group) for group in groups if group]
        found.runs.extend(runs)
        found.cautions.extend(one for run in runs for part in run for one in part.cautions())
        if scale_out:
            found.problems.extend(_two_ways(planned, transfers=kind.transfers))
    found.problems.extend(
        _jointly_refused(tests, len(places), transfers, together=together, scale_out=scale_out)
    )
    lacking = [
        *lacking_space(found.runs, lambda run: name(run.number, run.size_field)),
        *lacking_inodes(found.runs, lambda run: name(run.number, run.inodes_field)),
    ]
    if lacking or complete:
        found.fits = not lacking
    found.problems.extend(lacking)
    found.problems = _once(found.problems, lambda one: (one.field, one.message, one.remedy))
    found.cautions = _once(found.cautions, lambda one: (one.code, one.message))
    return found


def _planned(
    number: int, test: Test, places: Sequence[Place], pairs: Sequence[Pair], name: FieldName
) -> Iterator[tuple[PlannedRun | None, list[FieldError]]]:
    """Yield the plan of a test at each place, or of a transfer for each pair; or the problems."""
    kind = KINDS[test.kind]
    if kind.transfers:
        for pair in pairs:
            yield kind.plan_transfer(number, test, pair.source, pair.sink, pair.naming(name))
    else:
        yield from (kind.plan(number, test, place, name) for place in places)


def unplaced(tests: Sequence[Test], counts: Mapping[str, int]) -> Iterator[FieldError]:
    """Yield which of the fields in `counts`, each with its number of entries, do not fit the tests.

    Tests of storage need targets, transfers need sources and sinks.
    """
    moving = [test for test in tests if KINDS[test.kind].transfers]
    storing = [test for test in tests if not KINDS[test.kind].transfers]
    for name, needing, what in (
        ("target_ids", storing, "a target"),
        ("sources", moving, "a source"),
        ("sinks", moving, "a sink"),
    ):
        if needing and not counts[name]:
            message = f"is empty, but the test '{needing[0].title}' needs {what}"
            yield FieldError(name, message, f"Select {what}.", [])
        elif tests and counts[name] and not needing:
            message = f"has {counts[name]}, but no test of the profile uses any"
            yield FieldError(name, message, "Leave it empty, or select another profile.")


def _jointly_refused(
    tests: Sequence[Test],
    targets: int,
    transfers: Transfers,
    *,
    together: bool,
    scale_out: bool,
) -> Iterator[FieldError]:
    """Yield why the tests cannot measure several targets, or pairs, at the same time."""
    field = "scale_out" if scale_out else "together"
    if together and scale_out:
        remedy = "Choose one of the two: a scale-out ends with all targets together."
        yield FieldError(field, "cannot be combined with `together`", remedy, value=True)
    kinds = sorted({test.kind for test in tests})
    for kind in kinds if together else ():
        if not KINDS[kind].together:
            message = f"cannot be used for {kind} tests, which measure one target at a time"
            remedy = "Run each target by itself."
            if KINDS[kind].transfers:
                message = f"cannot be used for {kind} tests: both ends always run together"
                remedy = "Omit it."
            yield FieldError("together", message, remedy, value=True)
    for kind in kinds if scale_out else ():
        if not KINDS[kind].scales_out:
            known = " or ".join(name for name, one in KINDS.items() if one.scales_out)
            remedy = f"Choose a profile of {known} tests, or run all targets together."
            message = f"cannot be used for {kind} tests"
            yield FieldError("scale_out", message, remedy, value=True)
    moving = any(KINDS[kind].transfers for kind in kinds)
    storing = any(not KINDS[kind].transfers for kind in kinds)
    if (together or scale_out) and targets == 1 and storing:
        remedy = "Add targets, or run each target by itself."
        yield FieldError(field, "needs two or more targets", remedy, value=True)
    if scale_out and targets > MOST_SCALED:
        message = f"is for at most {MOST_SCALED} targets; {targets} are selected"
        remedy = "Select fewer, or run all targets together."
        yield FieldError("scale_out", message, remedy, value=True)
    if moving:
        yield from on_one_host(transfers)
        yield from _not_scaled(transfers) if scale_out else ()
    elif tests and transfers.arrangement == "mesh":
        message = "is for transfers, but no test of the profile is one"
        yield FieldError("arrangement", message, "Omit it, or select another profile.", "mesh")


def _not_scaled(transfers: Transfers) -> Iterator[FieldError]:
    """Yield why the pairs of transfers cannot be measured in growing numbers."""
    pairs = len(transfers.pairs)
    if transfers.arrangement == "mesh":
        message = "cannot be combined with the arrangement `mesh`, whose pairs run by themselves"
        remedy = "Use one of the two."
        yield FieldError("scale_out", message, remedy, value=True)
    elif pairs == 1:
        message, remedy = "needs two or more sources or sinks", "Add some, or omit it."
        yield FieldError("scale_out", message, remedy, value=True)
    elif pairs > MOST_SCALED:
        message = f"is for at most {MOST_SCALED} pairs of source and sink; there are {pairs}"
        yield FieldError("scale_out", message, "Select fewer, or omit it.", value=True)


def _only_alone(planned: PlannedRun, name: FieldName) -> Iterator[FieldError]:
    """Yield the parameters that cannot be used for targets that run together."""
    for parameter in planned.only_alone:
        message = (
            "cannot be used for targets that run together: one would prepare or read back its "
            "files while another is still measured"
        )
        remedy = "Omit it, or run each target by itself."
        value = planned.parameters[parameter]
        yield FieldError(name(planned.number, parameter), message, remedy, value)


def _two_ways(planned: Sequence[PlannedRun], *, transfers: bool) -> Iterator[FieldError]:
    """Yield why tests that move data both ways at a target, or between two, do not scale out."""
    if all(len(run.participants) <= (2 if transfers else 1) for run in planned):
        return
    message = "cannot be used for a test that writes and reads at the same time"
    remedy = "Scale out a write and a read of their own, or run all targets together."
    if transfers:
        message = "cannot be used for a test with full duplex"
        remedy = "Scale out each direction by itself, or run all pairs together."
    yield FieldError("scale_out", message, remedy, value=True)


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


def _once(items: Iterable[Unique], key: Callable[[Unique], Hashable]) -> list[Unique]:
    """Return the first item of each key, in the same order, in linear time."""
    first: dict[Hashable, Unique] = {}
    for item in items:
        first.setdefault(key(item), item)
    return list(first.values())
