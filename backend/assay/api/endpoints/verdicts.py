"""Endpoints of metrics, criteria, and the verdicts of runs."""

from typing import Annotated

from fastapi import APIRouter, Request, Response

from assay.api.accounts.authentication import may
from assay.api.http.paging import Page
from assay.api.http.routes import Route
from assay.base.errors import NotFound
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.kinds.registry import KINDS
from assay.runs import queries as runs
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.runs.verdicts import queries
from assay.runs.verdicts.applicability import available, check_together, checked, meaning
from assay.runs.verdicts.criteria import Criterion, CriterionError
from assay.runs.verdicts.schemas import (
    CheckedCriteria,
    CheckedCriterion,
    CriteriaText,
    CriterionMistake,
    MetricArgument,
    MetricOut,
    RunVerdict,
    WaiverIn,
)
from assay.runs.verdicts.units import UNITS
from assay.runs.verdicts.waivers import waive
from assay.tables.transactions import Reading, Writing

router = APIRouter(tags=["verdicts"], route_class=Route)


@router.get("/metrics", summary="List metrics")
def list_metrics(_who: Annotated[Identity, may("appliance.read")]) -> Page[MetricOut]:
    """The metrics of every test kind, on one page."""
    return Page(
        items=[
            MetricOut(
                kind=kind.name,
                name=metric.name,
                label=metric.label,
                dimension=metric.dimension,
                concern=metric.concern,
                better=metric.better,
                definition=metric.definition,
                needs=metric.needs,
                units=[unit for unit in UNITS[metric.dimension] if unit],
                arguments=[
                    MetricArgument.model_validate(one, from_attributes=True)
                    for one in metric.arguments
                ],
            )
            for kind in KINDS.values()
            for metric in kind.metrics
        ]
    )


@router.post("/criteria/check", summary="Check criteria")
def check_criteria(
    body: CriteriaText, _who: Annotated[Identity, may("appliance.read")]
) -> CheckedCriteria:
    """Shows the meaning of each, or the mistake in it; changes nothing."""
    found: list[CheckedCriterion] = []
    accepted: list[Criterion] = []
    for text in body.criteria:
        try:
            criterion = checked(text, body.tests)
            check_together([*accepted, criterion])
        except CriterionError as error:
            mistake = CriterionMistake(
                position=error.position,
                message=error.reason,
                remedy=error.remedy,
                alternatives=list(error.alternatives),
            )
            found.append(CheckedCriterion(criterion=text, meaning=None, mistake=mistake))
            continue
        accepted.append(criterion)
        found.append(
            CheckedCriterion(criterion=str(criterion), meaning=meaning(criterion), mistake=None)
        )
    return CheckedCriteria(criteria=found, metrics=available(body.tests))


@router.get("/runs/{run_id}/verdict", summary="Show a run's verdict")
def show_run_verdict(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> RunVerdict:
    """Each criterion with measured value, limit, margin, outcome and evidence."""
    run = runs.find(session, run_id)
    verdict = queries.of_runs(session, [run]).get(run_id)
    if verdict is None:
        raise NotFound("verdict of run", run_id)
    return verdict


@router.post("/runs/{run_id}/waivers", status_code=201, summary="Waive a criterion")
def waive_criterion(
    run_id: Id,
    body: WaiverIn,
    who: Annotated[Identity, may("run.waive_criteria_of")],
    session: Writing,
    *,
    request: Request,
    response: Response,
) -> RunVerdict:
    """Accepts a criterion that the run did not pass, until `expires_at`."""
    run = runs.find(session, run_id)
    require_of_campaign(session, who, "run.waive_criteria_of", run.campaign_id)
    waive(session, run, body, who)
    response.headers["Location"] = request.url.path.replace("/waivers", "/verdict")
    return queries.of_runs(session, [run])[run_id]
