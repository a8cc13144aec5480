"""From a ranking to what a person does with it: settings for FileCatalyst, and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from assay.analysis import words
from assay.analysis.noise import difference
from assay.analysis.ranking import Ranking, Rates, Setting

Kind = Literal["write", "read"]


@dataclass(frozen=True)
class Advice:
    """The cheapest setting within noise of the best, in FileCatalyst's names (its KB is 2^10)."""

    block: int
    threads: int
    settings: Mapping[str, int | float | str]
    sentence: str


def advise(kind: Kind, rates: Rates, ranking: Ranking, open_mode: str) -> Advice:
    """What to set, and why."""
    chosen, best = ranking.cheapest, ranking.best
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
    reached = f"{_capital(_name(kind, chosen, 'with'))} {verb} {words.rate(fmean(rates[chosen]))}"
    reason = ", the best of all"
    if chosen != best:
        rate = words.rate(fmean(rates[best]))
        reason = f", within noise of the best ({_name(kind, best, 'with')}, {rate})"
    return Advice(chosen.block, chosen.threads, settings, f"{reached}{reason}.")


def headline(kind: Kind, rates: Rates, ranking: Ranking, *, durable: bool) -> str:
    """The figure that matters, in one sentence without its full stop."""
    chosen = ranking.cheapest
    figure = words.rate(fmean(rates[chosen])) + (" durable" if durable else "")
    return f"{figure} with {_name(kind, chosen)}{_about_threads(kind, rates, chosen)}"


def _about_threads(kind: Kind, rates: Rates, chosen: Setting) -> str:
    """What more threads, or fewer, would do; nothing when only one count was tried."""
    more = {s: r for s, r in rates.items() if s.threads > chosen.threads}
    fewer = {s: r for s, r in rates.items() if s.threads < chosen.threads}
    if fewer:
        best = max(fewer, key=lambda setting: fmean(fewer[setting]))
        reach = words.rate(fmean(fewer[best]))
        verb = "reaches" if best.threads == 1 else "reach"
        return f"; {_people(kind, best.threads)} {verb} only {reach}"
    if not more:
        return ""
    best = max(more, key=lambda setting: fmean(more[setting]))
    found = difference(more[best], rates[chosen])
    slower = found.significant and found.ratio < 1
    return "; more threads are slower" if slower else "; more threads don't help"


def _name(kind: Kind, setting: Setting, link: str = "and") -> str:
    return f"{_people(kind, setting.threads)} {link} {words.block(setting.block)} blocks"


def _people(kind: Kind, threads: int) -> str:
    return words.count(threads, "writer" if kind == "write" else "reader")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
