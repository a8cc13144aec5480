"""Endpoints of runs and their trials, and the download of a run's unmodified event log."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.api.accounts.authentication import may
from assay.api.http.downloads import content, described, saved_as
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.base.errors import Problem
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.kinds.registry import Result
from assay.runs import examples, queries
from assay.runs.host_conditions import conditions_csv
from assay.runs.samples.raw import raw_log
from assay.runs.schemas import FigureOut, RunOut, RunSummary, TrialOut, TrialRow
from assay.runs.selection import RunSelection
from assay.runs.stored_results import figures_shown, result
from assay.tables import database
from assay.tables.runs import Participant, Run
from assay.tables.transactions import Reading

PAGE_BYTES = 1 << 20
"""Bytes of an event log read at once."""


def event_log(
    reading: Callable[[], AbstractContextManager[Session]], participants: Sequence[int]
) -> Iterator[bytes]:
    """Yield the participants' unmodified event lines, one participant after the other.

    Each part is read in a separate snapshot: a slow download must not hold a session.
    """
    for participant_id in participants:
        start = 0
        while True:
            with reading() as session:
                page = _page(session, participant_id, start)
            if not page:
                break
            start += len(page)
            yield page


def _page(session: Session, participant_id: int, start: int) -> bytes:
    """Return whole chunks of the log from a byte on; empty at its end."""
    page = bytearray()
    for _, data in raw_log(session, participant_id, start):
        page += data
        if len(page) >= PAGE_BYTES:
            break
    return bytes(page)


router = APIRouter(route_class=Route)

MetricName = Annotated[str, Field(min_length=1, max_length=60)]

RunList = Annotated[
    Listing[RunSummary],
    Depends(
        listing(
            RunSummary,
            {
                "id": Run.id,
                "title": caseless(Run.title),
                "kind": Run.kind,
                "state": Run.state,
                "created_at": Run.created_at,
                "started_at": Run.started_at,
                "ended_at": Run.ended_at,
            },
            by="-id",
        )
    ),
]


class RawLogRemoved(Problem):
    """A retention rule removed the raw log."""

    status, code, title = 410, "raw_log_removed", "The raw log was removed"

    def __init__(self, run: Run) -> None:
        """Name the time, and what remains."""
        super().__init__(
            f"A retention rule removed the raw log of run {run.id} at "
            f"{run.raw_removed_at:%F %T} UTC. Its result is kept."
        )


@router.get("/runs", response_model=Page[RunSummary], tags=["runs"], summary="List runs")
def list_runs(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    part: RunList,
    selection: Annotated[RunSelection, Depends()],
) -> Page[RunSummary] | JSONResponse:
    """Newest first; `q` also searches campaigns, their references, and labels.

    `from` and `to` are times of the launch. A label is one that a host, target or array of the
    run had at its launch.
    """
    return part.page(session, selection.chosen(session), queries.summaries)


@router.get("/runs/{run_id}", tags=["runs"], summary="Show a run")
def show_run(run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading) -> RunOut:
    """Parameters, participants, notices, and the conditions under which the run measured."""
    return queries.one(session, run_id)


@router.get(
    "/runs/{run_id}/result",
    tags=["runs"],
    summary="Show a run's result",
)
def show_result(run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading) -> Result:
    """The figures of each cell, the best, the recommendation and the limitations; by kind."""
    return result(session, queries.find(session, run_id))


@router.get("/runs/{run_id}/figures", tags=["runs"], summary="List a run's figures")
def list_figures(
    run_id: Id,
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    metric: Annotated[
        list[MetricName] | None, Query(description="Only those of this metric; repeatable")
    ] = None,
    cell: Annotated[
        str | None,
        Query(
            description="Only those of the cells with these arguments, as a criterion has them",
            examples=["block=1 MiB, threads=4"],
            min_length=1,
            max_length=100,
        ),
    ] = None,
) -> Page[FigureOut]:
    """The value of each metric for the run and in each cell, on one page.

    A figure has the value and the doubts of a criterion that names the same cell. Metrics that need
    an argument which is not the cell's, such as the rate of `buffer_at`, have none.
    """
    return Page(items=figures_shown(session, queries.find(session, run_id), metric or [], cell))


@router.get(
    "/runs/{run_id}/conditions.csv",
    tags=["runs"],
    summary="Download a run's host conditions as CSV",
    response_class=Response,
    responses=described("text/csv", examples.CONDITIONS),
)
def download_conditions(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> Response:
    """One row per condition and participant, at the run's start and end; empty if not read."""
    run = queries.one(session, run_id)
    return Response(
        conditions_csv(
            (one.host.name, one.target.path if one.target else None, one.conditions)
            for one in run.participants
        ),
        media_type="text/csv",
        headers=saved_as(f"run-{run_id}-conditions.csv"),
    )


@router.get(
    "/runs/{run_id}/events",
    tags=["runs"],
    summary="Download a run's event log",
    response_class=StreamingResponse,
    responses={200: {"content": content("application/x-ndjson", examples.EVENT, binary=True)}},
)
def download_events(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> StreamingResponse:
    """The probe's unmodified event lines, one participant after the other."""
    run = queries.find(session, run_id)
    if run.raw_removed_at is not None:
        raise RawLogRemoved(run)
    participants = session.scalars(
        select(Participant.id).where(Participant.run_id == run_id).order_by(Participant.position)
    ).all()
    return StreamingResponse(
        event_log(database.reading, participants),
        media_type="application/x-ndjson",
        headers=saved_as(f"run-{run_id}-events.ndjson"),
    )


@router.get("/runs/{run_id}/trials", tags=["runs"], summary="List a run's trials")
def list_trials(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> Page[TrialRow]:
    """In the order of measurement, on one page."""
    return Page(items=queries.rows(session, run_id))


@router.get("/trials/{trial_id}", tags=["trials"], summary="Show a trial")
def show_trial(
    trial_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> TrialOut:
    """Parameters, and each attempt with percentiles and the probe's result."""
    return queries.one_trial(session, trial_id)
