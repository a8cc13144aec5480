"""Deliveries: which are due, claims, retries, giving up, disabling and sweeping."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from assay.api.webhooks import deliveries
from assay.api.webhooks.deliveries import AttemptResult, OutgoingMessage, claim, due, record, sweep
from assay.inventory.credentials.sealing import seal, unseal
from assay.tables.clock import moment, now
from assay.tables.database import reading, writing
from assay.tables.outbox import DISABLED_AFTER, JITTER, MOST_TRIES, PAUSES
from assay.tables.ownership import StaleGenerationError
from assay.tables.webhooks import Webhook, WebhookAttempt, WebhookDelivery, WebhookSecret
from sqlalchemy import delete, select
from testing.api import Appliance, on_both

pytestmark = on_both

DELIVERED = AttemptResult(duration_ns=10**6, address="192.0.2.7", status=204, answer="")
FAILED = AttemptResult(
    duration_ns=10**6, status=500, answer="oops", error="The receiver answered 500."
)


@pytest.fixture(autouse=True)
def _database(appliance: Appliance) -> None:
    """A migrated database."""


def webhook(name: str = "one", **columns: Any) -> int:
    with writing() as session:
        row = Webhook(name=name, url="https://r.example/", events=["x"], created_by="a", **columns)
        session.add(row)
        session.flush()
        session.add(WebhookSecret(webhook_id=row.id, sealed=seal(f"whsec_of {name}")))
        return row.id


def message(webhook_id: int, number: int = 1, **columns: Any) -> int:
    with writing() as session:
        values = {"event": "run.judged.v1", "body": "{}", "tries_left": MOST_TRIES, **columns}
        row = WebhookDelivery(webhook_id=webhook_id, message_id=f"msg_{number}", **values)
        session.add(row)
        session.flush()
        return row.id


def claimed(delivery_id: int, owner: str = "a") -> OutgoingMessage:
    found = claim(delivery_id, owner)
    assert found is not None
    return found


def shown(delivery_id: int) -> WebhookDelivery:
    with reading() as session:
        return session.get_one(WebhookDelivery, delivery_id)


def of_webhook(webhook_id: int) -> Webhook:
    with reading() as session:
        return session.get_one(Webhook, webhook_id)


def change(delivery_id: int, **columns: Any) -> None:
    with writing() as session:
        row = session.get_one(WebhookDelivery, delivery_id)
        for name, value in columns.items():
            setattr(row, name, value)


def due_now(most: int = 10, per_webhook: int = 10) -> list[int]:
    with reading() as session:
        return [delivery_id for delivery_id, _ in due(session, most, per_webhook)]


def test_what_is_pending_and_due_is_sent_oldest_first() -> None:
    hook = webhook()
    first, second = message(hook, 1), message(hook, 2)
    later = message(hook, 3, next_attempt_at=moment(timedelta(minutes=1)))
    change(message(hook, 4), state="delivered", next_attempt_at=None)
    assert due_now() == [first, second]
    assert due_now(most=1) == [first]
    change(later, next_attempt_at=moment(timedelta(days=2)))  # before the clock was set back
    assert set(due_now()) == {first, second, later}


def test_a_webhook_with_many_messages_delays_no_others() -> None:
    busy, other = webhook("busy"), webhook("other")
    many = [message(busy, number) for number in range(5)]
    last = message(other, 9)
    assert due_now(most=3, per_webhook=2) == [many[0], last, many[1]]


def test_a_message_is_claimed_once() -> None:
    delivery = message(webhook())
    found = claimed(delivery)
    assert (found.url, found.body, found.message_id) == ("https://r.example/", "{}", "msg_1")
    assert [unseal(sealed) for sealed in found.sealed_secrets] == ["whsec_of one"]
    assert claim(delivery, "b") is None
    assert due_now() == []


def test_expired_secrets_do_not_sign() -> None:
    hook = webhook()
    with writing() as session:
        for name, seconds in (("new", 60), ("old", -1)):
            expires_at = now(session) + timedelta(seconds=seconds)
            session.add(WebhookSecret(webhook_id=hook, sealed=seal(name), expires_at=expires_at))
    found = claimed(message(hook))
    assert [unseal(sealed) for sealed in found.sealed_secrets] == ["new", "whsec_of one"]


def test_a_process_that_died_while_sending_is_replaced_and_cannot_record() -> None:
    delivery = message(webhook())
    dead = claimed(delivery)
    change(delivery, owned_until=moment(timedelta(seconds=-1)))
    assert due_now() == [delivery]
    heir = claimed(delivery, "b")
    assert heir.message_id == dead.message_id
    with pytest.raises(StaleGenerationError):
        record(dead, FAILED)
    record(heir, DELIVERED)
    assert shown(delivery).state == "delivered"
    with reading() as session:
        (attempt,) = session.scalars(select(WebhookAttempt))
        assert attempt.number == 2  # the first was not recorded


def test_a_delivered_message_is_not_sent_again() -> None:
    hook = webhook(failing_since=moment())
    delivery = message(hook)
    record(claimed(delivery), DELIVERED)
    found = shown(delivery)
    assert (found.state, found.next_attempt_at, found.owner) == ("delivered", None, None)
    assert found.ended_at is not None
    assert of_webhook(hook).failing_since is None
    assert claim(delivery, "b") is None


def test_a_failed_attempt_is_repeated_by_the_schedule_until_the_last() -> None:
    hook = webhook()
    delivery = message(hook)
    for planned in PAUSES:
        record(claimed(delivery), FAILED)
        found = shown(delivery)
        assert found.state == "pending"
        with reading() as session:
            pause = (found.next_attempt_at or now(session)) - now(session)
        assert planned * (1 - JITTER) - timedelta(seconds=5) < pause < planned * (1 + JITTER)
        change(delivery, next_attempt_at=moment())
    record(claimed(delivery), FAILED)
    assert (shown(delivery).state, shown(delivery).next_attempt_at) == ("failed", None)
    assert of_webhook(hook).enabled
    with reading() as session:
        attempts = session.scalars(select(WebhookAttempt).order_by(WebhookAttempt.id)).all()
    assert [one.number for one in attempts] == list(range(1, MOST_TRIES + 1))
    assert {(one.status, one.answer) for one in attempts} == {(500, "oops")}


def test_a_message_waits_as_long_as_its_receiver_asks() -> None:
    delivery = message(webhook())
    record(claimed(delivery), replace(FAILED, retry_after=timedelta(hours=2)))
    with reading() as session:
        waits = (shown(delivery).next_attempt_at or now(session)) - now(session)
    assert timedelta(hours=1, minutes=59) < waits <= timedelta(hours=2)


def test_a_webhook_that_failed_for_days_is_disabled_when_a_message_is_given_up(
    appliance: Appliance,
) -> None:
    hook = webhook(failing_since=moment(-DISABLED_AFTER))
    other, last = message(hook, 1), message(hook, 2, tries_left=1)
    record(claimed(other), FAILED)
    assert of_webhook(hook).enabled
    record(claimed(last), FAILED)
    found = of_webhook(hook)
    assert not found.enabled
    assert "No message was delivered since" in (found.disabled_reason or "")
    assert "500" in (found.disabled_reason or "")
    assert {shown(one).state for one in (other, last)} == {"failed"}
    (entry,) = [one for one in appliance.audit() if one["action"] == "webhook.disabled"]
    assert (entry["actor"], entry["object"]) == ("scheduler", f"webhook {hook} one")


def test_a_receiver_that_is_gone_disables_the_webhook_at_once() -> None:
    hook = webhook()
    gone = AttemptResult(duration_ns=1, status=410, error="The receiver answered 410 Gone.")
    first, second = message(hook, 1), message(hook, 2)
    record(claimed(first), gone)
    assert of_webhook(hook).disabled_reason == "The receiver answered 410 Gone."
    assert {shown(one).state for one in (first, second)} == {"failed"}


def test_a_failed_test_says_nothing_about_the_webhook() -> None:
    hook = webhook()
    record(claimed(message(hook, event="webhook.test.v1", tries_left=1)), FAILED)
    assert of_webhook(hook).failing_since is None


def test_a_message_that_was_being_sent_when_its_webhook_was_disabled_is_not_repeated() -> None:
    hook = webhook()
    delivery = message(hook)
    sending = claimed(delivery)
    with writing() as session:
        deliveries.disable(session, session.get_one(Webhook, hook), None)
    record(sending, FAILED)
    found = shown(delivery)
    assert (found.state, found.next_attempt_at) == ("failed", None)


def test_a_message_whose_webhook_was_deleted_is_not_recorded() -> None:
    hook = webhook()
    sending = claimed(message(hook))
    with writing() as session:
        session.execute(delete(Webhook).where(Webhook.id == hook))
    with pytest.raises(StaleGenerationError, match="was deleted"):
        record(sending, FAILED)


def test_deliveries_are_kept_for_thirty_days_after_their_end() -> None:
    hook = webhook()
    ends = (timedelta(days=30, minutes=1), timedelta(days=29))
    old, new = (
        message(hook, number, state="delivered", next_attempt_at=None, ended_at=moment(-end))
        for number, end in enumerate(ends)
    )
    pending = message(hook, 9, created_at=moment(timedelta(days=-40)))
    record(claimed(message(hook, 10)), DELIVERED)
    assert sweep()
    assert not sweep()
    with reading() as session:
        left = set(session.scalars(select(WebhookDelivery.id)))
    assert old not in left
    assert {new, pending} < left
