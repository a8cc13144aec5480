"""The difference between two cells, as far as their rates say something about the storage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.analysis.flags import Rate
from assay.analysis.noise import Difference, difference
from assay.analysis.served_by import Source
from assay.kinds.cells import is_sound, rate_of
from assay.kinds.sustained.figures import Contrast, SustainedCell
from assay.kinds.sustained.headline import levels_of
from assay.kinds.sustained.modes import base_mode


def contrasted(
    cells: Sequence[SustainedCell], parameters: Mapping[str, Any]
) -> list[SustainedCell]:
    """Return the cells of a direction, each contrasted with that of the mode it is compared to."""
    known = {(_setting(one), one.mode): one for one in cells}
    bases = [known.get((_setting(one), base_mode(parameters, one.mode))) for one in cells]
    return [
        replace(one, contrast=_contrast(one, base)) for one, base in zip(cells, bases, strict=True)
    ]


def _setting(cell: SustainedCell) -> tuple[int | None, ...]:
    """Return all parameters of a cell but its mode."""
    return cell.block, cell.queue_depth, cell.rate_bytes_per_s, cell.burst_blocks, cell.idle_ms


def _contrast(cell: SustainedCell, base: SustainedCell | None) -> Contrast | None:
    if base is None or base.key == cell.key:
        return None
    rate: Rate = "durable" if base.durable and cell.durable else "application"
    found = against(base, cell, rate)
    if found is None:
        return None
    return Contrast(base.key, rate, found.ratio, found.p, found.significant, found.too_few)


def against(
    base: SustainedCell | None, cell: SustainedCell | None, rate: Rate
) -> Difference | None:
    """Return the difference of a cell to another one; None if it says nothing about the storage.

    It does not if the page cache served one of both, if the rate of one changed for good, if they
    were paced at different rates, or without reliable repeats of both.
    """
    if base is None or cell is None:
        return None
    own, others = _rates(cell, rate), _rates(base, rate)
    served = {source_of(one, rate) == "page_cache" for one in (base, cell)}
    offered = {base.offered_bytes_per_s, cell.offered_bytes_per_s}
    changed = levels_of(base) or levels_of(cell)
    if len(served) > 1 or changed or (len(offered) > 1 and None not in offered):
        return None
    return difference(own, others) if own and others else None


def _rates(cell: SustainedCell, rate: Rate) -> list[float]:
    trials = [one for one in cell.trials if is_sound(one, rate)]
    return [value for one in trials if (value := rate_of(one, rate)) is not None]


def source_of(cell: SustainedCell | None, rate: Rate) -> Source | None:
    """Return what served a rate of a cell; None if it was not measured."""
    found = cell.served_by.of(rate) if cell and cell.served_by else None
    return None if found is None else found.source
