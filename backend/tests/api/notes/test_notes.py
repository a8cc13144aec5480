"""Notes on campaigns, runs and arrays."""

from typing import Any

import pytest
from assay.tables.database import reading, writing
from assay.tables.notes import CampaignNotes, RunNotes
from assay.tables.runs import Run
from sqlalchemy import delete, func, select
from testing.api import Appliance, fields, problem
from testing.seeds import seed_ended_run

TEXT = "# Second controller\n\nReplaced; see [CHG-3310](https://example.com). <script>x</script>\n"


@pytest.fixture
def run(appliance: Appliance) -> Run:
    with writing() as session:
        return seed_ended_run(session)


def _paths(appliance: Appliance, run: Run) -> list[str]:
    array = appliance.operator.post("/arrays", {"name": "vault"}).json()["id"]
    return [f"/campaigns/{run.campaign_id}", f"/runs/{run.id}", f"/arrays/{array}"]


def test_notes_are_kept_as_written_until_they_are_emptied(appliance: Appliance, run: Run) -> None:
    for path in _paths(appliance, run):
        notes = f"{path}/notes"
        empty = {"text": "", "changed_at": None, "changed_by": None}
        assert appliance.viewer.get(notes).json() == empty
        written = appliance.operator.put(notes, {"text": TEXT}).json()
        assert (written["text"], written["changed_by"]) == (TEXT, "token operator")
        assert appliance.viewer.get(notes).json() == written
        assert appliance.operator.put(notes, {"text": " \n"}).json() == empty
        assert appliance.viewer.get(notes).json() == empty
        problem(appliance.viewer.put(notes, {"text": "x"}), 403, "not_allowed")
    actions = [one["action"] for one in appliance.audit()]
    for of in ("campaign", "run", "array"):
        assert actions.count(f"{of}.notes_changed") == 2


def test_a_text_that_replaces_an_older_version_is_rejected(appliance: Appliance, run: Run) -> None:
    for path in _paths(appliance, run):
        notes = f"{path}/notes"
        first = appliance.operator.put(notes, {"text": "first", "replaces": None}).json()
        body = {"text": "second", "replaces": first["changed_at"]}
        second = appliance.operator.put(notes, body).json()
        assert second["text"] == "second"
        for stale in (None, first["changed_at"]):
            refused = appliance.operator.put(notes, {"text": "third", "replaces": stale})
            document = problem(refused, 409, "notes_changed")
            assert "token operator changed them" in document["detail"]
        assert appliance.viewer.get(notes).json() == second
        appliance.operator.put(notes, {"text": ""})
        refused = appliance.operator.put(notes, {**body, "replaces": second["changed_at"]})
        assert "They were removed" in problem(refused, 409, "notes_changed")["detail"]


def test_the_limit_counts_bytes(appliance: Appliance, run: Run) -> None:
    path = f"/runs/{run.id}/notes"
    largest = "\u6f22" * 21_333 + "x"
    assert appliance.operator.put(path, {"text": largest}).json()["text"] == largest
    refused = problem(appliance.operator.put(path, {"text": largest + "x"}), 422, "invalid")
    assert "has 64001 bytes, but the maximum is 64000" in refused["detail"]
    assert fields(refused) == ["text"]


BAD: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "text"),
    ({"text": None}, "text"),
    ({"text": ["x"]}, "text"),
    ({"text": "a\x00b"}, "text"),
    ({"text": "x", "replaces": "yesterday"}, "replaces"),
    ({"text": "x", "replaces": "2026-11-21T09:14:03"}, "replaces"),
    ({"text": "x", "html": "<b>"}, "html"),
)


def test_a_bad_body_is_rejected(appliance: Appliance, run: Run) -> None:
    for body, field in BAD:
        answer = appliance.operator.put(f"/campaigns/{run.campaign_id}/notes", body)
        assert fields(problem(answer, 422, "invalid")) == [field], body


def test_notes_are_deleted_with_their_object(appliance: Appliance, run: Run) -> None:
    paths = _paths(appliance, run)
    for path in paths:
        appliance.operator.put(f"{path}/notes", {"text": TEXT})
    assert appliance.operator.delete(paths[2]).status_code == 204
    assert appliance.operator.delete(paths[0]).status_code == 200
    for path in paths:
        problem(appliance.viewer.get(f"{path}/notes"), 404, "not_found")
        problem(appliance.operator.put(f"{path}/notes", {"text": "x"}), 404, "not_found")
    with writing() as session:
        session.execute(delete(Run).where(Run.id == run.id))
    with reading() as session:
        left = [session.scalars(select(func.count()).select_from(CampaignNotes)).one()]
        left += [session.scalars(select(func.count()).select_from(RunNotes)).one()]
    assert left == [1, 0]
