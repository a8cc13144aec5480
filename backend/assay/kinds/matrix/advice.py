"""Recommended settings for FileCatalyst, with the reason as data that clients word."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from assay.kinds.matrix.best import Best
from assay.kinds.matrix.headline import CellLevels, levels_of
from assay.kinds.matrix.parameters import Operation
from assay.kinds.matrix.ranking import Setting


@dataclass(frozen=True)
class AdviceReason:
    """Why a setting is recommended: it is the best, or the cheapest within noise of it.

    `means_over_cliffs`: a compared cell has a cliff, so that its mean is over levels.
    """

    code: Literal["best", "within_noise_of_best"]
    best: Setting
    best_bytes_per_s: float
    means_over_cliffs: bool


@dataclass(frozen=True)
class Advice:
    """The cheapest setting within noise of the best, in FileCatalyst's terms (its KB is 2^10).

    With several participants it is that of each of them. `bytes_per_s` is the mean of the setting's
    cell; it is null if the cell has a cliff, and `levels` replace it.
    """

    block: int
    threads: int
    settings: Mapping[str, int | float | str]
    bytes_per_s: float | None
    levels: CellLevels | None
    reason: AdviceReason


def advise(operation: Operation, found: Best, open_mode: str) -> Advice:
    """Return the recommended setting and its reason."""
    chosen, best = found.ranking.cheapest, found.ranking.best
    kilobytes = chosen.block // 1024 if chosen.block % 1024 == 0 else chosen.block / 1024
    settings: dict[str, int | float | str] = (
        {
            "numBlockWriters": chosen.threads,
            "writeBufferSizeKB": kilobytes,
            "writeFileMode": open_mode,
        }
        if operation == "write"
        else {"numBlockReaders": chosen.threads, "readBufferSizeKB": kilobytes}
    )
    levels = levels_of(found, chosen)
    return Advice(
        block=chosen.block,
        threads=chosen.threads,
        settings=settings,
        bytes_per_s=None if levels else fmean(found.rates[chosen]),
        levels=levels,
        reason=AdviceReason(
            code="best" if chosen == best else "within_noise_of_best",
            best=best,
            best_bytes_per_s=found.mean,
            means_over_cliffs=bool(found.cliffs),
        ),
    )
