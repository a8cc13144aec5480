"""The matrix of a run: cells, ranking, headline and recommendation.

If a cell that is excluded as unreliable was faster than all others, there is neither a headline nor
a best cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.analysis.edition import EDITION
from assay.analysis.flags import BOTH, Rate
from assay.analysis.levels import HeldRate
from assay.analysis.served_by import ServedBy
from assay.analysis.statuses import COUNTED, DISTURBED
from assay.kinds.matrix.advice import Advice, advise
from assay.kinds.matrix.best import Best, best_of, look
from assay.kinds.matrix.cells import Cell, Measured, gather
from assay.kinds.matrix.headline import MatrixHeadline, headline, levels_of, no_headline
from assay.kinds.matrix.limits import Limit, limits
from assay.kinds.matrix.parameters import Operation
from assay.kinds.matrix.ranking import Ranking, Setting, Stat


@dataclass(frozen=True)
class Finding:
    """Best setting and recommendation for a rate; null if nothing was measured.

    A cell that was served by a cache, or is slower than one measured only once, is not recommended.
    """

    best: Setting | None
    advice: Advice | None


@dataclass(frozen=True)
class Matrix:
    """All cells with their evaluation; `headline` is of the durable rate if there is one.

    The headline is of the best cell, and `best_bytes_per_s` is that cell's mean. If the cell has a
    cliff, the headline has `headline_levels` instead.
    """

    operation: Operation
    cells: list[Cell]
    durable: Finding
    application: Finding
    headline: MatrixHeadline | None
    headline_levels: list[HeldRate] | None
    best_bytes_per_s: float | None
    warnings: list[Limit]
    edition: str = EDITION


def build(
    operation: Operation,
    open_mode: str,
    trials: Sequence[Measured],
    participants: int = 1,
    *,
    allocates: bool = True,
) -> Matrix:
    """Return the matrix of a run's trials in any state; for `allocates`, see `limits`."""
    gathered: dict[Setting, list[Measured]] = {}
    for trial in trials:
        gathered.setdefault(Setting(trial.block, trial.threads), []).append(trial)
    cells = {setting: gather(members) for setting, members in gathered.items()}
    bests = {rate: best_of(list(cells.values()), rate) for rate in BOTH}
    durable, application = (_if_certain(bests[rate]) for rate in BOTH)

    def served_by(best: Best | None, rate: Rate) -> ServedBy | None:
        return look(cells[best.ranking.best], rate)[1] if best else None

    rate: Rate = "durable" if bests["durable"] else "application"
    leading = durable if bests["durable"] else application
    levels = _headline_levels(leading) if leading else None
    return Matrix(
        operation=operation,
        cells=[
            replace(
                cell,
                durable=_stand(setting, cell.durable, durable and durable.ranking),
                application=_stand(setting, cell.application, application and application.ranking),
            )
            for setting, cell in cells.items()
        ],
        durable=_finding(operation, open_mode, durable, served_by(durable, "durable")),
        application=_finding(
            operation, open_mode, application, served_by(application, "application")
        ),
        headline=headline(operation, participants, leading, rate, served_by(leading, rate))
        if leading
        else _no_headline(operation, participants, bests[rate], trials),
        headline_levels=levels,
        best_bytes_per_s=leading.mean if leading else None,
        warnings=limits(
            [trial for trial in trials if trial.status != "waiting"],
            list(cells.values()),
            allocates=allocates,
        ),
    )


def _if_certain(best: Best | None) -> Best | None:
    """Return the best cell unless a faster one is excluded as unreliable."""
    return best if best and not best.excluding else None


def _no_headline(
    operation: Operation, participants: int, best: Best | None, trials: Sequence[Measured]
) -> MatrixHeadline | None:
    """Return why there is no headline: the fastest cells, or else all, are unreliable."""
    if best is not None:
        return no_headline(operation, participants, best.excluding, fastest_cells=True)
    flags = [
        flag for trial in trials if trial.status in (*COUNTED, *DISTURBED) for flag in trial.flags
    ]
    return no_headline(operation, participants, flags, fastest_cells=False)


def _headline_levels(best: Best) -> list[HeldRate] | None:
    """Return the levels of the best cell; null if it has no cliff."""
    found = levels_of(best, best.ranking.best)
    return found and found.held


def _stand(setting: Setting, stat: Stat | None, ranking: Ranking | None) -> Stat | None:
    """Add a cell's comparison with the best cell to its figures."""
    if stat is None or ranking is None:
        return stat
    if setting == ranking.best:
        return replace(stat, best=True)
    found = ranking.differences.get(setting)
    if found is None:
        return stat
    return replace(stat, within_noise=found.within_noise, too_few_repeats=found.too_few, p=found.p)


def _finding(
    operation: Operation, open_mode: str, best: Best | None, served_by: ServedBy | None
) -> Finding:
    if best is None:
        return Finding(None, None)
    cached = served_by is not None and served_by.source == "page_cache"
    doubtful = cached or best.left_out_faster
    return Finding(best.ranking.best, None if doubtful else advise(operation, best, open_mode))
