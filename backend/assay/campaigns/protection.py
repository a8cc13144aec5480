"""What someone relies on: neither a person nor a retention rule deletes it."""

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session, aliased

from assay.campaigns.models import Campaign
from assay.http.errors import Conflict
from assay.labels.models import CampaignLabel
from assay.runs.models import Run
from assay.verdicts.models import CampaignWaiver, Waiver

BASELINE = "baseline"
"""The key of the label, with any value, of a campaign that others are compared with."""


class CampaignProtected(Conflict):
    """The campaign is a baseline or has a waiver."""

    code, title = "campaign_protected", "The campaign is kept"


def is_baseline() -> ColumnElement[bool]:
    """Return SQL for whether a campaign has the label of baselines."""
    return exists().where(CampaignLabel.owner_id == Campaign.id, CampaignLabel.key == BASELINE)


def is_waived() -> ColumnElement[bool]:
    """Return SQL for whether someone accepted a criterion of a campaign, at any time."""
    run = aliased(Run)
    of_run = exists().where(run.campaign_id == Campaign.id, Waiver.run_id == run.id)
    return of_run | exists().where(CampaignWaiver.campaign_id == Campaign.id)


def check_deletable(session: Session, campaign: Campaign) -> None:
    """Raise CampaignProtected for a campaign that someone relies on."""
    facts = select(is_baseline(), is_waived()).where(Campaign.id == campaign.id)
    baseline, waived = session.execute(facts).one()
    if baseline:
        raise CampaignProtected(
            f"Campaign {campaign.id} has the label `{BASELINE}`.",
            "Remove the label, then delete it.",
        )
    if waived:
        raise CampaignProtected(
            f"Campaign {campaign.id} has a waiver, so it is the record of an accepted deviation. "
            "It cannot be deleted."
        )
