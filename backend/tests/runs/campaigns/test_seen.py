"""Marking campaigns as seen."""

from assay.tables.accounts import AuditEntry
from assay.tables.database import reading
from sqlalchemy import select
from testing.api import Appliance, problem

from .failing import campaign, end, failed, needing
from .launching import TEST


def _actions() -> list[str]:
    with reading() as session:
        found = select(AuditEntry.action).where(AuditEntry.action.like("campaign.%seen"))
        return list(session.scalars(found.order_by(AuditEntry.id)))


def test_a_campaign_marked_as_seen_needs_no_attention(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    before = appliance.viewer.get(f"/campaigns/{one}").json()
    assert (before["seen_at"], before["seen_by"]) == (None, None)
    seen = appliance.operator.post(f"/campaigns/{one}/seen").json()
    assert (seen["needs_attention"], seen["seen_by"]) == (False, "token operator")
    assert seen["revision"] == before["revision"] + 1
    changed = {"needs_attention", "seen_at", "seen_by", "revision"}
    assert {name for name in seen if seen[name] != before[name]} == changed
    assert needing(appliance) == []


def test_marking_as_seen_can_be_undone_and_is_audited_once(
    appliance: Appliance, target: int
) -> None:
    one = failed(appliance, target)
    first = appliance.operator.post(f"/campaigns/{one}/seen").json()
    assert appliance.admin.post(f"/campaigns/{one}/seen").json() == first
    for _ in range(2):
        unseen = appliance.operator.delete(f"/campaigns/{one}/seen").json()
        assert (unseen["needs_attention"], unseen["seen_at"], unseen["seen_by"]) == (
            True,
            None,
            None,
        )
    assert needing(appliance) == [one]
    assert _actions() == ["campaign.seen", "campaign.unseen"]


def test_a_campaign_without_failures_is_not_marked(appliance: Appliance, target: int) -> None:
    one = campaign(appliance, target)
    end(one, "done")
    assert appliance.operator.post(f"/campaigns/{one}/seen").json()["seen_at"] is None
    assert _actions() == []


def test_what_fails_after_it_was_seen_needs_attention(appliance: Appliance, target: int) -> None:
    one = campaign(appliance, target, tests=[TEST, TEST | {"title": "Later"}])
    end(one, "failed", "running")
    appliance.operator.post(f"/campaigns/{one}/seen")
    assert needing(appliance) == []
    end(one, "done", "failed")
    assert needing(appliance) == [one]


def test_a_viewer_marks_nothing(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    for send in (appliance.viewer.post, appliance.viewer.delete):
        problem(send(f"/campaigns/{one}/seen"), 403, "not_allowed")
    assert needing(appliance) == [one]


def test_a_deleted_campaign_is_not_found(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    appliance.operator.delete(f"/campaigns/{one}")
    problem(appliance.operator.post(f"/campaigns/{one}/seen"), 404, "not_found")
