"""Bringing runs side by side."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from sqlalchemy.orm import Session

from assay.analysis import words
from assay.analysis.best import look, sound_repeats
from assay.analysis.flags import BOTH, Rate
from assay.analysis.ratio import Named, answer, ratios
from assay.compare.schemas import (
    CellRatio,
    ComparedRun,
    Comparison,
    ConditionDifference,
    RatioOut,
    Scale,
    Scales,
)
from assay.runs import queries
from assay.runs.conditions import LABELS, SIZES
from assay.runs.matrix import matrix
from assay.runs.schemas import MatrixOut


def compare(session: Session, run_ids: Sequence[int]) -> Comparison:
    """The runs in the given order; raises NotFound."""
    runs = [
        ComparedRun(
            **dict(queries.one(session, run_id)),
            matrix=matrix(session, queries.find(session, run_id)),
        )
        for run_id in run_ids
    ]
    a, b = runs[:2]
    # a read run has no durable rate: with one among them, the rate that all have leads
    leading: Rate = "durable" if all("durable" in r.matrix.rates for r in runs) else "application"
    scales = Scales(
        durable=_scale([run.matrix for run in runs], "durable"),
        application=_scale([run.matrix for run in runs], "application"),
    )
    names = _names(runs)
    return Comparison(
        runs=runs,
        differences=_differences(runs),
        answer=answer(
            Named.of(names[0], a.matrix.cells, leading),
            Named.of(names[1], b.matrix.cells, leading),
            leading,
        ),
        ratio=_ratio(a, b, leading),
        scale=getattr(scales, leading),
        scales=scales,
    )


def _names(runs: Sequence[ComparedRun]) -> list[str]:
    """What tells the runs apart in a sentence: the host, the target, else a letter, from A on.

    The letters are those by which the Compare page calls the runs.
    """
    hosts = [run.host.name for run in runs]
    if len(set(hosts)) == len(hosts):
        return hosts
    targets = [f"{run.host.name} {run.target.path if run.target else ''}".strip() for run in runs]
    if len(set(targets)) == len(targets):
        return targets
    return list(ascii_uppercase[: len(runs)])


def _differences(runs: Sequence[ComparedRun]) -> list[ConditionDifference]:
    found: list[ConditionDifference] = []
    for name, label in LABELS.items():
        values = [run.conditions[name] for run in runs]
        if any(value != values[0] for value in values[1:]):
            shown = [_shown(name, value) for value in values]
            found.append(ConditionDifference(what=label, name=name, values=shown))
    return found


def _shown(name: str, value: Any) -> Any:
    return words.size(value) if name in SIZES and isinstance(value, int) else value


def _ratio(a: ComparedRun, b: ComparedRun, leading: Rate) -> RatioOut:
    durable, application = (
        ratios(sound_repeats(a.matrix.cells, rate), sound_repeats(b.matrix.cells, rate))
        for rate in BOTH
    )
    cells: list[CellRatio] = []
    for setting in sorted(durable | application, key=lambda s: (s.block, s.threads)):
        d, app = durable.get(setting), application.get(setting)
        decisive = d if leading == "durable" else app
        cells.append(
            CellRatio(
                block=setting.block,
                threads=setting.threads,
                durable=d.ratio if d else None,
                application=app.ratio if app else None,
                significant=decisive is not None and decisive.significant,
                durable_p=d.p if d else None,
                application_p=app.p if app else None,
                durable_too_few_repeats=d is not None and d.too_few,
                application_too_few_repeats=app is not None and app.too_few,
            )
        )
    return RatioOut(a=a.id, b=b.id, rate=leading, cells=cells)


def _scale(matrices: Sequence[MatrixOut], rate: Rate) -> Scale | None:
    means = [
        stat.mean_bytes_per_s
        for matrix in matrices
        for cell in matrix.cells
        if (stat := look(cell, rate)[0])
    ]
    return Scale(min_bytes_per_s=min(means), max_bytes_per_s=max(means)) if means else None
