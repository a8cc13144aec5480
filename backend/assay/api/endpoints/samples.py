"""Endpoints of samples, marks and links."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.field_types import LARGEST_INTEGER, Id
from assay.base.identity import Identity
from assay.runs.queries import find_trial
from assay.runs.samples import queries
from assay.runs.samples.schemas import LinksOut, MarksOut, SamplesOut
from assay.runs.samples.stored import Window
from assay.tables.transactions import Reading

Points = Annotated[int, Query(ge=1, le=2000, description="Maximum number of points")]
AttemptNumber = Annotated[
    int | None,
    Query(ge=1, le=LARGEST_INTEGER, description="Attempt; by default the deciding one"),
]
ParticipantId = Annotated[
    int | None,
    Query(ge=1, le=LARGEST_INTEGER, description="A participant of the run; the first"),
]

SinceNs = Annotated[
    int,
    Query(alias="from", ge=0, le=LARGEST_INTEGER, description="Start of the window, in ns"),
]
UntilNs = Annotated[
    int | None,
    Query(
        alias="to",
        ge=0,
        le=LARGEST_INTEGER,
        description="End of the window, in ns; by default the trial's end",
    ),
]

router = APIRouter(prefix="/trials", tags=["trials"], route_class=Route)


@router.get(
    "/{trial_id}/samples",
    response_model=SamplesOut,
    summary="Show a trial's time series",
)
def show_samples(
    trial_id: Id,
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    *,
    points: Points = 600,
    attempt: AttemptNumber = None,
    participant: ParticipantId = None,
    since: SinceNs = 0,
    until: UntilNs = None,
) -> Response:
    """Down-sampled to minimum, mean and maximum of each bucket, so that stalls remain visible.

    `from` and `to` count from the start of the trial; a shorter window shows more detail.
    """
    find_trial(session, trial_id)
    bounds = _window(since, until, "ns")
    window = bounds and Window(*bounds)
    found = queries.series(session, trial_id, points, attempt, window, participant_id=participant)
    # 17,000 numbers from the database need no further validation
    return Response(found.model_dump_json(), media_type="application/json")


@router.get(
    "/{trial_id}/marks",
    summary="Show a trial's figures over its data",
)
def show_marks(
    trial_id: Id,
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    *,
    points: Points = 600,
    attempt: AttemptNumber = None,
    participant: ParticipantId = None,
    since: Annotated[
        int,
        Query(alias="from", ge=0, le=LARGEST_INTEGER, description="Start of the window, in bytes"),
    ] = 0,
    until: Annotated[
        int | None,
        Query(
            alias="to",
            ge=0,
            le=LARGEST_INTEGER,
            description="End of the window, in bytes; by default the trial's end",
        ),
    ] = None,
) -> MarksOut:
    """Each point covers so many bytes instead of so much time; a trial of the matrix has none.

    `from` and `to` are bytes since the start of the trial; a shorter window shows more detail.
    """
    find_trial(session, trial_id)
    window = _window(since, until, "bytes")
    return queries.marks(session, trial_id, points, attempt, window, participant_id=participant)


@router.get(
    "/{trial_id}/links",
    summary="Show the streams of a trial's transfer over time",
)
def show_links(
    trial_id: Id,
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    *,
    points: Points = 600,
    attempt: AttemptNumber = None,
    participant: ParticipantId = None,
    since: SinceNs = 0,
    until: UntilNs = None,
) -> LinksOut:
    """TCP, the network card and the waits of the pipeline at one end; other trials have none.

    `from` and `to` count from the start of the trial; a shorter window shows more detail.
    """
    find_trial(session, trial_id)
    window = _window(since, until, "ns")
    return queries.links(session, trial_id, points, attempt, window, participant_id=participant)


def _window(since: int, until: int | None, unit: str) -> tuple[int, int] | None:
    """Return the window's bounds, or None for the whole trial; raises Invalid if it is empty."""
    if not since and until is None:
        return None
    end = LARGEST_INTEGER if until is None else until
    if end <= since:
        remedy = f"Give more than {since}, in {unit} since the trial began."
        raise Invalid([FieldError("to", "must be after from", remedy, until)])
    return since, end
