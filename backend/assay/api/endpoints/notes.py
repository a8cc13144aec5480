"""Endpoints of the notes on campaigns, runs and arrays."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.routes import Route
from assay.api.notes import NotesIn, NotesOut
from assay.base.errors import Conflict, NotFound
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.runs import queries as runs
from assay.runs.campaigns import queries as campaigns
from assay.runs.campaigns.token_limits import require_of_campaign
from assay.tables.arrays import Array
from assay.tables.clock import now
from assay.tables.notes import ArrayNotes, CampaignNotes, Notes, RunNotes
from assay.tables.transactions import Reading, Writing

router = APIRouter(route_class=Route)


class NotesChanged(Conflict):
    """Someone else changed the notes since they were read."""

    code, title = "notes_changed", "The notes have been changed"

    def __init__(self, found: Notes | None) -> None:
        """Name who changed them and when."""
        by = f"{found.changed_by} changed them at {found.changed_at:%F %T} UTC" if found else ""
        super().__init__(
            f"{by or 'They were removed'}.",
            "Read them again, and add your text to theirs.",
            errors=[FieldError("replaces", "is not the newest version", "Read the notes again.")],
        )


@router.get("/campaigns/{campaign_id}/notes", tags=["campaigns"], summary="Show campaign notes")
def show_campaign_notes(
    campaign_id: Id, _who: Annotated[Identity, may("campaign.read")], session: Reading
) -> NotesOut:
    """Markdown; the text is empty if there are none."""
    campaigns.find(session, campaign_id)
    return _show(session, CampaignNotes, campaign_id)


@router.put("/campaigns/{campaign_id}/notes", tags=["campaigns"], summary="Change campaign notes")
def change_campaign_notes(
    campaign_id: Id,
    body: NotesIn,
    who: Annotated[Identity, may("campaign.annotate")],
    session: Writing,
) -> NotesOut:
    """Replaces the whole text; an empty one removes the notes."""
    campaign = campaigns.find(session, campaign_id, lock=True)
    require_of_campaign(session, who, "campaign.annotate", campaign.id)
    what = f"campaign {campaign.id} {campaign.name}"
    record(session, who, "campaign.notes_changed", what, bytes=len(body.text.encode()))
    return _change(session, CampaignNotes, campaign_id, body, who)


@router.get("/runs/{run_id}/notes", tags=["runs"], summary="Show run notes")
def show_run_notes(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> NotesOut:
    """Markdown; the text is empty if there are none."""
    runs.find(session, run_id)
    return _show(session, RunNotes, run_id)


@router.put("/runs/{run_id}/notes", tags=["runs"], summary="Change run notes")
def change_run_notes(
    run_id: Id, body: NotesIn, who: Annotated[Identity, may("run.annotate")], session: Writing
) -> NotesOut:
    """Replaces the whole text; an empty one removes the notes."""
    run = runs.find(session, run_id)
    campaigns.find(session, run.campaign_id, lock=True)  # ingest locks the run
    require_of_campaign(session, who, "run.annotate", run.campaign_id)
    what = f"run {run.id} {run.title}"
    record(session, who, "run.notes_changed", what, bytes=len(body.text.encode()))
    return _change(session, RunNotes, run_id, body, who)


@router.get("/arrays/{array_id}/notes", tags=["arrays"], summary="Show array notes")
def show_array_notes(
    array_id: Id, _who: Annotated[Identity, may("array.read")], session: Reading
) -> NotesOut:
    """Markdown; the text is empty if there are none."""
    _array(session, array_id)
    return _show(session, ArrayNotes, array_id)


@router.put("/arrays/{array_id}/notes", tags=["arrays"], summary="Change array notes")
def change_array_notes(
    array_id: Id, body: NotesIn, who: Annotated[Identity, may("array.annotate")], session: Writing
) -> NotesOut:
    """Replaces the whole text; an empty one removes the notes."""
    array = _array(session, array_id, lock=True)
    what = f"array {array.id} {array.name}"
    record(session, who, "array.notes_changed", what, bytes=len(body.text.encode()))
    return _change(session, ArrayNotes, array_id, body, who)


def _array(session: Session, array_id: int, *, lock: bool = False) -> Array:
    array = session.get(Array, array_id, with_for_update=lock or None)
    if array is None:
        raise NotFound("array", array_id)
    return array


def _show(session: Session, table: type[Notes], owner_id: int) -> NotesOut:
    found = session.scalar(select(table).where(table.owner_id == owner_id))
    if found is None:
        return NotesOut(text="", changed_at=None, changed_by=None)
    return NotesOut(text=found.text, changed_at=found.changed_at, changed_by=found.changed_by)


def _change(
    session: Session, table: type[Notes], owner_id: int, body: NotesIn, who: Identity
) -> NotesOut:
    """Replace the notes on a locked object; raises NotesChanged."""
    found = session.scalar(select(table).where(table.owner_id == owner_id))
    if "replaces" in body.model_fields_set and body.replaces != (found and found.changed_at):
        raise NotesChanged(found)
    if body.text.strip():
        found = found or table(owner_id=owner_id)
        found.text, found.changed_at, found.changed_by = body.text, now(session), who.actor
        session.add(found)
    elif found is not None:
        session.delete(found)
    session.flush()
    return _show(session, table, owner_id)
