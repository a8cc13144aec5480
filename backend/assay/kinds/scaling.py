"""What several participants reach together, as a scale-out compares it. Pure.

Its efficiency is against N times the rate of one participant alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.analysis.served_by import Source

RateDoubt = Literal[
    "not_measured", "unreliable", "cliff", "page_cache", "bounded", "paced", "other_rules"
]
"""Why a rate has no efficiency, nor the runs that are compared with it."""


@dataclass(frozen=True)
class ReachedRate:
    """A rate in bytes per second, over the repeats; null if no trial counts."""

    bytes_per_s: float | None
    served_by: Source | None
    doubt: RateDoubt | None


@dataclass(frozen=True)
class ParticipantRate:
    """A participant's application rate in bytes per second, and its share of the sum."""

    participant_id: int
    bytes_per_s: float | None
    share: float | None


@dataclass(frozen=True)
class JointRate:
    """The rates of all participants of a run in a cell; `label` names the cell's parameters.

    `durable` is null for a test that has none. `fairness` is Jain's index; it, the slowest and the
    shares are those of the trial that represents the cell.
    """

    cell: str
    label: str
    application: ReachedRate
    durable: ReachedRate | None
    fairness: float | None
    slowest_participant_id: int | None
    participants: Sequence[ParticipantRate]


def efficiency(reached: ReachedRate, number: int, alone: ReachedRate) -> float | None:
    """Return the rate of `number` participants ÷ `number` times that of one; None if in doubt."""
    if reached.doubt or alone.doubt or not reached.bytes_per_s or not alone.bytes_per_s:
        return None
    return reached.bytes_per_s / (number * alone.bytes_per_s)
