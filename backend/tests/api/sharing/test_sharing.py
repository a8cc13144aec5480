"""Share links: what they show, to whom, and how they end."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from assay.tables.idempotency import IdempotencyKey
from assay.tables.sharing import ShareLink
from sqlalchemy import select, update
from testing.api import Appliance, fields, problem
from testing.identifiers import SENTINELS, Named, seed_named
from testing.seeds import seed_ended_run

INVALID = "This link is not valid"


@pytest.fixture
def named(appliance: Appliance) -> Named:
    return seed_named(blocks=(65536,))


def _share(appliance: Appliance, named: Named, **body: Any) -> dict[str, Any]:
    path = f"/campaigns/{named.campaign_id}/shares"
    answer = appliance.operator.post(path, {"expires_in_days": 14, **body})
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/api/v1{path}/{answer.json()['id']}"
    return answer.json()


def _gone(appliance: Appliance, path: str, status: int) -> None:
    page = appliance.http.get(path)
    assert page.status_code == status
    assert INVALID in page.text
    assert "Acceptance" not in page.text
    assert not [one for one in SENTINELS.values() if one in page.text]
    assert page.headers["x-robots-tag"] == "noindex, nofollow"


def test_a_link_shows_the_report_without_a_login_and_without_identifiers(
    appliance: Appliance, named: Named
) -> None:
    made = _share(appliance, named, name="Vendor support")
    page = appliance.http.get(made["path"])
    assert page.status_code == 200
    assert "Verdict" in page.text
    assert not [one for one in SENTINELS.values() if one in page.text]
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-robots-tag"] == "noindex, nofollow"
    assert page.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert '<meta name="robots" content="noindex,nofollow">' in page.text
    assert "set-cookie" not in page.headers


def test_identifiers_are_shown_if_chosen(appliance: Appliance, named: Named) -> None:
    made = _share(appliance, named, show_identifiers=True)
    page = appliance.http.get(made["path"]).text
    for what in ("host", "path", "address", "array serial", "person"):
        assert SENTINELS[what] in page


def test_accesses_are_counted(appliance: Appliance, named: Named) -> None:
    made = _share(appliance, named)
    path = f"/campaigns/{named.campaign_id}/shares"
    (listed,) = appliance.viewer.get(path).json()["items"]
    assert (listed["accesses"], listed["last_access_at"], listed["state"]) == (0, None, "active")
    for _ in range(3):
        assert appliance.http.get(made["path"]).status_code == 200
    shown = appliance.viewer.get(f"{path}/{made['id']}").json()
    assert shown["accesses"] == 3
    assert shown["last_access_at"] is not None
    assert "token" not in shown


def test_the_token_is_stored_as_a_hash_and_never_replayed(
    appliance: Appliance, named: Named
) -> None:
    path = f"/campaigns/{named.campaign_id}/shares"
    first = appliance.operator.post(path, {"expires_in_days": 1}, key="share-1")
    token = first.json()["token"]
    again = appliance.operator.post(path, {"expires_in_days": 1}, key="share-1")
    assert problem(again, 409, "secret_not_replayed")["existing_id"] == first.json()["id"]
    with reading() as session:
        (stored,) = session.scalars(select(ShareLink)).all()
        kept = session.scalars(select(IdempotencyKey)).all()
    assert token not in repr(
        {column.name: str(getattr(stored, column.name)) for column in ShareLink.__table__.c}
    )
    assert token not in repr([vars(one) for one in kept])
    assert token not in repr(appliance.audit())


def test_a_revoked_link_ends_at_once_and_stays_listed(appliance: Appliance, named: Named) -> None:
    made, other = _share(appliance, named), _share(appliance, named)
    assert appliance.http.get(made["path"]).status_code == 200
    path = f"/campaigns/{named.campaign_id}/shares/{made['id']}"
    problem(appliance.viewer.delete(path), 403, "not_allowed")
    for _ in range(2):  # twice is the same
        revoked = appliance.operator.delete(path).json()
        assert (revoked["state"], revoked["accesses"]) == ("revoked", 1)
    _gone(appliance, made["path"], 410)
    assert appliance.http.get(other["path"]).status_code == 200
    actions = [one["action"] for one in appliance.audit()]
    assert actions.count("share.created") == 2
    assert actions.count("share.revoked") == 1
    assert len(appliance.viewer.get(f"/campaigns/{named.campaign_id}/shares").json()["items"]) == 2


def test_an_expired_link_is_gone(appliance: Appliance, named: Named) -> None:
    made = _share(appliance, named)
    left = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
    assert abs(left - timedelta(days=14)) < timedelta(seconds=5)
    with writing() as session:
        session.execute(update(ShareLink).values(expires_at=moment(-timedelta(seconds=1))))
    _gone(appliance, made["path"], 410)
    path = f"/campaigns/{named.campaign_id}/shares/{made['id']}"
    assert appliance.viewer.get(path).json()["state"] == "expired"


def test_a_link_of_a_deleted_campaign_is_gone_until_the_deletion_is_undone(
    appliance: Appliance, named: Named
) -> None:
    made = _share(appliance, named)
    path = f"/campaigns/{named.campaign_id}"
    assert appliance.operator.delete(path).status_code == 200
    _gone(appliance, made["path"], 410)
    problem(appliance.viewer.get(f"{path}/shares"), 404, "not_found")
    body = {"expires_in_days": 1}
    problem(appliance.operator.post(f"{path}/shares", body), 404, "not_found")
    assert appliance.operator.post(f"{path}/undelete").status_code == 200
    assert appliance.http.get(made["path"]).status_code == 200


@pytest.mark.parametrize("token", ["assay_x", "x" * 5000, "%00", "%2e%2e", "'; DROP TABLE shares"])
def test_an_unknown_token_is_not_found(appliance: Appliance, named: Named, token: str) -> None:
    _gone(appliance, f"/shared/{token}", 404)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "expires_in_days"),
        ({"expires_in_days": None}, "expires_in_days"),
        ({"expires_in_days": 0}, "expires_in_days"),
        ({"expires_in_days": 91}, "expires_in_days"),
        ({"expires_in_days": "14"}, "expires_in_days"),
        ({"expires_in_days": 1.5}, "expires_in_days"),
        ({"expires_in_days": True}, "expires_in_days"),
        ({"expires_in_days": 1, "name": ""}, "name"),
        ({"expires_in_days": 1, "name": "x" * 101}, "name"),
        ({"expires_in_days": 1, "name": "a\x00b"}, "name"),
        ({"expires_in_days": 1, "show_identifiers": "yes"}, "show_identifiers"),
        ({"expires_in_days": 1, "show_identifers": True}, "show_identifers"),
    ],
)
def test_bad_input_is_rejected_by_field(
    appliance: Appliance, named: Named, body: dict[str, Any], field: str
) -> None:
    answer = appliance.operator.post(f"/campaigns/{named.campaign_id}/shares", body)
    assert fields(problem(answer, 422, "invalid")) == [field]


def test_a_link_belongs_to_its_campaign(appliance: Appliance, named: Named) -> None:
    made = _share(appliance, named)
    with writing() as session:
        other = seed_ended_run(session).campaign_id
    for method in (appliance.operator.get, appliance.operator.delete):
        problem(method(f"/campaigns/{other}/shares/{made['id']}"), 404, "not_found")
    assert appliance.http.get(made["path"]).status_code == 200
