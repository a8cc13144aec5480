"""Trials and their cells as all kinds have them: both rates, which trials count, and their state.

A cell has one figure of each rate, which headline, comparison, exports, report and criteria read.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, Self, TypeVar

from assay.analysis import flags as rules
from assay.analysis.contention import Contention
from assay.analysis.flags import EXCLUDED, Flag, FlagCode, Rate
from assay.analysis.repeats import Repeats, describe
from assay.analysis.served_by import ServedBy, Source, weakest
from assay.analysis.statuses import COUNTED, DISTURBED, OPEN
from assay.analysis.writeback import WritebackRate
from assay.base.worded import Words, say
from assay.base.words import code_words
from assay.kinds.run_record import TrialRecord

CellState = Literal["empty", "running", "partial", "done", "failed", "inconclusive"]
"""Whether a cell's trials have been measured. Inconclusive: one of its trials was suspended or
starved in every attempt."""


@dataclass(frozen=True, kw_only=True)
class Rated:
    """Both rates in bytes per second: up to the last operation, and up to the end of the sync."""

    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None

    def rate(self, rate: Rate) -> float | None:
        """Return the durable or the application rate."""
        return self.durable_bytes_per_s if rate == "durable" else self.application_bytes_per_s


@dataclass(frozen=True, kw_only=True)
class BaseTrial:
    """A trial as a result shows it; each kind has its own.

    `status` is that of its deciding attempt, or `waiting` if there is none; `attempts` is their
    number. `again`: it was suspended or starved and will be repeated. `left_out` has the rates that
    it measured and that are no part of the cell's figures, each with the reason: the code of a flag
    or of what else was wrong.
    """

    id: int
    repeat: int
    status: str
    reason: str | None
    attempts: int
    again: bool
    flags: Sequence[Flag]
    left_out: Mapping[Rate, str] = field(default_factory=dict[Rate, str])

    @property
    def is_counted(self) -> bool:
        """Whether it measured the storage, reliably or not."""
        return self.status in COUNTED and not rules.void(self.flags)


@dataclass(frozen=True, kw_only=True)
class RatedTrial(BaseTrial, Rated):
    """A trial with both rates."""

    def is_sound(self, rate: Rate) -> bool:
        """Return whether headline, answers and best may use its `rate`."""
        measured = self.status in COUNTED and self.rate(rate) is not None
        return measured and not rules.excluded(self.flags, rate)


@dataclass(frozen=True, kw_only=True)
class ParticipantRates(Rated):
    """One of several participants in a trial; each kind has its own.

    The application rate is over the common window, the durable rate over the participant's attempt.
    """

    participant_id: int
    status: str
    reason: str | None
    bytes: int
    start_delay_ns: int | None


@dataclass(frozen=True, kw_only=True)
class StorageTrial(RatedTrial):
    """A trial of a target's storage; each kind has its own.

    `window_ns` is the time in which all of several `participants` measured. `writeback` is null
    unless the data went through the page cache and reached the device, and of several participants.
    """

    bytes: int
    bounded: bool
    verify_errors: int
    contention: Contention | None
    writeback: WritebackRate | None
    window_ns: int | None
    participants: Sequence[ParticipantRates]

    @classmethod
    def waiting(cls, trial: TrialRecord) -> Self:
        """Return a trial without measurements."""
        return cls(
            id=trial.id,
            repeat=trial.repeat,
            status="waiting",
            reason=None,
            attempts=trial.attempts,
            again=trial.again,
            flags=[],
            application_bytes_per_s=None,
            durable_bytes_per_s=None,
            bytes=0,
            bounded=False,
            verify_errors=0,
            contention=None,
            writeback=None,
            window_ns=None,
            participants=[],
        )


Kept = TypeVar("Kept", bound=BaseTrial)
Shown = TypeVar("Shown", bound=RatedTrial)
Stored_co = TypeVar("Stored_co", bound=StorageTrial, covariant=True)


@dataclass(frozen=True, kw_only=True)
class MeasuredTrial(Generic[Stored_co]):
    """A trial as the result shows it, and what only its cell shows: the sources of its rates."""

    figures: Stored_co
    application_served_by: ServedBy | None = None
    durable_served_by: ServedBy | None = None


Measured = TypeVar("Measured", bound=MeasuredTrial[StorageTrial])


@dataclass(frozen=True)
class SourcesOfRates:
    """The source of each rate of a cell: the least conclusive among its trials."""

    application: ServedBy | None
    durable: ServedBy | None

    def of(self, rate: Rate) -> ServedBy | None:
        """Return the source of one rate."""
        return self.durable if rate == "durable" else self.application


@dataclass(frozen=True, kw_only=True)
class BaseCell:
    """All repeats of one parameter combination; each kind has its own.

    `repeats` says how many the leading rate is of, how much they vary, and which it leaves out.
    """

    state: CellState
    repeats: Words
    repeats_done: int
    repeats_total: int
    application: Repeats | None
    durable: Repeats | None
    trials: Sequence[RatedTrial]

    def of(self, rate: Rate) -> Repeats | None:
        """Return the figure of one rate, in bytes per second; None if it was not measured."""
        return self.durable if rate == "durable" else self.application

    def mean(self, rate: Rate) -> float | None:
        """Return the mean rate in bytes per second; None if it was not measured."""
        found = self.of(rate)
        return found.mean if found else None

    def is_sound(self, rate: Rate) -> bool:
        """Return whether the rate of one of its trials is reliable."""
        return any(trial.is_sound(rate) for trial in self.trials)

    def sound_rates(self, rate: Rate) -> list[float]:
        """Return the rates of its reliable trials, in bytes per second."""
        found = (trial.rate(rate) for trial in self.trials if trial.is_sound(rate))
        return [value for value in found if value is not None]


@dataclass(frozen=True, kw_only=True)
class StorageCell(BaseCell):
    """A cell of a test of a target's storage, with what served its rates.

    `writeback` is the mean of the trials that the durable rate is of; null without the page cache.
    """

    served_by: SourcesOfRates | None
    flags: Sequence[Flag]
    writeback: WritebackRate | None = None

    def served(self, rate: Rate) -> ServedBy | None:
        """Return the source of one rate; None if it was not measured."""
        return self.served_by.of(rate) if self.served_by else None

    def source(self, rate: Rate) -> Source | None:
        """Return what served one rate; None if it was not measured."""
        found = self.served(rate)
        return found.source if found else None

    def is_cached(self, rate: Rate) -> bool:
        """Return whether the page cache served one rate."""
        return self.source(rate) == "page_cache"


StoredCell = TypeVar("StoredCell", bound=BaseCell)


def by_rate(cells: Iterable[StoredCell]) -> list[StoredCell]:
    """Return cells in the order of their durable rates, the highest first."""
    return sorted(cells, key=lambda cell: -(cell.mean("durable") or 0.0))


def reliable(counted: Sequence[Measured], *rates: Rate) -> Sequence[Measured]:
    """Return a cell's trials with at least one of these rates reliable, or else all that count."""
    return [one for one in counted if any(one.figures.is_sound(rate) for rate in rates)] or counted


def with_left_out(
    trials: Iterable[Kept],
    used: Mapping[Rate, Collection[BaseTrial]],
    wrong: Callable[[Kept], str | None] = lambda _: None,
) -> list[Kept]:
    """Return a cell's trials, each with why it is no part of the cell's figures, if it is not.

    `used` has the trials that each figure is of. `wrong` gives a reason that is no flag; without
    any reason, the trial has no such rate.
    """
    ids: dict[Rate, set[int]] = {rate: {trial.id for trial in of} for rate, of in used.items()}

    def reasons(trial: Kept) -> dict[Rate, str]:
        apart: list[Rate] = [rate for rate, kept in ids.items() if trial.id not in kept]
        return {
            rate: reason
            for rate in (apart if trial.status in COUNTED else ())
            if (reason := wrong(trial) or rules.excluding(trial.flags, rate))
        }

    return [replace(trial, left_out=reasons(trial)) for trial in trials]


def repeats_words(
    trials: Sequence[BaseTrial], rate: Rate, found: Repeats | None, *, done: int
) -> Words:
    """Return the repeats that a cell's rate is of, their variation, and those that it leaves out.

    Such as `3, CV 1.20 %`, `1 of 3`, or `2, CV 2.18 %; 1 contended, not counted`; `done` have been
    measured.
    """
    reasons = Counter(trial.left_out[rate] for trial in trials if rate in trial.left_out)
    if found is None and reasons:
        said = say("none of {}", str(len(trials)))
    elif done < len(trials):
        said = say("{} of {}", str(done), str(len(trials)))
    elif found is None or found.cv is None:
        said = say("{}", str(found.n if found else done))
    else:
        said = say("{}, CV {}", str(found.n), {"share": found.cv})
    if not reasons:
        return said
    apart = ", ".join(f"{n} {code_words(reason)}" for reason, n in reasons.items())
    return say("{}; {}, not counted", said, apart)


def sound_trials(trials: Iterable[Shown], rate: Rate) -> list[Shown]:
    """Return the trials whose `rate` is reliable."""
    return [trial for trial in trials if trial.is_sound(rate)]


def repeats_of(trials: Iterable[Rated], rate: Rate) -> Repeats | None:
    """Return the repeats of one rate; None if no trial has it."""
    return described(trial.rate(rate) for trial in trials)


def described(values: Iterable[float | None]) -> Repeats | None:
    """Return the repeats of a figure, without those that lack it; None if all do."""
    known = [value for value in values if value is not None]
    return describe(known) if known else None


def sources_of(
    application: Iterable[MeasuredTrial[StorageTrial]],
    durable: Iterable[MeasuredTrial[StorageTrial]],
) -> SourcesOfRates | None:
    """Return the sources of both rates, each of the trials that it is of; None without any."""
    found = SourcesOfRates(
        weakest(one.application_served_by for one in application if one.application_served_by),
        weakest(one.durable_served_by for one in durable if one.durable_served_by),
    )
    return found if found.application or found.durable else None


def flags_of(
    trials: Iterable[BaseTrial], repeats: Iterable[tuple[Rate, Repeats | None]]
) -> list[Flag]:
    """Return the flags of a cell: those of its trials, and those that only several repeats show."""
    found = rules.of_cell([trial.flags for trial in trials if trial.status != "waiting"])
    loose = (rules.unstable(rate, one.mean, one.sd) for rate, one in repeats if one)
    return [*found, *(flag for flag in loose if flag)]


def median_trial(rates: Iterable[tuple[float | None, int]]) -> int | None:
    """Return the id of the trial with the median rate, the lower one of two; None without any."""
    rated = sorted((rate or 0.0, trial_id) for rate, trial_id in rates)
    return rated[(len(rated) - 1) // 2][1] if rated else None


def excluding_flags(trials: Iterable[BaseTrial]) -> list[Flag]:
    """Return the flags that exclude trials from a result although they were measured."""
    measured = (trial for trial in trials if trial.status in (*COUNTED, *DISTURBED))
    return [flag for trial in measured for flag in trial.flags if flag.code in EXCLUDED]


def most_frequent(flags: Iterable[Flag]) -> FlagCode | None:
    """Return the code of most of these flags, the most severe of several; None without any."""
    codes = Counter(flag.code for flag in flags)
    return max(rules.CODES, key=codes.__getitem__) if codes else None


def state_of(trials: Iterable[BaseTrial], counted: int) -> CellState:
    """Return the state of a cell of these trials, of which so many count."""
    every = list(trials)
    if any(one.status == "running" for one in every):
        return "running"
    if counted == len(every):
        return "done"
    if any(one.status in DISTURBED and not one.again for one in every):
        return "inconclusive"
    if any(one.status in OPEN or one.again for one in every):
        return "partial" if counted else "empty"
    return "partial" if counted else "failed"
