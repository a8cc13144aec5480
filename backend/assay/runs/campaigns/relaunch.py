"""What launches a campaign again, or one of its runs, and the profile that it amounts to."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.errors import NotFound
from assay.inventory.labels import labels_of
from assay.kinds.registry import KINDS, Overrides, Test
from assay.kinds.transfer.planned import RECEIVER, SENDER
from assay.runs.campaigns.launch import Resolution
from assay.runs.campaigns.schemas import CampaignPlan, TransferEnd
from assay.runs.profiles.schemas import ProfileBody, ProfileIn
from assay.runs.verdicts.applicability import problem_of
from assay.runs.verdicts.schemas import CriterionIn
from assay.tables.campaigns import Campaign
from assay.tables.labels import CampaignLabel
from assay.tables.runs import Participant, Run


def plan_of(session: Session, campaign: Campaign, run_id: int | None = None) -> CampaignPlan:
    """Return the request that launches a campaign again, or only what one of its runs measured.

    A run is launched without the profile's other tests, unless one of the profile's criteria needs
    them. Raises NotFound for a run of another campaign.
    """
    edited = {
        "name": campaign.name,
        "labels": labels_of(session, CampaignLabel, [campaign.id])[campaign.id],
        "reference": campaign.reference,
    }
    plan = CampaignPlan.model_validate({**campaign.parameters, **edited})
    if run_id is None:
        return plan
    run = _run(session, campaign, run_id)
    body = _body(campaign)
    tests = body.tests if plan.tests is None else plan.tests
    own = _of_run(tests, run)
    given = [one.criterion for one in (*body.criteria, *plan.criteria)]
    resolved = _resolved(plan, own)
    if len(own) < len(tests) and problem_of(given, resolved) is None:
        # an override of other tests only would be refused as one without effect
        plan = plan.model_copy(update={"tests": resolved, "overrides": Overrides()})
    parts = session.scalars(
        select(Participant).where(Participant.run_id == run.id).order_by(Participant.position)
    ).all()
    places = _ends(plan, parts) if KINDS[run.kind].transfers else _targets(parts)
    return plan.model_copy(update={"scale_out": False, **places})


def profile_of(
    session: Session, campaign: Campaign, name: str, run_id: int | None = None
) -> ProfileIn:
    """Return the profile of a campaign, or of one of its runs, with what its launch changed."""
    plan = CampaignPlan.model_validate(campaign.parameters)
    body = _body(campaign)
    given = body.tests if plan.tests is None else plan.tests
    of = f"campaign {campaign.id}, {campaign.name}"
    criteria = [CriterionIn.model_validate(one) for one in campaign.criteria]
    if run_id is not None:
        given, of = _of_run(given, _run(session, campaign, run_id)), f"run {run_id} of {of}"
    tests = _resolved(plan, given)
    criteria = [one for one in criteria if problem_of([one.criterion], tests) is None]
    return ProfileIn(
        name=name,
        description=f"As measured by {of}.",
        body=ProfileBody(tests=tests, watch_ms=body.watch_ms, criteria=criteria),
    )


def _run(session: Session, campaign: Campaign, run_id: int) -> Run:
    run = session.get(Run, run_id)
    if run is None or run.campaign_id != campaign.id:
        raise NotFound("run", run_id)
    return run


def _body(campaign: Campaign) -> ProfileBody:
    return ProfileBody.model_validate(campaign.profile_snapshot["body"])


def _of_run(tests: Sequence[Test], run: Run) -> list[Test]:
    """Return the tests that may have made a run: several only if they have the same title."""
    return [test for test in tests if (test.kind, test.title) == (run.kind, run.title)]


def _resolved(plan: CampaignPlan, tests: Sequence[Test]) -> list[Test]:
    """Return tests with the plan's overrides."""
    return Resolution(plan.model_copy(update={"tests": list(tests)}), tests).tests


def _targets(parts: Sequence[Participant]) -> dict[str, object]:
    """Return the fields of a plan for the targets of a run."""
    ids = list(dict.fromkeys(part.target_id for part in parts))
    return {"target_ids": ids, "together": len(ids) > 1, "sources": [], "sinks": []}


def _ends(plan: CampaignPlan, parts: Sequence[Participant]) -> dict[str, object]:
    """Return the fields of a plan for the ends of a run's transfers.

    All pairs together are those of the campaign. A run of a mesh has one pair, and one of a
    scale-out the first pairs.
    """
    fields: dict[str, object] = {"target_ids": [], "together": False}
    if plan.arrangement == "mesh":
        chosen = parts[:2]
    elif plan.scale_out:
        chosen = parts
    else:
        return fields
    sources, sinks = _ends_with(SENDER, chosen), _ends_with(RECEIVER, chosen)
    return fields | {"sources": sources, "sinks": sinks, "arrangement": "together"}


def _ends_with(role: str, parts: Sequence[Participant]) -> list[TransferEnd]:
    """Return the ends of the participants with a role, each once, in their order."""
    seats = dict.fromkeys((part.target_id, part.host_id) for part in parts if part.role == role)
    return [
        TransferEnd(host_id=host_id) if target_id is None else TransferEnd(target_id=target_id)
        for target_id, host_id in seats
    ]
