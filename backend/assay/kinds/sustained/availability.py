"""Which sustained tests have a metric: why a criterion of it can never be judged."""

from collections.abc import Callable

from assay.analysis.carry import TOLERANCE
from assay.analysis.steady import ROUND_NS
from assay.analysis.words import rate as rate_words
from assay.kinds.expressions import duration_ms
from assay.kinds.metrics import Arguments
from assay.kinds.sustained.axes import of_cell, why_unnamed
from assay.kinds.sustained.fields import Direction, noun
from assay.kinds.sustained.parameters import SustainedTest


def requires(
    operation: Direction | None = None,
    *,
    repeats: int = 1,
    stream: bool = False,
    paced: bool = False,
    unpaced: bool = False,
    rounds: int = 0,
    syncs: bool = False,
    one: bool = False,
    at_rate: bool = False,
) -> Callable[[SustainedTest, Arguments], str | None]:
    """Return a rule that says which of these a test lacks, or that it has no such cell.

    `one`: the metric is that of a single cell. `at_rate`: its argument `rate` is not the cell's.
    `stream`: it is about data that arrives or is played in order.
    """

    def unavailable(test: SustainedTest, arguments: Arguments) -> str | None:
        if (why := _unfit_operation(test, operation, stream=stream)) is not None:
            return why
        if test.repeats < repeats:
            return f"it has {test.repeats} repeats; at least {repeats} are needed"
        if (why := _unfit_pace(test, paced=paced, unpaced=unpaced)) is not None:
            return why
        if syncs and not (test.sync_bytes or test.sync_ms):
            return "it has no periodic sync: set sync_bytes or sync_ms"
        lasting = duration_ms(test.length)
        if rounds and lasting is not None and (lasting - test.ramp_ms) * 10**6 <= rounds * ROUND_NS:
            return f"it does not last longer than {rounds} rounds of {ROUND_NS // 10**9} s"
        return _unnamed(test, arguments, one=one, at_rate=at_rate)

    return unavailable


def _unfit_operation(
    test: SustainedTest, operation: Direction | None, *, stream: bool
) -> str | None:
    if test.operation != "mixed" and operation not in (None, *test.operations):
        return f"it {test.operation}s, and only a {operation} has it"
    if stream and test.access == "random":
        return "its access is random, so it is no stream that a buffer could hold"
    return None


def _unfit_pace(test: SustainedTest, *, paced: bool, unpaced: bool) -> str | None:
    if paced and test.pace != "rate":
        return (
            f"its {noun(test.operations[0])}s have no due times: only pacing by a rate gives them"
        )
    if unpaced and test.pace != "none":
        return "it is paced: a held pace hides how the rate of the storage changes"
    return None


def _unnamed(test: SustainedTest, arguments: Arguments, *, one: bool, at_rate: bool) -> str | None:
    """Return why the test has no such cell, or does not offer the rate."""
    named = of_cell(arguments) if at_rate else arguments
    if (why := why_unnamed(test, named, one=one)) is not None:
        return why
    wanted = arguments.get("rate") if at_rate else None
    if wanted == 0:
        return "at a rate of 0 no data arrives"
    if wanted is not None and test.pace == "rate":
        most = named.get("rate", max(test.rate_bytes_per_s))
        if wanted > most * (1 + TOLERANCE):
            return f"it offers at most {rate_words(most)}, so a higher rate is not tested"
    return None


def requires_frames(test: SustainedTest, arguments: Arguments) -> str | None:
    """Return why the frames that a buffer of so many would have lost are unavailable."""
    frames = arguments.get("frames", 1)
    if frames < 1 or frames % 1:
        return f"no memory holds {frames:g} frames: give a whole number of at least 1"
    return requires(paced=True, one=True, stream=True)(test, arguments)


def requires_verification(test: SustainedTest, _: Arguments) -> str | None:
    """Return why a test does not verify its data."""
    if test.operation == "write" and test.read_back == "none":
        return "it writes, and does not read its files back"
    return None


def requires_recovery(test: SustainedTest, _: Arguments) -> str | None:
    """Return why a test does not show how fast a cache recovers."""
    if len(test.idle_ms) < 2:
        return "it has a single idle time; recovery needs several"
    if test.operation == "both":
        return "it writes and reads at the same time"
    return None


def requires_device_reads(test: SustainedTest, arguments: Arguments) -> str | None:
    """Return why a test does not show the device's rate of reads."""
    if test.operation == "mixed":
        return "it mixes reads and writes, whose device rates are not measured apart"
    return requires("read", one=True)(test, arguments)
