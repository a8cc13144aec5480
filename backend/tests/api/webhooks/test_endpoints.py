"""Webhooks over the API: who may do what, bad input, secrets, tests and resending."""

import json
from datetime import timedelta
from typing import Any

import pytest
from assay.api.endpoints import webhooks as endpoints
from assay.base.settings import settings
from assay.base.webhook_events import EVENTS
from assay.inventory.credentials.sealing import unseal
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from assay.tables.idempotency import IdempotencyKey
from assay.tables.ownership import take, without_owner
from assay.tables.webhooks import Webhook, WebhookDelivery, WebhookSecret
from sqlalchemy import func, select
from testing.api import Appliance, fields, problem

BODY: dict[str, Any] = {
    "name": "pipeline",
    "url": "https://ci.example.com/hooks/assay?token=t0ps3cret",
    "events": ["campaign.ended.v1"],
}


def created(appliance: Appliance, **changes: Any) -> dict[str, Any]:
    answer = appliance.admin.post("/webhooks", BODY | changes)
    assert answer.status_code == 201, answer.text
    return answer.json()


def count(table: Any) -> int:
    with reading() as session:
        return session.scalars(select(func.count()).select_from(table)).one()


def test_the_secret_is_returned_once_and_stored_encrypted(appliance: Appliance) -> None:
    made = created(appliance)
    assert made["secret"].startswith("whsec_")
    listed = appliance.operator.get("/webhooks").text
    shown = appliance.operator.get(f"/webhooks/{made['id']}").text
    audited = json.dumps(appliance.audit())
    assert "secret" not in json.loads(shown)
    for text in (listed, shown, audited):
        assert made["secret"] not in text
    with reading() as session:
        (row,) = session.scalars(select(WebhookSecret))
        assert made["secret"].encode() not in row.sealed
        assert unseal(row.sealed) == made["secret"]


def test_the_secret_is_never_replayed_nor_stored_with_an_idempotency_key(
    appliance: Appliance,
) -> None:
    first = appliance.operator.post("/webhooks", BODY, "key-1")
    again = appliance.operator.post("/webhooks", BODY, "key-1")
    assert first.status_code == 201
    found = problem(again, 409, "secret_not_replayed")
    assert found["existing_id"] == first.json()["id"]
    assert first.headers["Location"] == f"/api/v1/webhooks/{first.json()['id']}"
    assert count(Webhook) == 1
    with reading() as session:
        (row,) = session.scalars(select(IdempotencyKey))
        assert row.body is None


def test_viewers_do_not_see_webhooks_whose_urls_may_have_secrets(appliance: Appliance) -> None:
    made = created(appliance)
    for path in ("/webhooks", f"/webhooks/{made['id']}", f"/webhooks/{made['id']}/deliveries"):
        problem(appliance.viewer.get(path), 403, "not_allowed")


def test_the_audit_log_has_the_host_and_not_the_path_of_the_url(appliance: Appliance) -> None:
    made = created(appliance)
    appliance.admin.delete(f"/webhooks/{made['id']}")
    entries = {one["action"]: one for one in appliance.audit()}
    assert entries["webhook.created"]["detail"]["host"] == "ci.example.com"
    assert entries["webhook.deleted"]["object"] == f"webhook {made['id']} pipeline"
    assert "t0ps3cret" not in json.dumps(list(entries.values()))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://ci.example.com/", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("javascript:alert(1)", "must begin with https://"),
        ("//ci.example.com/", "must begin with https://"),
        ("ci.example.com/hook", "must begin with https://"),
        ("https://", "has no host"),
        ("https:///hook", "has no host"),
        ("https://ada:secret@ci.example.com/", "must not contain a user name or password"),
        ("https://ada@ci.example.com/", "must not contain a user name or password"),
        ("https://ci.example.com/#part", "must not contain a fragment"),
        ("https://ci.example.com/a b", "must not contain spaces"),
        ("https://ci.example.com/\x00", "must not contain spaces or control"),
        ("https://ci.example.com/\r\nHost: x", "must not contain spaces or control"),
        ("https://ci.example.com:0/", "port 0"),
        ("https://ci.example.com:99999/", "has port 99999"),
        ("https://ci.example.com:x/", "is not a URL"),
        ("https://[::1/", "is not a URL"),
        ("", "must have 1 or more characters"),
        ("https://ci.example.com/" + "x" * 2000, "must have 2000 or fewer characters"),
        (7, "must be text"),
        (None, "must be text"),
    ],
)
def test_a_bad_url_is_rejected_with_reason_and_remedy(
    appliance: Appliance, url: object, message: str
) -> None:
    found = problem(appliance.admin.post("/webhooks", BODY | {"url": url}), 422, "invalid")
    assert fields(found) == ["url"]
    assert message in found["errors"][0]["message"]
    assert found["errors"][0]["remedy"]
    assert count(Webhook) == 0


def test_an_unknown_event_is_rejected_with_the_nearest_one(appliance: Appliance) -> None:
    body = BODY | {"events": ["campaign.ended.v1", "campaign.ended"]}
    found = problem(appliance.operator.post("/webhooks", body), 422, "invalid")
    assert fields(found) == ["events.1"]
    assert found["errors"][0]["remedy"] == "Did you mean `campaign.ended.v1`?"


@pytest.mark.parametrize(
    ("events", "field"),
    [([], "events"), (None, "events"), ("campaign.ended.v1", "events"), ([7], "events.0")],
)
def test_events_are_a_list_of_at_least_one(
    appliance: Appliance, events: object, field: str
) -> None:
    answer = appliance.operator.post("/webhooks", BODY | {"events": events})
    assert fields(problem(answer, 422, "invalid")) == [field]


def test_events_are_stored_once_each(appliance: Appliance) -> None:
    made = created(appliance, events=["host.unreachable.v1", *EVENTS])
    assert made["events"] == sorted(EVENTS)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9999/",
        "http://127.1:9999/",
        "http://2130706433/",
        "http://[::1]:9999/",
        "http://10.1.2.3/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:169.254.169.254]/",
    ],
)
def test_a_private_address_needs_an_administrator(appliance: Appliance, url: str) -> None:
    body = BODY | {"url": url}
    found = problem(appliance.operator.post("/webhooks", body), 422, "invalid")
    (error,) = found["errors"]
    assert error["message"].startswith("cannot be used: ")
    assert error["message"].endswith(" is not a public address")
    assert error["remedy"].startswith("An administrator can allow private addresses")
    allowed = body | {"private_addresses": True}
    problem(appliance.operator.post("/webhooks", allowed), 403, "not_allowed")
    assert appliance.admin.post("/webhooks", allowed).status_code == 201


def test_an_operator_cannot_point_a_permitted_webhook_elsewhere(appliance: Appliance) -> None:
    path = f"/webhooks/{created(appliance, private_addresses=True)['id']}"
    elsewhere = {"url": "http://169.254.169.254/"}
    problem(appliance.operator.patch(path, elsewhere), 403, "not_allowed")
    assert appliance.operator.patch(path, {"name": "renamed"}).status_code == 200
    assert appliance.operator.patch(path, {"private_addresses": False}).status_code == 200
    problem(appliance.operator.patch(path, {"private_addresses": True}), 403, "not_allowed")
    problem(appliance.operator.patch(path, elsewhere), 422, "invalid")


@pytest.mark.parametrize(
    "url",
    [
        "http://testserver/api/v1/campaigns",
        "http://TESTSERVER/",
        "http://testserver./",
        "https://testserver/",
        "https://assay.example.com/hook",
        "http://127.0.0.1:{port}/",
        "http://0.0.0.0:{port}/",
        "http://[::1]:{port}/",
    ],
)
def test_the_appliance_itself_is_refused(
    appliance: Appliance, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PUBLIC_URL", "https://assay.example.com")
    settings.cache_clear()
    body = BODY | {"url": url.format(port=settings().port), "private_addresses": True}
    found = problem(appliance.admin.post("/webhooks", body), 422, "invalid")
    assert fields(found) == ["url"]
    assert "this appliance" in found["errors"][0]["message"]


def test_there_is_a_limit_of_webhooks(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert endpoints.MOST_WEBHOOKS == 100
    monkeypatch.setattr(endpoints, "MOST_WEBHOOKS", 2)
    for name in ("one", "two"):
        created(appliance, name=name)
    found = problem(appliance.admin.post("/webhooks", BODY), 409, "too_many_webhooks")
    assert "Delete one" in found["remedy"]
    assert count(Webhook) == 2


def test_names_are_unique(appliance: Appliance) -> None:
    first, other = created(appliance), created(appliance, name="other")
    found = problem(appliance.admin.post("/webhooks", BODY), 409, "name_taken")
    assert found["existing_id"] == first["id"]
    change = appliance.admin.patch(f"/webhooks/{other['id']}", {"name": "pipeline"})
    problem(change, 409, "name_taken")


@pytest.mark.parametrize("field", ["name", "url", "events", "private_addresses", "enabled"])
def test_null_is_no_value(appliance: Appliance, field: str) -> None:
    made = created(appliance)
    answer = appliance.admin.patch(f"/webhooks/{made['id']}", {field: None})
    assert fields(problem(answer, 422, "invalid")) == [field]


def test_a_change_does_not_overwrite_another(appliance: Appliance) -> None:
    made = created(appliance)
    path = f"/webhooks/{made['id']}"
    assert appliance.operator.patch(path, {"name": "one"}, made["etag"]).status_code == 200
    problem(
        appliance.operator.patch(path, {"name": "two"}, made["etag"]), 412, "precondition_failed"
    )
    problem(appliance.operator.delete(path, made["etag"]), 412, "precondition_failed")


def test_a_replaced_secret_signs_for_a_while(appliance: Appliance) -> None:
    made = created(appliance)
    path = f"/webhooks/{made['id']}"
    replaced = appliance.operator.post(f"{path}/secret", {"previous_valid_hours": 2}).json()
    assert replaced["secret"] not in (made["secret"], None)
    assert replaced["previous_secret_valid_until"] is not None
    with reading() as session:
        old, new = session.scalars(select(WebhookSecret).order_by(WebhookSecret.id))
        assert new.expires_at is None
        assert old.expires_at is not None
        remaining = old.expires_at - new.created_at
        assert timedelta(hours=1.9) < remaining < timedelta(hours=2.1)
    at_once = appliance.operator.post(f"{path}/secret", {"previous_valid_hours": 0}).json()
    assert at_once["previous_secret_valid_until"] is None


def test_previous_secrets_are_limited(appliance: Appliance) -> None:
    path = f"/webhooks/{created(appliance)['id']}/secret"
    for _ in range(endpoints.MOST_SECRETS - 1):
        assert appliance.operator.post(path, {}).status_code == 200
    problem(appliance.operator.post(path, {}), 409, "too_many_secrets")
    assert appliance.operator.post(path, {"previous_valid_hours": 0}).status_code == 200


def test_a_previous_secret_is_valid_for_0_to_168_hours(appliance: Appliance) -> None:
    path = f"/webhooks/{created(appliance)['id']}/secret"
    for hours in (0, 168):
        answer = appliance.operator.post(path, {"previous_valid_hours": hours})
        assert answer.status_code == 200, (hours, answer.text)
    for wrong in (-1, 169, 1.5, "x"):
        answer = appliance.operator.post(path, {"previous_valid_hours": wrong})
        assert fields(problem(answer, 422, "invalid")) == ["previous_valid_hours"], wrong


def test_a_test_event_is_stored_for_one_attempt(appliance: Appliance) -> None:
    made = created(appliance)
    answer = appliance.operator.post(f"/webhooks/{made['id']}/test")
    assert answer.status_code == 201
    found = answer.json()
    assert answer.headers["Location"] == (f"/api/v1/webhooks/{made['id']}/deliveries/{found['id']}")
    assert (
        appliance.operator.http.get(
            answer.headers["Location"],
            headers={"Authorization": f"Bearer {appliance.operator.token}"},
        ).json()
        == found
    )
    assert (found["state"], found["event"], found["attempts"]) == ("pending", "webhook.test.v1", 0)
    body = json.loads(found["body"])
    assert body["type"] == "webhook.test.v1"
    assert body["data"]["webhook"] == {"id": made["id"], "name": "pipeline"}
    assert body["data"]["links"]["page"] == f"/settings/webhooks/{made['id']}"
    with reading() as session:
        (row,) = session.scalars(select(WebhookDelivery))
        assert row.tries_left == 1


def test_links_begin_with_the_public_url(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PUBLIC_URL", "https://assay.example.com/")
    settings.cache_clear()
    made = created(appliance)
    body = json.loads(appliance.operator.post(f"/webhooks/{made['id']}/test").json()["body"])
    assert body["data"]["links"] == {
        "api": f"https://assay.example.com/api/v1/webhooks/{made['id']}",
        "page": f"https://assay.example.com/settings/webhooks/{made['id']}",
    }


def test_a_delivery_is_sent_again_with_the_same_id_and_body(appliance: Appliance) -> None:
    made = created(appliance)
    sent = appliance.operator.post(f"/webhooks/{made['id']}/test").json()
    path = f"/webhooks/{made['id']}/deliveries/{sent['id']}"
    with writing() as session:
        row = session.get_one(WebhookDelivery, sent["id"])
        row.state, row.next_attempt_at, row.tries_left = "failed", None, 0
        row.ended_at = row.created_at
    again = appliance.operator.post(f"{path}/resend").json()
    assert (again["state"], again["message_id"], again["body"]) == (
        "pending",
        sent["message_id"],
        sent["body"],
    )
    assert again["next_attempt_at"] is not None
    assert again["ended_at"] is None
    with writing() as session:
        take(session, WebhookDelivery, sent["id"], "worker", without_owner(WebhookDelivery))
    problem(appliance.operator.post(f"{path}/resend"), 409, "delivery_in_progress")


def test_a_delivery_belongs_to_its_webhook(appliance: Appliance) -> None:
    one, other = created(appliance), created(appliance, name="other")
    sent = appliance.operator.post(f"/webhooks/{one['id']}/test").json()
    for wrong in (f"/webhooks/{other['id']}/deliveries/{sent['id']}", "/webhooks/999/deliveries/1"):
        problem(appliance.operator.get(wrong), 404, "not_found")
    problem(
        appliance.operator.post(f"/webhooks/{other['id']}/deliveries/{sent['id']}/resend"),
        404,
        "not_found",
    )
    problem(appliance.operator.get("/webhooks/999/deliveries"), 404, "not_found")


def test_deliveries_are_filtered_and_searched(appliance: Appliance) -> None:
    made = created(appliance)
    path = f"/webhooks/{made['id']}"
    first, second = (appliance.operator.post(f"{path}/test").json() for _ in range(2))
    with writing() as session:
        session.get_one(WebhookDelivery, first["id"]).state = "failed"

    def ids(**query: Any) -> list[int]:
        items = appliance.operator.get(f"{path}/deliveries", **query).json()["items"]
        return [one["id"] for one in items]

    assert ids() == [second["id"], first["id"]]
    assert ids(state="failed") == [first["id"]]
    assert ids(q=second["message_id"]) == [second["id"]]
    assert ids(q="pipeline webhook.test") == [second["id"], first["id"]]
    assert ids(event="webhook.test.v1") == [second["id"], first["id"]]
    assert ids(event="campaign.ended.v1") == []
    assert ids(**{"from": second["created_at"]}) == [second["id"]]
    assert ids(to=second["created_at"]) == [first["id"]]
    for wrong in ({"state": "lost"}, {"event": "campaign.ended"}):
        problem(appliance.operator.get(f"{path}/deliveries", **wrong), 422, "invalid")


def test_disabling_gives_pending_messages_up_and_enabling_forgets_the_failure(
    appliance: Appliance,
) -> None:
    made = created(appliance)
    path = f"/webhooks/{made['id']}"
    sent = appliance.operator.post(f"{path}/test").json()
    with writing() as session:
        session.get_one(Webhook, made["id"]).failing_since = moment()
    disabled = appliance.operator.patch(path, {"enabled": False}).json()
    assert (disabled["enabled"], disabled["disabled_reason"]) == (False, None)
    found = appliance.operator.get(f"{path}/deliveries/{sent['id']}").json()
    assert (found["state"], found["next_attempt_at"]) == ("failed", None)
    enabled = appliance.operator.patch(path, {"enabled": True}).json()
    assert (enabled["enabled"], enabled["failing_since"]) == (True, None)


def test_a_webhook_that_assay_disabled_needs_attention(appliance: Appliance) -> None:
    by_user, by_assay = created(appliance), created(appliance, name="lost")
    appliance.operator.patch(f"/webhooks/{by_user['id']}", {"enabled": False})
    with writing() as session:
        row = session.get_one(Webhook, by_assay["id"])
        row.enabled, row.disabled_reason = False, "No message was delivered."
    issues = appliance.viewer.get("/overview").json()["issues"]
    (found,) = [issue for issue in issues if issue["kind"] == "webhook"]
    assert found["message"] == "Webhook lost was disabled because it failed for a long time"
    assert found["link"] == f"/settings/webhooks/{by_assay['id']}"
    appliance.operator.patch(f"/webhooks/{by_assay['id']}", {"enabled": True})
    issues = appliance.viewer.get("/overview").json()["issues"]
    assert [issue for issue in issues if issue["kind"] == "webhook"] == []


def test_deletion_removes_deliveries_and_secrets(appliance: Appliance) -> None:
    made = created(appliance)
    appliance.operator.post(f"/webhooks/{made['id']}/test")
    assert appliance.operator.delete(f"/webhooks/{made['id']}").status_code == 204
    assert (count(Webhook), count(WebhookDelivery), count(WebhookSecret)) == (0, 0, 0)
