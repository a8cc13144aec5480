"""Stored results of ended runs, one for each version of the rules and build of the record.

Lists, the overview and Compare read them, so that no page evaluates a run again.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from assay.db.database import among, reading
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult, RunOutcome
from assay.runs.lifecycle import FINAL
from assay.runs.models import Result, Run
from assay.runs.results import judge
from assay.samples.queries import rates

SPARKLINE_POINTS = 40

_outcome: TypeAdapter[RunOutcome] = TypeAdapter(RunOutcome)


def store(session: Session, run: Run) -> Result:
    """Evaluate an ended run by the current rules, and store the result as its next build."""
    return add(session, run, evaluate(session, run))


def due(after: int = 0) -> int | None:
    """Return the next ended run without a result by id; after the last one, start again."""
    with reading() as session:
        ended = select(Run.id).where(Run.rules.is_(None), Run.state.in_(FINAL))
        return session.scalars(ended.order_by(Run.id <= after, Run.id).limit(1)).first()


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
    )


def add(session: Session, run: Run, judged: Result) -> Result:
    """Store an evaluated result as the run's next build."""
    judged.build = run.build + 1
    run.rules, run.build = judged.rules, judged.build
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


def outcomes(session: Session, runs: Sequence[Run]) -> dict[int, RunOutcome]:
    """Return the outcomes of ended runs by id; the stored ones in one statement."""
    ended = {run.id: run for run in runs if run.state in FINAL}
    found = {
        run_id: _read(ended[run_id], answer)
        for run_id, answer in _of_newest(session, list(ended.values()), Result.outcome)
    }
    return found | {
        run.id: KINDS[run.kind].outcome(judge(session, run))
        for run in ended.values()
        if run.id not in found
    }


def sparklines(session: Session, runs: Sequence[Run]) -> dict[int, list[float]]:
    """Return the throughput over time of the best trials of ended runs, in bytes/s, by run id."""
    found = dict(_of_newest(session, runs, Result.sparkline))
    return found | {run.id: evaluate(session, run).sparkline for run in runs if run.id not in found}


def _read(run: Run, answer: dict[str, Any]) -> RunOutcome:
    """Return a stored outcome; its headline is a document of the run's kind."""
    headline = answer["headline"]
    return replace(
        _outcome.validate_python(answer | {"headline": None}),
        headline=headline and KINDS[run.kind].headline.model_validate(headline),
    )


def _of_newest(session: Session, runs: Sequence[Run], column: Any) -> Sequence[Any]:
    stored = [run.id for run in runs if run.rules is not None]
    if not stored:
        return []
    return session.execute(
        select(Result.run_id, column)
        .join(
            Run,
            and_(Run.id == Result.run_id, Run.rules == Result.rules, Run.build == Result.build),
        )
        .where(among(session, Result.run_id, stored))
    ).all()


def _newest(run: Run) -> tuple[Any, ...]:
    return Result.run_id == run.id, Result.rules == run.rules, Result.build == run.build
