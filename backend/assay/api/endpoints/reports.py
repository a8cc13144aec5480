"""Endpoints of reports: a campaign's as HTML, a run's result as Markdown and as a picture."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import HTMLResponse

from assay.api.accounts.authentication import may
from assay.api.http.downloads import described, saved_as
from assay.api.http.routes import Route
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.history.reports import copies
from assay.history.reports.content import content
from assay.history.reports.page import POLICY, page
from assay.history.reports.redaction import known_names, redacted
from assay.tables.transactions import Reading

_PAGE = '<!doctype html><html lang="en"><head>…</head><body>…</body></html>'
_MARKDOWN = "## Write on web-1: durable rate, MB/s (* is the best)\n\n| block | 1 thread |\n"
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" role="img">…</svg>'

router = APIRouter(route_class=Route)


@router.get(
    "/campaigns/{campaign_id}/report.html",
    tags=["campaigns"],
    summary="Download a campaign's report",
    response_class=Response,
    responses=described("text/html", _PAGE),
)
def download_report(
    campaign_id: Id,
    _who: Annotated[Identity, may("campaign.read")],
    session: Reading,
    *,
    hide_identifiers: Annotated[
        bool,
        Query(
            description="Replace host names, paths, addresses and serial numbers, also in texts, "
            "and omit who launched it"
        ),
    ] = False,
) -> HTMLResponse:
    """One HTML file that opens without a network, with results, setups and versions."""
    found = content(session, campaign_id)
    if hide_identifiers:
        found = redacted(found, known_names(session))
    headers = saved_as(f"campaign-{campaign_id}-report.html")
    return HTMLResponse(page(found), headers=headers | {"Content-Security-Policy": POLICY})


@router.get(
    "/runs/{run_id}/result.md",
    tags=["runs"],
    summary="Download a run's result as Markdown",
    response_class=Response,
    responses=described("text/markdown", _MARKDOWN),
)
def download_markdown(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> Response:
    """The table, the finding and its limitations, as the command line writes them."""
    return Response(
        copies.markdown(session, run_id),
        media_type="text/markdown",
        headers=saved_as(f"run-{run_id}-result.md"),
    )


@router.get(
    "/runs/{run_id}/result.svg",
    tags=["runs"],
    summary="Download a run's result as a picture",
    response_class=Response,
    responses=described("image/svg+xml", _SVG),
)
def download_picture(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> Response:
    """A heatmap of each rate of a matrix; of other kinds, a bar for each cell."""
    return Response(
        copies.picture(session, run_id),
        media_type="image/svg+xml",
        headers=saved_as(f"run-{run_id}-result.svg"),
    )
