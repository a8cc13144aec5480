"""Recommended settings for FileCatalyst, with their reason in one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from assay.analysis import cliff, words
from assay.kinds.matrix.best import Best
from assay.kinds.matrix.parameters import Operation
from assay.kinds.matrix.ranking import Setting


@dataclass(frozen=True)
class Advice:
    """The cheapest setting within noise of the best, in FileCatalyst's terms (its KB is 2^10)."""

    block: int
    threads: int
    settings: Mapping[str, int | float | str]
    sentence: str


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
    verb = "reaches" if chosen.threads == 1 else "reach"
    # a cell within noise of the best is not known to be better
    rate = min(fmean(found.rates[chosen]), found.rate)
    reach = _levels(found, chosen) or words.rate(rate)
    reached = f"{words.capital(_name(operation, chosen, 'with'))} {verb} {reach}"
    reason = ", the highest mean measured" if found.cliffs else ", the highest measured"
    if chosen != best:
        reason = f", within noise of the best cell ({_name(operation, best, 'with')})"
    return Advice(chosen.block, chosen.threads, settings, f"{reached}{reason}.")


def _levels(found: Best, setting: Setting, rate: str = "") -> str | None:
    """Both levels of a cell with a cliff, and in how many of its repeats; null without one."""
    flag = found.cliffs.get(setting)
    return cliff.levels_of_cell(flag.figures, rate) if flag else None


def _name(operation: Operation, setting: Setting, link: str = "and") -> str:
    return f"{_people(operation, setting.threads)} {link} {words.block(setting.block)} blocks"


def _people(operation: Operation, threads: int) -> str:
    return words.count(threads, "writer" if operation == "write" else "reader")
