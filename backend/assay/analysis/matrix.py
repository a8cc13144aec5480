"""The matrix of a run: its cells ranked, judged and put into words.

A cell that the cache served is best only where all cells are; one whose final sync was given up
is not best as long as another was durable. Trials with a flag that excludes them enter neither
headline nor recommendation nor best; where one that is left out for that was faster, the headline
says so, and nothing is recommended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from assay.analysis import flags, words
from assay.analysis.advice import Advice, Best, Kind, advise, headline
from assay.analysis.cells import COUNTED, Cell, Measured, gather
from assay.analysis.flags import Flag, Rate
from assay.analysis.limits import Limit, limits, remedy
from assay.analysis.ranking import Ranking, Setting, Stat, rank
from assay.analysis.selection import Repeats, corrected_best
from assay.analysis.served_by import EDITION, ServedBy


@dataclass(frozen=True)
class Finding:
    """Best setting and advice for a rate; null where nothing was measured.

    What the cache served is never advised, nor what was slower than a cell that is left out.
    """

    best: Setting | None
    advice: Advice | None


@dataclass(frozen=True)
class HeldRate:
    """A rate in bytes per second, and how long it held, in ns."""

    bytes_per_s: float
    ns: float


@dataclass(frozen=True)
class Matrix:
    """Cells with everything that is said about them; `headline` is of the durable rate if any.

    The headline is of the best cell. `headline_bytes_per_s` is the rate that it names, corrected
    for the choice of the best; `best_bytes_per_s` is that cell's mean. Where the best cell has a
    cliff, the headline names `headline_levels` in place of a rate.
    """

    kind: Kind
    cells: list[Cell]
    durable: Finding
    application: Finding
    headline: str | None
    headline_bytes_per_s: float | None
    headline_levels: list[HeldRate] | None
    best_bytes_per_s: float | None
    warnings: list[Limit]
    edition: str = EDITION


def build(kind: Kind, open_mode: str, trials: Sequence[Measured]) -> Matrix:
    """The matrix of a run's trials, in whatever state they are."""
    gathered: dict[Setting, list[Measured]] = {}
    for trial in trials:
        gathered.setdefault(Setting(trial.block, trial.threads), []).append(trial)
    cells = {setting: gather(members) for setting, members in gathered.items()}
    durable = _best_of(cells, gathered, "durable")
    application = _best_of(cells, gathered, "application")
    leading = durable or application
    levels = _headline_levels(leading) if leading else None
    return Matrix(
        kind=kind,
        cells=[
            replace(
                cell,
                durable=_stand(setting, cell.durable, durable and durable.ranking),
                application=_stand(setting, cell.application, application and application.ranking),
            )
            for setting, cell in cells.items()
        ],
        durable=_finding(kind, open_mode, durable, cells, "durable"),
        application=_finding(kind, open_mode, application, cells, "application"),
        headline=_headline(kind, cells, leading, durable=durable is not None)
        if leading
        else _no_headline(trials),
        headline_bytes_per_s=leading.rate if leading and not levels else None,
        headline_levels=levels,
        best_bytes_per_s=leading.mean if leading else None,
        warnings=[
            *limits([trial for trial in trials if trial.status != "waiting"], list(cells.values())),
            *(_chosen(leading) if leading else []),
        ],
    )


def _look(cell: Cell, rate: Rate) -> tuple[Stat | None, ServedBy | None]:
    """A cell's figures of a rate, and what served it."""
    stat = cell.durable if rate == "durable" else cell.application
    if cell.served_by is None:
        return stat, None
    return stat, cell.served_by.durable if rate == "durable" else cell.served_by.application


def _repeats(
    gathered: dict[Setting, list[Measured]], rate: Rate
) -> dict[Setting, dict[int, float]]:
    """The rates of each setting's sound trials, by repeat."""
    found = {
        setting: {
            t.repeat: value for t in trials if t.sound(rate) and (value := t.rate(rate)) is not None
        }
        for setting, trials in gathered.items()
    }
    return {setting: values for setting, values in found.items() if values}


def _cliffs(gathered: dict[Setting, list[Measured]], rate: Rate) -> dict[Setting, Flag]:
    """The cliff of each setting whose sound trials have one in this rate."""
    return {
        setting: flag
        for setting, trials in gathered.items()
        for flag in flags.of_cell([trial.flags for trial in trials if trial.sound(rate)])
        if flag.code == "cliff" and rate in flag.rates
    }


def _headline_levels(best: Best) -> list[HeldRate] | None:
    """Both levels of the best cell; null where it has no cliff."""
    flag = best.cliffs.get(best.ranking.best)
    if flag is None:
        return None
    return [
        HeldRate(flag.figures[f"{side}_bytes_per_s"], flag.figures[f"{side}_ns"])
        for side in ("before", "after")
    ]


def _best_of(
    cells: dict[Setting, Cell], gathered: dict[Setting, list[Measured]], rate: Rate
) -> Best | None:
    """The best of the sound cells; one measured once is not held against repeated ones."""
    sound = _repeats(gathered, rate)
    eligible = _eligible(cells, sound, rate)
    repeats = {s: rates for s, rates in eligible.items() if len(rates) > 1} or eligible
    rates = {setting: list(values.values()) for setting, values in repeats.items()}
    ranking = rank(rates)
    if ranking is None:
        return None
    mean = fmean(rates[ranking.best])
    corrected = corrected_best(repeats)
    cliffs = {s: f for s, f in _cliffs(gathered, rate).items() if s in rates}
    faster = sum(
        stat.mean_bytes_per_s > mean
        for setting, cell in cells.items()
        if setting not in sound and (stat := _look(cell, rate)[0])
    )
    return Best(rates, ranking, mean, mean if corrected is None else corrected, cliffs, faster)


def _chosen(best: Best) -> list[Limit]:
    """What choosing the highest of several means did to the headline."""
    mean, rate = words.rate(best.mean), words.rate(best.rate)
    if mean == rate or best.ranking.best in best.cliffs:
        return []
    message = (
        f"The best cell's mean is {mean}. The headline is lower because the highest of "
        f"{len(best.rates)} means is partly luck: it is what the repeats that took no part in the "
        "choice reached."
    )
    return [Limit("chosen_of_many", message)]


def _eligible(cells: dict[Setting, Cell], repeats: Repeats, rate: Rate) -> Repeats:
    """Those of the rates that may be called best: those with the fewest doubts."""

    def flaws(setting: Setting) -> tuple[bool, bool]:
        stat, served_by = _look(cells[setting], rate)
        cached = served_by is not None and served_by.source == "page_cache"
        return cached, stat is not None and stat.bounded

    least = min((flaws(setting) for setting in repeats), default=None)
    return {setting: values for setting, values in repeats.items() if flaws(setting) == least}


def _stand(setting: Setting, stat: Stat | None, ranking: Ranking | None) -> Stat | None:
    """A cell's figures with its standing against the best cell."""
    if stat is None or ranking is None:
        return stat
    if setting == ranking.best:
        return replace(stat, best=True)
    found = ranking.differences.get(setting)
    if found is None:
        return stat
    return replace(stat, within_noise=found.within_noise, too_few_repeats=found.too_few, p=found.p)


def _finding(
    kind: Kind, open_mode: str, best: Best | None, cells: dict[Setting, Cell], rate: Rate
) -> Finding:
    if best is None:
        return Finding(None, None)
    _, served_by = _look(cells[best.ranking.best], rate)
    cached = served_by is not None and served_by.source == "page_cache"
    doubtful = cached or best.left_out_faster
    return Finding(best.ranking.best, None if doubtful else advise(kind, best, open_mode))


def _headline(kind: Kind, cells: dict[Setting, Cell], best: Best, *, durable: bool) -> str:
    sentence = headline(kind, best, durable=durable)
    _, served_by = _look(cells[best.ranking.best], "durable" if durable else "application")
    if served_by is None or served_by.source == "device":
        return sentence
    return {
        "page_cache": f"Served by the page cache: {sentence}",
        "array_cache": f"Possibly served by the array's cache: {sentence}",
        "unknown": f"{sentence} (served by: unknown)",
    }[served_by.source]


_WHY_NOTHING: dict[flags.Code, str] = {
    "suspended": "the probe was suspended",
    "starved": "the probe did not get its CPU",
    "contended": "others used the storage",
    "too_short": "too short to tell",
}


def _no_headline(trials: Sequence[Measured]) -> str | None:
    """Why there is no figure although trials were measured; null where none was."""
    found = [flag for trial in trials if trial.status in COUNTED for flag in trial.flags]
    for code, why in _WHY_NOTHING.items():
        same = [flag for flag in found if flag.code == code]
        if same:
            return f"No result: {why}. {remedy(same)}".rstrip()
    return None
