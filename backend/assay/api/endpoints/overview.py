"""Endpoint for the overview."""

from typing import Annotated

from fastapi import APIRouter, Request

from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.base.deadline import Deadline
from assay.base.identity import Identity
from assay.history.overview import queries
from assay.history.overview.schemas import Overview
from assay.tables.transactions import Reading

router = APIRouter(tags=["overview"], route_class=Route)


@router.get("/overview", summary="Show active and queued runs, problems and recent results")
def show_overview(
    request: Request, _who: Annotated[Identity, may("appliance.read")], session: Reading
) -> Overview:
    """Runs are oldest first, results newest first."""
    worker_due: Deadline = request.app.state.worker_due
    return queries.overview(session, worker_due)
