"""The matrix of a run: its cells ranked, judged and put into words.

A cell that the cache served is best only where all cells are; one whose final sync was given up
is not best as long as another was durable.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assay.analysis.advice import Advice, Kind, advise, headline
from assay.analysis.cells import Cell, Measured, gather
from assay.analysis.honesty import EDITION, Mark
from assay.analysis.limits import Limit, limits
from assay.analysis.ranking import Ranking, Rates, Setting, Stat, describe, rank


@dataclass(frozen=True)
class Finding:
    """Best setting and advice for a rate; null where nothing was measured.

    What the cache served is never advised.
    """

    best: Setting | None
    advice: Advice | None


@dataclass(frozen=True)
class Matrix:
    """Cells with everything that is said about them; `headline` is of the durable rate if any.

    `headline_bps` is the mean rate that the headline names, that of the cheapest setting within
    noise of the best; `best_bps` that of the best itself.
    """

    kind: Kind
    cells: list[Cell]
    durable: Finding
    application: Finding
    headline: str | None
    headline_bps: float | None
    best_bps: float | None
    warnings: list[Limit]
    edition: str = EDITION


def build(kind: Kind, open_mode: str, trials: Sequence[Measured]) -> Matrix:
    """The matrix of a run's trials, in whatever state they are."""
    gathered: dict[Setting, list[Measured]] = {}
    for trial in trials:
        gathered.setdefault(Setting(trial.block, trial.threads), []).append(trial)
    cells = {setting: gather(members) for setting, members in gathered.items()}
    durable = _rates(gathered, lambda trial: trial.durable_bps)
    application = _rates(gathered, lambda trial: trial.application_bps)
    durable_ranking = rank(_eligible(cells, durable, _durable))
    application_ranking = rank(_eligible(cells, application, _application))
    leading = durable_ranking or application_ranking
    rates = durable if durable_ranking else application
    return Matrix(
        kind=kind,
        cells=[
            replace(
                cell,
                durable=_stand(setting, cell.durable, durable_ranking),
                application=_stand(setting, cell.application, application_ranking),
            )
            for setting, cell in cells.items()
        ],
        durable=_unless_cached(
            _finding(kind, open_mode, durable, durable_ranking), cells, _durable
        ),
        application=_unless_cached(
            _finding(kind, open_mode, application, application_ranking), cells, _application
        ),
        headline=_headline(kind, cells, rates, leading, durable=durable_ranking is not None),
        headline_bps=describe(rates[leading.cheapest]).mean if leading else None,
        best_bps=describe(rates[leading.best]).mean if leading else None,
        warnings=limits(
            [trial for trial in trials if trial.status != "waiting"], list(cells.values())
        ),
    )


def _durable(cell: Cell) -> tuple[Stat | None, Mark | None]:
    return cell.durable, cell.marks.durable if cell.marks else None


def _application(cell: Cell) -> tuple[Stat | None, Mark | None]:
    return cell.application, cell.marks.application if cell.marks else None


def _rates(
    gathered: dict[Setting, list[Measured]], rate: Callable[[Measured], float | None]
) -> dict[Setting, list[float]]:
    found = {
        setting: [value for t in trials if t.counts and (value := rate(t)) is not None]
        for setting, trials in gathered.items()
    }
    return {setting: values for setting, values in found.items() if values}


def _eligible(
    cells: dict[Setting, Cell],
    rates: Rates,
    look: Callable[[Cell], tuple[Stat | None, Mark | None]],
) -> Rates:
    """Those of the rates that may be called best: the ones that claim most honestly."""

    def flaws(setting: Setting) -> tuple[bool, bool]:
        stat, mark = look(cells[setting])
        return mark is not None and mark.mark == "cache", stat is not None and stat.bounded

    least = min((flaws(setting) for setting in rates), default=None)
    return {setting: values for setting, values in rates.items() if flaws(setting) == least}


def _stand(setting: Setting, stat: Stat | None, ranking: Ranking | None) -> Stat | None:
    """A cell's figures with its standing against the best cell."""
    if stat is None or ranking is None:
        return stat
    if setting == ranking.best:
        return replace(stat, best=True)
    found = ranking.differences.get(setting)
    if found is None:
        return stat
    return replace(stat, within_noise=not found.significant, p=found.p)


def _finding(kind: Kind, open_mode: str, rates: Rates, ranking: Ranking | None) -> Finding:
    if ranking is None:
        return Finding(None, None)
    return Finding(ranking.best, advise(kind, rates, ranking, open_mode))


def _unless_cached(
    finding: Finding,
    cells: dict[Setting, Cell],
    look: Callable[[Cell], tuple[Stat | None, Mark | None]],
) -> Finding:
    """The finding, without advice where the best is a rate of memory."""
    _, mark = look(cells[finding.best]) if finding.best else (None, None)
    return replace(finding, advice=None) if mark and mark.mark == "cache" else finding


def _headline(
    kind: Kind,
    cells: dict[Setting, Cell],
    rates: Rates,
    ranking: Ranking | None,
    *,
    durable: bool,
) -> str | None:
    if ranking is None:
        return None
    ranked = {s: rates[s] for s in (ranking.best, *ranking.differences)}
    sentence = headline(kind, ranked, ranking, durable=durable)
    _, mark = (_durable if durable else _application)(cells[ranking.cheapest])
    if mark is None or mark.mark == "honest":
        return sentence
    return {
        "cache": f"Served by the cache: {sentence}",
        "array": f"Possibly served by the array's cache: {sentence}",
        "unprovable": f"{sentence} (not provable)",
    }[mark.mark]
