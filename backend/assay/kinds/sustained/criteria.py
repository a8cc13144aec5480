"""What a criterion of a sustained test can name: the axes of a cell, and the metrics of a test."""

from collections.abc import Callable, Sequence

from assay.analysis.carry import TOLERANCE
from assay.analysis.steady import ROUND_NS
from assay.base.words import duration as duration_words
from assay.base.words import rate as rate_words
from assay.base.words import size as bytes_words
from assay.kinds.expressions import duration_ms
from assay.kinds.metrics import Argument, Arguments
from assay.kinds.sustained.fields import Direction, noun
from assay.kinds.sustained.figures import SustainedCell
from assay.kinds.sustained.modes import CHOICES, COMPARED, Compared
from assay.kinds.sustained.parameters import SustainedTest

MOST_ALIGNMENT = 65_536
"""Direct I/O rounds a block up by less than this."""

_BLOCK = Argument(
    "block", "size", "Block size of the cell, as written", of_cell=lambda cell: cell.block
)
_DEPTH = Argument(
    "depth", "count", "Queue depth of the cell", of_cell=lambda cell: cell.queue_depth
)
_BURST = Argument(
    "burst", "count", "Blocks per burst of the cell", of_cell=lambda cell: cell.burst_blocks
)
_IDLE = Argument(
    "idle",
    "duration",
    "Idle time before the trials of the cell",
    of_cell=lambda cell: cell.idle_ms * 10**6,
)
_NAMES: dict[Compared, tuple[str, str]] = {
    "cache": ("cache", "caches"),
    "priority": ("CPU priority", "CPU priorities"),
    "io_priority": ("I/O priority", "I/O priorities"),
}
"""Singular and plural."""


def _mode(name: Compared) -> Argument:
    choices = CHOICES[name]

    def of_cell(cell: SustainedCell) -> int | None:
        given = cell.mode.given.get(name)
        return choices.index(given) if given else None

    said = f"The {_NAMES[name][0]} of the cell"
    return Argument(name, "word", said, choices=choices, of_cell=of_cell)


_MODES = tuple(map(_mode, COMPARED))
_RATE, _PACE = (
    Argument(name, "rate", "Rate that paces the cell", of_cell=lambda cell: cell.rate_bytes_per_s)
    for name in ("rate", "pace")
)
CELL = (_BLOCK, _DEPTH, _RATE, _BURST, _IDLE, *_MODES)
CELL_AT_RATE = (_BLOCK, _DEPTH, _PACE, _BURST, _IDLE, *_MODES)
_OWN = ("block", "depth", "burst", "idle", *COMPARED)
"""The axes of a metric that has another rate as an argument."""


def of_cell(arguments: Arguments) -> dict[str, float]:
    """Return the arguments with `pace` as `rate`, and without another rate."""
    own = {"rate": arguments["pace"]} if "pace" in arguments else {}
    return {name: arguments[name] for name in _OWN if name in arguments} | own


def why_unnamed(test: SustainedTest, named: Arguments, *, one: bool) -> str | None:
    """Return why a test has no cell of this name, or with `one` more than one; else None."""
    why = (
        _missing_block(test, named.get("block"))
        or _missing_depth(test, named.get("depth"))
        or _missing_pace(test, named)
        or _missing_mode(test, named)
    )
    if why:
        return f"it has no such cell: {why}"
    axes = (
        ("block", len(test.block)),
        ("depth", len(test.queue_depth)),
        (test.pace, test.paces),
        ("idle", len(test.idle_ms)),
        *((name, len(getattr(test, name))) for name in COMPARED),
    )
    lacking = [name for name, count in axes if count > 1 and name not in named]
    if one and named and lacking:
        return f"it has several such cells: give {' and '.join(lacking)}, too"
    return None


def _missing_block(test: SustainedTest, block: float | None) -> str | None:
    blocks = {*test.block, *getattr(test, "block_asked", ())}  # direct I/O rounds them up
    if block is None or block in blocks:
        return None
    return f"its blocks are {', '.join(map(bytes_words, sorted(blocks)))}"


def _missing_depth(test: SustainedTest, depth: float | None) -> str | None:
    if depth in (None, *test.queue_depth):
        return None
    return f"its queue depths are {', '.join(map(str, test.queue_depth))}"


def _missing_pace(test: SustainedTest, named: Arguments) -> str | None:
    rate, burst = named.get("rate"), named.get("burst")
    if rate is not None and test.pace != "rate":
        return f"no rate paces its {noun(test.operations[0])}s"
    if burst is not None and test.pace != "burst":
        return f"its {noun(test.operations[0])}s are not paced by bursts"
    if rate not in (None, *test.rate_bytes_per_s):
        return f"its rates are {', '.join(map(rate_words, test.rate_bytes_per_s))}"
    if burst not in (None, *test.burst_blocks):
        return f"its bursts have {', '.join(map(str, test.burst_blocks))} blocks"
    if named.get("idle") not in (None, *(ms * 10**6 for ms in test.idle_ms)):
        return f"its idle times are {', '.join(duration_words(ms * 10**6) for ms in test.idle_ms)}"
    return None


def _missing_mode(test: SustainedTest, named: Arguments) -> str | None:
    for name, wanted in _modes(named).items():
        given: Sequence[str] = getattr(test, name)
        if len(given) == 1:
            return f"it does not compare {_NAMES[name][1]}: omit {name}"
        # of two caches, only one can be direct
        known = ["direct" if one == "direct_if_real" else one for one in given]
        if wanted not in known:
            return f"its {_NAMES[name][1]} are {' and '.join(known)}"
    return None


def _modes(named: Arguments) -> dict[Compared, str]:
    """Return the words of the given modes."""
    return {name: CHOICES[name][int(named[name])] for name in COMPARED if name in named}


def chosen(cells: Sequence[SustainedCell], named: Arguments) -> list[SustainedCell]:
    """Return the named cells, or all; direct I/O may have rounded their block up."""
    found = [
        cell
        for cell in cells
        if named.get("depth") in (None, cell.queue_depth)
        and named.get("rate") in (None, cell.rate_bytes_per_s)
        and named.get("burst") in (None, cell.burst_blocks)
        and named.get("idle") in (None, cell.idle_ms * 10**6)
        and all(getattr(cell.mode, name) == mode for name, mode in _modes(named).items())
    ]
    block = named.get("block")
    if block is None:
        return found
    above = [cell.block for cell in found if block <= cell.block < block + MOST_ALIGNMENT]
    return [cell for cell in found if cell.block == min(above, default=None)]


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
