"""Endpoint for the overview."""

from typing import Annotated

from fastapi import APIRouter, Request

from assay.accounts.authentication import may
from assay.accounts.identity import Identity
from assay.deadline import Deadline
from assay.http.routes import Route
from assay.http.transactions import Reading
from assay.overview import queries
from assay.overview.schemas import Overview

router = APIRouter(tags=["overview"], route_class=Route)


@router.get("/overview", summary="Show active and queued runs, problems and recent results")
def show_overview(
    request: Request, _who: Annotated[Identity, may("appliance.read")], session: Reading
) -> Overview:
    """Runs are oldest first, results newest first."""
    worker_due: Deadline = request.app.state.worker_due
    return queries.overview(session, worker_due)
