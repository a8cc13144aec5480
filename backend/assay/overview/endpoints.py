"""Endpoint of the first page."""

from fastapi import APIRouter

from assay.accounts.identity import Viewer
from assay.overview import queries
from assay.overview.schemas import Overview
from assay.transactions import Reading

router = APIRouter(tags=["overview"])


@router.get("/overview", summary="What runs, what waits, what needs you, what came out lately")
def show_overview(_who: Viewer, session: Reading) -> Overview:
    """Runs are oldest first, results newest first."""
    return queries.overview(session)
