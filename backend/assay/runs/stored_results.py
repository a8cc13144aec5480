"""Stored results of ended runs, one for each version of the rules and build of the record.

Each is stored with its figures, as rows of a table that can always be made again from the results.
Lists, the overview and Compare read both, so that no page evaluates a run again.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import and_, delete, or_, select
from sqlalchemy.orm import Session

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.kinds.figures import Figure, cell_of, figures_of, headline_value
from assay.kinds.kind import Kind
from assay.kinds.metrics import Doubt
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult, RunOutcome
from assay.runs.lifecycle import FINAL
from assay.runs.results import judge
from assay.runs.samples.queries import rates
from assay.runs.schemas import FigureDoubt, FigureOut
from assay.runs.verdicts.applicability import named_cell
from assay.runs.verdicts.criteria import CriterionError
from assay.runs.verdicts.judging import CRITERIA_RULES
from assay.tables.database import among, reading, writing
from assay.tables.runs import MOST_CELL, Result, Run, StoredFigure

log = logging.getLogger(__name__)

SPARKLINE_POINTS = 40
MOST_NAMED = 12
"""Names that an error suggests."""

_outcome: TypeAdapter[RunOutcome] = TypeAdapter(RunOutcome)


@dataclass(frozen=True)
class ListedOutcome(RunOutcome):
    """A run's finding with the value of the headline's figure."""

    best_bytes_per_s: float | None = None


def store(session: Session, run: Run) -> Result:
    """Evaluate an ended run by the current rules, and store the result as its next build."""
    return add(session, run, evaluate(session, run))


def due(after: int = 0) -> int | None:
    """Return the next ended run without a result by id; after the last one, start again."""
    with reading() as session:
        ended = select(Run.id).where(Run.rules.is_(None), Run.state.in_(FINAL))
        return session.scalars(ended.order_by(Run.id <= after, Run.id).limit(1)).first()


def without_figures(after: int = 0) -> int | None:
    """Return the next run by id whose figures present rules did not read; as `due`."""
    ruled = Run.figures_rules
    stale = or_(ruled.is_(None), ruled < CRITERIA_RULES, ruled > CRITERIA_RULES)
    with reading() as session:
        stored = select(Run.id).where(stale, Run.rules.is_not(None), Run.state.in_(FINAL))
        return session.scalars(stored.order_by(Run.id <= after, Run.id).limit(1)).first()


def fill(run_id: int) -> None:
    """Read the figures of a run from its newest stored result again.

    A result that is gone, or that present rules cannot read, has none. They are read from a
    snapshot, because that takes too long to block writers.
    """
    with reading() as session:
        run = session.get(Run, run_id)
        if run is None:
            return
        stored = session.scalars(select(Result).where(*_newest(run))).first()
        read_from = run.rules, run.build
        made = _figures_again(run, stored) if stored else []
    with writing(relaxed=True) as session:
        run = session.get(Run, run_id, with_for_update=True)
        if run is None or (run.rules, run.build) != read_from:
            return
        newest = session.scalars(select(Result).where(*_newest(run))).first()
        if newest is None:
            run.figures_rules = CRITERIA_RULES
            return
        _replace_figures(session, run, newest, made)


def _figures_again(run: Run, stored: Result) -> list[StoredFigure]:
    try:
        return of_result(run, body(run, stored))
    except ValidationError:
        log.exception("run %d: its stored result of rules %s has no figures", run.id, run.rules)
        return []


def evaluate(session: Session, run: Run) -> Result:
    """Return the result of an ended run by the current rules, not yet stored."""
    found = judge(session, run)
    answer = KINDS[run.kind].outcome(found)
    best = answer.best_trial_id
    return Result(
        run_id=run.id,
        rules=found.edition,
        outcome=_outcome.dump_python(answer, mode="json", serialize_as_any=True),
        sparkline=[] if best is None else rates(session, best, SPARKLINE_POINTS),
        body=found.model_dump(mode="json"),
        figures=of_result(run, found),
    )


def add(session: Session, run: Run, judged: Result) -> Result:
    """Store an evaluated result as the run's next build; its figures replace earlier ones."""
    judged.build = run.build + 1
    run.rules, run.build, run.figures_rules = judged.rules, judged.build, CRITERIA_RULES
    session.execute(delete(StoredFigure).where(StoredFigure.run_id == run.id))
    session.add(judged)
    session.flush()
    return judged


def result(session: Session, run: Run) -> BaseResult:
    """Return a run's newest stored result; before there is one, that of the current rules."""
    found = session.scalars(select(Result).where(*_newest(run))).first()
    return body(run, found) if found else judge(session, run)


def body(run: Run, stored: Result) -> BaseResult:
    """Return a stored result as its kind's type."""
    return KINDS[run.kind].result.model_validate(stored.body)


def outcomes(session: Session, runs: Sequence[Run]) -> dict[int, ListedOutcome]:
    """Return the outcomes of ended runs by id; the stored ones in one statement."""
    ended = {run.id: run for run in runs if run.state in FINAL}
    found = {
        run_id: _listed(ended[run_id], answer, value)
        for run_id, answer, value in _of_newest(
            session, list(ended.values()), Result.outcome, StoredFigure.value
        )
    }
    bare = [run for run in ended.values() if run.id in found and run.figures_rules is None]
    for run_id, stored in _of_newest(session, bare, Result.body):
        kind = KINDS[ended[run_id].kind]
        value = headline_value(kind, kind.result.model_validate(stored))
        found[run_id] = replace(found[run_id], best_bytes_per_s=value)
    for run in ended.values():
        if run.id not in found:
            kind, judged = KINDS[run.kind], judge(session, run)
            answer, value = kind.outcome(judged), headline_value(kind, judged)
            found[run.id] = ListedOutcome(**vars(answer), best_bytes_per_s=value)
    return found


def sparklines(session: Session, runs: Sequence[Run]) -> dict[int, list[float]]:
    """Return the throughput over time of the best trials of ended runs, in bytes/s, by run id."""
    found = dict(_of_newest(session, runs, Result.sparkline))
    return found | {run.id: evaluate(session, run).sparkline for run in runs if run.id not in found}


def figures_shown(
    session: Session, run: Run, metrics: Sequence[str], cell: str | None
) -> list[FigureOut]:
    """Return the figures of a run, of these metrics and cells; raises Invalid.

    Before they are stored, they are those of its present state by the current rules.
    """
    kind = KINDS[run.kind]
    if run.figures_rules is not None and run.rules is not None:
        of_run = select(StoredFigure).where(StoredFigure.run_id == run.id)
        rows, edition = session.scalars(of_run).all(), run.rules
    else:
        found = result(session, run)
        rows, edition = of_result(run, found), found.edition
    return chosen(shapes(rows, kind, edition), kind, metrics, cell)


def _replace_figures(
    session: Session, run: Run, stored: Result, made: Sequence[StoredFigure]
) -> None:
    """Store the figures of a run's newest result in place of those that it had."""
    session.execute(delete(StoredFigure).where(StoredFigure.run_id == run.id))
    stored.figures.add_all(made)
    run.figures_rules = CRITERIA_RULES


def _listed(run: Run, answer: dict[str, Any], value: float | None) -> ListedOutcome:
    """Return a stored outcome; its headline is a document of the run's kind."""
    headline = answer["headline"]
    read = _outcome.validate_python(answer | {"headline": None})
    own = headline and KINDS[run.kind].headline.model_validate(headline)
    return ListedOutcome(own, read.headline_levels, read.metric, read.best_trial_id, value)


def _of_newest(session: Session, runs: Sequence[Run], *columns: Any) -> Sequence[Any]:
    """Return these columns of the newest results of runs, and of their headlines' figures."""
    stored = [run.id for run in runs if run.rules is not None]
    if not stored:
        return []
    return session.execute(
        select(Result.run_id, *columns)
        .join(
            Run,
            and_(Run.id == Result.run_id, Run.rules == Result.rules, Run.build == Result.build),
        )
        .outerjoin(StoredFigure, and_(StoredFigure.run_id == Run.id, StoredFigure.headline))
        .where(among(session, Result.run_id, stored))
    ).all()


def _newest(run: Run) -> tuple[Any, ...]:
    return Result.run_id == run.id, Result.rules == run.rules, Result.build == run.build


def of_result(run: Run, result: BaseResult) -> list[StoredFigure]:
    """Return the figures of a run's result, not yet stored.

    A run whose parameters are none of the present test has none: nothing says what it measured.
    """
    try:
        found = figures_of(KINDS[run.kind], run.parameters, result)
    except ValidationError:
        log.exception("run %d has no figures: its parameters are none of the present test", run.id)
        return []
    return [_row(figure) for figure in found]


def shapes(rows: Sequence[StoredFigure], kind: Kind, edition: str) -> list[FigureOut]:
    """Return the figures of a run as API types: in the order of its metrics, then of their cells.

    The run's figure of a metric comes before those of its cells.
    """
    metrics = {metric.name: (place, metric) for place, metric in enumerate(kind.metrics)}
    known = [
        (*metrics[row.metric], cell_of(row.cell), row) for row in rows if row.metric in metrics
    ]
    known.sort(key=lambda one: (one[0], *map(_rank, one[2].values())))
    return [
        FigureOut(
            metric=metric.name,
            dimension=metric.dimension,
            cell=cell,
            shown_cell=row.shown_cell,
            value=row.value,
            repeats=row.repeats,
            spread=row.spread,
            doubts=[FigureDoubt(**doubt) for doubt in row.doubts],
            trial_id=row.trial_id,
            leading=row.leading,
            headline=row.headline,
            edition=edition,
        )
        for _, metric, cell, row in known
    ]


def chosen(
    found: Sequence[FigureOut], kind: Kind, metrics: Sequence[str], cell: str | None
) -> list[FigureOut]:
    """Return the figures of these metrics, if any, in the cells that the arguments name.

    Raises Invalid for a metric, an argument or a cell that the run does not have.
    """
    given = list(dict.fromkeys(one.metric for one in found))
    for metric in metrics:
        if metric not in given:
            raise Invalid([_unknown("metric", metric, "metric", given)])
    wanted = [one for one in found if not metrics or one.metric in metrics]
    if cell is None:
        return wanted
    named = _named(cell, kind).items()
    if not any(one.cell and named <= one.cell.items() for one in found):
        cells = dict.fromkeys(_words(one.cell) for one in found if one.cell)
        raise Invalid([_unknown("cell", cell, "cell", list(cells))])
    return [one for one in wanted if one.cell and named <= one.cell.items()]


def _rank(value: float | str) -> tuple[bool, float | str]:
    """Return by what an argument of a cell is ordered."""
    return isinstance(value, str), value


def _named(text: str, kind: Kind) -> dict[str, float | str]:
    """Return the arguments that a request names a cell by; raises Invalid."""
    try:
        return named_cell(text, kind)
    except CriterionError as error:
        raise Invalid([FieldError("cell", error.reason, error.remedy, text)]) from error


def _words(cell: Mapping[str, float | str]) -> str:
    return ", ".join(
        f"{name}={value if isinstance(value, str) else f'{value:.15g}'}"
        for name, value in cell.items()
    )


def _unknown(field: str, value: str, noun: str, known: Sequence[str]) -> FieldError:
    more = ", …" if len(known) > MOST_NAMED else ""
    remedy = f"Use {'; '.join(known[:MOST_NAMED])}{more}." if known else "Omit it."
    return FieldError(field, f"is no {noun} of this run's figures", remedy, value)


def _row(figure: Figure) -> StoredFigure:
    found = figure.measurement
    return StoredFigure(
        metric=figure.metric.name,
        cell=figure.cell_name,
        value=found.value,
        repeats=found.repeats,
        spread=found.spread,
        doubts=[_document(doubt) for doubt in found.doubts],
        shown_cell=figure.shown_cell and figure.shown_cell[:MOST_CELL],
        trial_id=found.evidence.trial_id,
        leading=figure.leading,
        headline=figure.headline,
    )


def _document(doubt: Doubt) -> dict[str, Any]:
    """Return the code of a doubt, with its bound and the ends of the range that it has."""
    ends = {"bound": doubt.bound, "least": doubt.least, "most": doubt.most}
    known = {name: value for name, value in ends.items() if value is not None}
    return {"code": doubt.code} | known | ({"strict": True} if doubt.strict else {})
