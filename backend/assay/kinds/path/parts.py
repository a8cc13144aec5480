"""What the parts of a transfer reach by themselves, and which of them may be the slowest. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from assay.analysis.noise import FAR_FACTOR, TOLERANCE, distinct
from assay.base.worded import say
from assay.kinds.bounds import bound_of
from assay.kinds.metrics import Bound
from assay.kinds.transfer.evidence import Limit, LimitNames, Reason

CLEAR, CLEAR_FACTOR = 0.003, 2
"""Level and factor from which a transfer departs from its slowest part for no visible reason."""

CLEAR_OF_TWO, PRIOR_FREEDOM_OF_TWO = 0.015, 1
"""The level of two repeats, beside which the usual noise counts less.

At 0.003 they could not show 70 or 150 %. Of transfers that reach 97 % of their slowest part, with a
noise of 15 %, 0.6 % depart from it; of those at 70 % with a noise of 2 %, 99 %.
"""

PartCause = Literal["cached", "bounded", "contended", "starved"]
"""Why the rate of a part is only a bound of the true one; the table of doubts says which."""

_WHILE: Mapping[PartCause, str] = {
    "cached": "with the help of a cache: without it, the rate may be lower",
    "bounded": "until its final sync timed out: the true rate is lower",
    "contended": "while others used it: without them, the rate may be higher",
    "starved": "while it lacked CPU: with more, the rate may be higher",
}


@dataclass(frozen=True)
class PartCandidate:
    """What may limit a transfer: its rates by itself, and why they are only bounds."""

    rates: Sequence[float]
    causes: frozenset[PartCause] = frozenset()

    def is_bound(self, bound: Bound) -> bool:
        """Return whether the rates are a bound on this side of the true one."""
        return any(bound_of(cause, "rate") == bound for cause in self.causes)

    @property
    def mean(self) -> float:
        """The mean of the repeats."""
        return fmean(self.rates)


def indistinct(one: Sequence[float], slowest: Sequence[float], reached: Sequence[float]) -> bool:
    """Return whether a part may be as slow as the slowest: by noise, by few repeats, in practice.

    A part that is ruled out, while the slowest is not, is distinct.
    """
    a, b = fmean(one), fmean(slowest)
    if abs(a - b) <= TOLERANCE * max(a, b):
        return True
    far = ruled_out(one, reached) and not ruled_out(slowest, reached)
    return not far and not distinct(one, slowest)


def departs(reached: Sequence[float], slowest: Sequence[float]) -> bool:
    """Return whether a transfer departs from its slowest part by more than noise explains."""
    if min(len(reached), len(slowest)) != 2:
        return distinct(reached, slowest, level=CLEAR, factor=CLEAR_FACTOR)
    return distinct(
        reached,
        slowest,
        level=CLEAR_OF_TWO,
        factor=CLEAR_FACTOR,
        prior_freedom=PRIOR_FREEDOM_OF_TWO,
    )


def ruled_out(one: Sequence[float], reached: Sequence[float]) -> bool:
    """Return whether a part always moved data at many times the rate that a transfer reached."""
    return min(one) >= FAR_FACTOR * max(reached)


def lowered(parts: Mapping[Limit, PartCandidate]) -> set[Limit]:
    """Return the parts that may be slower than they seem: by a cache, or before they were synced.

    How fast they moved data rules none of them out.
    """
    return {limit for limit, one in parts.items() if one.is_bound("upper")}


def is_expectation(parts: Mapping[Limit, PartCandidate], slowest: Limit) -> bool:
    """Return whether a transfer can be held against the slowest part: no rate is only a bound."""
    return not parts[slowest].causes and not lowered(parts)


def doubted(
    parts: Mapping[Limit, PartCandidate], slowest: Limit, reached: Sequence[float]
) -> set[Limit] | None:
    """Return the parts that may be slower than the slowest because a rate is only a bound.

    If others disturbed the slowest part, it may be faster, and the next one may be the limit,
    unless it moved data at many times the rate of the transfer. None if no bound is in doubt.
    """
    others: dict[Limit, PartCandidate] = {
        limit: one for limit, one in parts.items() if limit != slowest
    }
    found = lowered(others)
    if not others or not parts[slowest].is_bound("lower"):
        return found or None
    following: Limit = min(others, key=lambda limit: (others[limit].mean, limit))
    if not ruled_out(others[following].rates, reached):
        found.add(following)
    return found


def against_slowest(mean: float, slowest: Limit, expected: float, names: LimitNames) -> Reason:
    """Return how a transfer's mean compares with what its slowest part reaches by itself."""
    efficiency = mean / expected
    return Reason(
        "expected",
        say(
            "The transfer reaches {}, {} of the slowest part by itself ({}: {}).",
            {"bytes_per_s": mean},
            {"share": efficiency},
            names.of(slowest),
            {"bytes_per_s": expected},
        ),
        {
            "transfer_bytes_per_s": mean,
            "expected_bytes_per_s": expected,
            "efficiency": efficiency,
        },
    )


def refuted(mean: float, slowest: Limit, part: PartCandidate, names: LimitNames) -> Reason:
    """Return that a transfer was faster than a disturbed part was by itself, which says no more."""
    return Reason(
        "refuted_part",
        say(
            "The transfer reaches {}, and {} reached {} by itself only while it was "
            "disturbed: that rate is not the limit.",
            {"bytes_per_s": mean},
            names.of(slowest),
            {"bytes_per_s": part.mean},
        ),
        {"transfer_bytes_per_s": mean, f"{slowest}_bytes_per_s": part.mean},
    )


def reached_alone(
    parts: Mapping[Limit, PartCandidate], slowest: Limit, names: LimitNames
) -> Iterator[Reason]:
    """Yield what the other parts reach by themselves, and which of all rates are only bounds."""
    for limit, one in sorted(parts.items()):
        figures = {f"{limit}_bytes_per_s": one.mean}
        reaches = say("By itself, {} reaches {}", names.of(limit), {"bytes_per_s": one.mean})
        for cause in sorted(one.causes):
            yield Reason("bounded_part", say("{} {}.", reaches, _WHILE[cause]), figures)
        if limit != slowest and not one.causes:
            yield Reason("part", say("{}.", reaches), figures)
