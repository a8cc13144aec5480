"""Which direction of a test that writes and reads a metric is read from.

A mixed test has one value for both directions together, and one of each.
"""

from collections.abc import Callable
from dataclasses import replace

from assay.kinds.metrics import Arguments, Bound, Doubt, Measurement
from assay.kinds.sustained.result import SustainedResult

Read = Callable[[SustainedResult, Arguments], Measurement]


def of_first(read: Read) -> Read:
    """Return a reader of the writes of a test that writes and reads at the same time."""

    def read_first(result: SustainedResult, arguments: Arguments) -> Measurement:
        return read(result.of(result.operations[0]), arguments)

    return read_first


def of_writes(read: Read) -> Read:
    """Return a reader of the writes of a test."""

    def read_writes(result: SustainedResult, arguments: Arguments) -> Measurement:
        return read(result.of("write"), arguments)

    return read_writes


def of_reads(read: Read) -> Read:
    """Return a reader of the reads of a test."""

    def read_reads(result: SustainedResult, arguments: Arguments) -> Measurement:
        return read(result.of("read"), arguments)

    return read_reads


def gravest(read: Read, *, highest: bool = True, paced: bool = False) -> Read:
    """Return a reader of the highest, or lowest, value of all directions.

    `paced`: only of those with due times.

    A value that is certain counts before one that may be better than it says. Where another one is
    unknown, or may be worse by its own doubts, the value is a bound: how much worse that one may be
    is the other end. Doubts that leave another one better than the value do not concern it.
    """
    better: Bound = "upper" if highest else "lower"
    worse: Bound = "lower" if highest else "upper"

    def of_all(result: SustainedResult, arguments: Arguments) -> Measurement:
        sides = [result.of(one) for one in result.operations]
        due = [one for one in sides if any(cell.offered_bytes_per_s for cell in one.cells)]
        found = [read(one, arguments) for one in (due if paced and due else sides)]
        known = [one for one in found if one.value is not None]
        if len(found) == 1 or not known:
            return found[0]
        certain = [one for one in known if all(doubt.bound != better for doubt in one.doubts)]
        choose = max if highest else min
        worst = choose(certain or known, key=lambda one: one.value or 0.0)
        others = [d for one in found if one is not worst for d in _beside(one, worst)]
        return replace(worst, doubts=[*worst.doubts, *others])

    def _beside(one: Measurement, worst: Measurement) -> list[Doubt]:
        """Return the doubts of another direction by which it may be worse than the worst value."""
        if one.value is None or worst.value is None:
            return [doubt.bounded_by(worse) for doubt in one.doubts]
        found: list[Doubt] = []
        for doubt in one.doubts:
            least, most = doubt.ends(one.value)
            end = most if highest else least
            if end > worst.value if highest else end < worst.value:
                found.append(doubt.bounded_by(worse, end))
        return found

    return of_all
