"""Cells of tests of a target's storage: their state, and which trials their figures use."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assay.analysis import flags as rules
from assay.analysis.flags import Flag, Rate
from assay.analysis.served_by import ServedBy
from assay.analysis.statuses import COUNTED, DISTURBED, OPEN

CellState = Literal["empty", "running", "partial", "done", "failed", "inconclusive"]
"""Whether a cell's trials have been measured. Inconclusive: one of its trials was suspended or
starved in every attempt."""


class Rated(Protocol):
    """Something with both rates, in bytes per second."""

    @property
    def application_bytes_per_s(self) -> float | None:
        """The rate up to the return of the last operation."""

    @property
    def durable_bytes_per_s(self) -> float | None:
        """The rate up to the end of the final sync."""


class RatedTrial(Rated, Protocol):
    """A trial with rates and flags."""

    @property
    def status(self) -> str:
        """The status of its deciding attempt."""
        ...

    @property
    def flags(self) -> Sequence[Flag]:
        """Why its rates are unreliable."""
        ...


@dataclass(frozen=True)
class SourcesOfRates:
    """The source of each rate of a cell: the least conclusive among its trials."""

    application: ServedBy | None
    durable: ServedBy | None

    def of(self, rate: Rate) -> ServedBy | None:
        """Return the source of one rate."""
        return self.durable if rate == "durable" else self.application


def rate_of(trial: Rated, rate: Rate) -> float | None:
    """Return a trial's durable or application rate, in bytes per second."""
    return trial.durable_bytes_per_s if rate == "durable" else trial.application_bytes_per_s


def is_sound(trial: RatedTrial, rate: Rate) -> bool:
    """Return whether headline, answers and best may use a trial's `rate`."""
    measured = trial.status in COUNTED and rate_of(trial, rate) is not None
    return measured and not rules.excluded(trial.flags, rate)


def counts(trial: RatedTrial) -> bool:
    """Return whether a trial measured the storage, reliably or not."""
    return trial.status in COUNTED and not rules.void(trial.flags)


def state_of(statuses: Iterable[tuple[str, bool]], counted: int) -> CellState:
    """Return a cell's state from its trials' statuses, and whether each will be repeated.

    `counted` is the number of trials that count.
    """
    trials = list(statuses)
    if any(status == "running" for status, _ in trials):
        return "running"
    if counted == len(trials):
        return "done"
    if any(status in DISTURBED and not again for status, again in trials):
        return "inconclusive"
    if any(status in OPEN or again for status, again in trials):
        return "partial" if counted else "empty"
    return "partial" if counted else "failed"
