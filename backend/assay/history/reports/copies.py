"""A run's result to take along: as Markdown, and as a picture."""

from sqlalchemy.orm import Session

from assay.history.reports.charts import ON_PAPER, drawing, stacked
from assay.kinds.registry import KINDS
from assay.kinds.result import Report
from assay.runs import queries as runs
from assay.runs.markdown import run_markdown
from assay.runs.places import places, titled
from assay.runs.schemas import RunOut
from assay.runs.stored_results import result


def markdown(session: Session, run_id: int) -> str:
    """Return the result as a section of Markdown; raises NotFound."""
    run, report = _reported(session, run_id)
    return "\n".join(run_markdown(run.model_dump(mode="json"), report))


def picture(session: Session, run_id: int) -> str:
    """Return the result as an SVG file, with each rate of it; raises NotFound."""
    run, report = _reported(session, run_id)
    nothing = "" if report.pictures else ": no rate was measured"
    title = f"{titled(run.title, places(run.participants))}, run {run_id}{nothing}"
    return stacked(title, [drawing(one, ON_PAPER) for one in report.pictures]).svg()


def _reported(session: Session, run_id: int) -> tuple[RunOut, Report]:
    run = runs.one(session, run_id)
    found = result(session, runs.find(session, run_id))
    return run, KINDS[run.kind].report(found.model_dump(mode="json"))
