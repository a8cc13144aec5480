"""Which direction of a test that writes and reads a metric is read from."""

from collections.abc import Callable
from dataclasses import replace

from assay.kinds.metrics import Arguments, Measurement
from assay.kinds.sustained.result import SustainedResult

Read = Callable[[SustainedResult, Arguments], Measurement]


def of_first(read: Read) -> Read:
    """Return a reader of the writes of a test that writes and reads at the same time."""

    def read_first(result: SustainedResult, arguments: Arguments) -> Measurement:
        return read(result.of(result.operations[0]), arguments)

    return read_first


def of_reads(read: Read) -> Read:
    """Return a reader of the reads of a test."""

    def read_reads(result: SustainedResult, arguments: Arguments) -> Measurement:
        return read(result.of("read"), arguments)

    return read_reads


def gravest(read: Read, *, highest: bool = True) -> Read:
    """Return a reader of the highest, or lowest, value of all directions; none if one has none."""

    def of_all(result: SustainedResult, arguments: Arguments) -> Measurement:
        found = [read(result.of(one), arguments) for one in result.operations]
        unknown = next((one for one in found if one.value is None), None)
        if unknown is not None or len(found) == 1:
            return unknown or found[0]
        choose = max if highest else min
        worst = choose(found, key=lambda one: one.value or 0.0)
        # a doubt that another value lies further away does not matter
        away = "upper" if highest else "lower"
        others = [d for one in found if one is not worst for d in one.doubts if d.bound != away]
        return replace(worst, doubts=[*worst.doubts, *others])

    return of_all
