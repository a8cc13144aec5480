"""How much a congestion control has in flight at a share of lost packets. Pure.

A rate that is limited by loss follows from it: window ÷ round trip. The formulas are those of
RFC 9438 (CUBIC), sections 4.3 and 5.1, for a long stream whose losses are spread over time.
"""

from collections.abc import Callable, Mapping
from math import sqrt

CUBIC_BETA, CUBIC_C = 0.7, 0.4
"""The multiplicative decrease, and the constant of the growth, of RFC 9438 and Linux."""


def reno(lost: float, rtt_s: float) -> float:
    """Return the average window in segments, which does not depend on the round trip (RFC 5681)."""
    del rtt_s
    return sqrt(1.5 / lost)


def cubic(lost: float, rtt_s: float) -> float:
    """Return the average window in segments; on short paths CUBIC is as fast as Reno."""
    growth = (CUBIC_C * (3 + CUBIC_BETA) / (4 * (1 - CUBIC_BETA))) ** 0.25
    return max(reno(lost, rtt_s), growth * (rtt_s / lost) ** 0.75)


RESPONSES: Mapping[str, Callable[[float, float], float]] = {"reno": reno, "cubic": cubic}
"""The known congestion controls that slow down at each loss; BBR, for one, does not."""


def period_s(congestion_control: str | None, average: float, rtt_s: float) -> float:
    """Return the time between two losses that hold this average window, in segments.

    Reno grows by a segment in each round trip, from half of its largest window, of which the
    average is three quarters. CUBIC takes the cube root of W_max × (1 - beta) ÷ C seconds to grow
    back (RFC 9438, section 4.2), or as long as Reno where that is shorter.
    """
    linear = average / 0.75 / 2 * rtt_s
    if congestion_control != "cubic":
        return linear
    largest = 4 * average / (3 + CUBIC_BETA)
    return min(linear, (largest * (1 - CUBIC_BETA) / CUBIC_C) ** (1 / 3))


def window(congestion_control: str | None, lost: float, rtt_s: float) -> float | None:
    """Return the average window in segments at a share of lost packets, and a round trip.

    None if nothing is lost, or if the congestion control is unknown or does not respond to loss.
    """
    response = RESPONSES.get(congestion_control or "")
    return response(lost, rtt_s) if response and lost > 0 and rtt_s > 0 else None
