"""From a ranking to what a person does with it: settings for FileCatalyst, and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from assay.analysis import cliff, words
from assay.analysis.best import Best
from assay.analysis.noise import difference
from assay.analysis.ranking import Rates, Setting

Kind = Literal["write", "read"]

FEWEST_REPEATS = 2
"""Repeats of each cell that a statement about threads rests on."""


@dataclass(frozen=True)
class Advice:
    """The cheapest setting within noise of the best, in FileCatalyst's names (its KB is 2^10)."""

    block: int
    threads: int
    settings: Mapping[str, int | float | str]
    sentence: str


def advise(kind: Kind, found: Best, open_mode: str) -> Advice:
    """What to set, and why."""
    chosen, best = found.ranking.cheapest, found.ranking.best
    kilobytes = chosen.block // 1024 if chosen.block % 1024 == 0 else chosen.block / 1024
    settings: dict[str, int | float | str] = (
        {
            "numBlockWriters": chosen.threads,
            "writeBufferSizeKB": kilobytes,
            "writeFileMode": open_mode,
        }
        if kind == "write"
        else {"numBlockReaders": chosen.threads, "readBufferSizeKB": kilobytes}
    )
    verb = "reaches" if chosen.threads == 1 else "reach"
    # what is as good as the best within noise is not known to be better
    rate = min(fmean(found.rates[chosen]), found.rate)
    reach = _levels(found, chosen) or words.rate(rate)
    reached = f"{words.capital(_name(kind, chosen, 'with'))} {verb} {reach}"
    reason = ", the highest mean measured" if found.cliffs else ", the highest measured"
    if chosen != best:
        reason = f", within noise of the best cell ({_name(kind, best, 'with')})"
    return Advice(chosen.block, chosen.threads, settings, f"{reached}{reason}.")


def headline(kind: Kind, found: Best, *, durable: bool) -> str:
    """The figure that matters, in one sentence without its full stop."""
    word = " durable" if durable else ""
    figure = _levels(found, found.ranking.best, word) or words.rate(found.rate) + word
    if found.left_out_faster:
        verb = "was" if found.left_out_faster == 1 else "were"
        cells = words.count(found.left_out_faster, "cell")
        more = f"; {cells} left out as doubtful {verb} faster"
    else:
        more = _about_threads(kind, found)
    return f"{figure} with {_name(kind, found.ranking.best)}{more}"


def _levels(found: Best, setting: Setting, rate: str = "") -> str | None:
    """Both levels of a cell with a cliff, and in how many of its repeats; null without one."""
    flag = found.cliffs.get(setting)
    return cliff.levels_of_cell(flag.figures, rate) if flag else None


def _about_threads(kind: Kind, found: Best) -> str:
    """What fewer threads, or more, do; nothing where no repeats can tell."""
    best = found.ranking.best
    if len(found.rates[best]) < FEWEST_REPEATS:
        return ""
    repeated = {s: r for s, r in found.rates.items() if len(r) >= FEWEST_REPEATS}
    fewer = _highest({s: r for s, r in repeated.items() if s.threads < best.threads})
    if fewer:
        reach = words.rate(fmean(found.rates[fewer]))
        if found.cliffs.keys() & {fewer, best}:
            reach += " on average"
        against = difference(found.rates[fewer], found.rates[best])
        people = _people(kind, fewer.threads)
        verb = "reaches" if fewer.threads == 1 else "reach"
        if against.significant:
            return f"; {people} {verb} only {reach}"
        return f"; {people} {verb} as much within noise" if against.within_noise else ""
    more = _highest({s: r for s, r in repeated.items() if s.threads > best.threads})
    if more is None:
        return ""
    against = difference(found.rates[more], found.rates[best])
    if against.significant:
        return "; more threads are slower"
    return "; more threads don't help" if against.within_noise else ""


def _highest(rates: Rates) -> Setting | None:
    return max(rates, key=lambda setting: fmean(rates[setting]), default=None)


def _name(kind: Kind, setting: Setting, link: str = "and") -> str:
    return f"{_people(kind, setting.threads)} {link} {words.block(setting.block)} blocks"


def _people(kind: Kind, threads: int) -> str:
    return words.count(threads, "writer" if kind == "write" else "reader")
