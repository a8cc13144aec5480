"""Endpoint of the first page."""

from fastapi import APIRouter, Request

from assay.accounts.identity import Viewer
from assay.deadline import Deadline
from assay.http.transactions import Reading
from assay.overview import queries
from assay.overview.schemas import Overview

router = APIRouter(tags=["overview"])


@router.get("/overview", summary="What runs, what waits, what needs you, what came out lately")
def show_overview(request: Request, _who: Viewer, session: Reading) -> Overview:
    """Runs are oldest first, results newest first."""
    worker_due: Deadline = request.app.state.worker_due
    return queries.overview(session, worker_due)
