"""The axes by which a criterion names a cell: block, depth, pace, idle time and mode."""

from collections.abc import Sequence

from assay.analysis.words import duration as duration_words
from assay.analysis.words import rate as rate_words
from assay.analysis.words import size as bytes_words
from assay.kinds.metrics import Argument, Arguments
from assay.kinds.sustained.fields import noun
from assay.kinds.sustained.figures import SustainedCell
from assay.kinds.sustained.modes import CHOICES, COMPARED, Compared
from assay.kinds.sustained.parameters import SustainedTest

MOST_ALIGNMENT = 65_536
"""Direct I/O rounds a block up by less than this."""

_BLOCK = Argument("block", "size", "Block size of the cell, as written")
_DEPTH = Argument("depth", "count", "Queue depth of the cell")
_BURST = Argument("burst", "count", "Blocks per burst of the cell")
_IDLE = Argument("idle", "duration", "Idle time before the trials of the cell")
_NAMES: dict[Compared, tuple[str, str]] = {
    "cache": ("cache", "caches"),
    "priority": ("CPU priority", "CPU priorities"),
    "io_priority": ("I/O priority", "I/O priorities"),
}
"""Singular and plural."""

_MODES = tuple(
    Argument(name, "word", f"The {_NAMES[name][0]} of the cell", choices=CHOICES[name])
    for name in COMPARED
)
_RATE, _PACE = (Argument(name, "rate", "Rate that paces the cell") for name in ("rate", "pace"))
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
