"""What the parts of a transfer reach by themselves, and which of them may be the slowest. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.analysis import words
from assay.analysis.noise import FAR_FACTOR, TOLERANCE, distinct
from assay.kinds.metrics import Bound
from assay.kinds.path.evidence import LIMITS, Limit, Reason


@dataclass(frozen=True)
class PartCandidate:
    """What may limit a transfer: its rates by itself, and which bounds of the true one they are."""

    rates: Sequence[float]
    bounds: frozenset[Bound] = frozenset()

    @property
    def mean(self) -> float:
        """The mean of the repeats."""
        return fmean(self.rates)


def indistinct(one: Sequence[float], slowest: Sequence[float], reached: Sequence[float]) -> bool:
    """Return whether a part may be as slow as the slowest: by noise, by few repeats, in practice.

    What always moved data at many times the rate of the transfer does not limit it.
    """
    a, b = fmean(one), fmean(slowest)
    if abs(a - b) <= TOLERANCE * max(a, b):
        return True
    most = FAR_FACTOR * max(reached)
    ruled_out = min(one) >= most > min(slowest)
    return not ruled_out and not distinct(one, slowest)


def cached(parts: Mapping[Limit, PartCandidate]) -> set[Limit]:
    """Return the parts that a cache helped, which may be slower than they seem."""
    return {limit for limit, one in parts.items() if "upper" in one.bounds}


def is_expectation(parts: Mapping[Limit, PartCandidate], slowest: Limit) -> bool:
    """Return whether a transfer can be held against the slowest part: no rate is only a bound."""
    return not parts[slowest].bounds and not cached(parts)


def doubted(parts: Mapping[Limit, PartCandidate], slowest: Limit) -> set[Limit]:
    """Return the parts that may be slower than the slowest because a rate is only a bound.

    If others disturbed the slowest part, it may be faster, and the next one may be the limit.
    """
    others: dict[Limit, PartCandidate] = {
        limit: one for limit, one in parts.items() if limit != slowest
    }
    found = cached(others)
    if others and "lower" in parts[slowest].bounds:
        following: Limit = min(others, key=lambda limit: (others[limit].mean, limit))
        found.add(following)
    return found


def against_slowest(mean: float, slowest: Limit, expected: float) -> Reason:
    """Return how a transfer's mean compares with what its slowest part reaches by itself."""
    efficiency = mean / expected
    return Reason(
        "expected",
        f"The transfer reaches {words.rate(mean)}, {words.percent(efficiency)} of the slowest part "
        f"by itself ({LIMITS[slowest]}: {words.rate(expected)}).",
        {
            "transfer_bytes_per_s": mean,
            "expected_bytes_per_s": expected,
            "efficiency": efficiency,
        },
    )


_BOUNDS: Mapping[Bound, str] = {
    "upper": "with the help of a cache: without it, the rate may be lower",
    "lower": "while others used it: without them, the rate may be higher",
}


def reached_alone(parts: Mapping[Limit, PartCandidate], slowest: Limit) -> Iterator[Reason]:
    """Yield what the other parts reach by themselves, and which of all rates are only bounds."""
    for limit, one in sorted(parts.items()):
        figures = {f"{limit}_bytes_per_s": one.mean}
        reaches = f"By itself, {LIMITS[limit]} reaches {words.rate(one.mean)}"
        for bound in sorted(one.bounds):
            yield Reason("bounded_part", f"{reaches} {_BOUNDS[bound]}.", figures)
        if limit != slowest and not one.bounds:
            yield Reason("part", f"{reaches}.", figures)
