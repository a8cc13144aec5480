"""Endpoints for webhooks. URLs may have secrets in their path, so viewers do not see them."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.access.permissions import require
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, caseless, listing
from assay.api.http.routes import Route
from assay.api.webhooks import queries
from assay.api.webhooks.deliveries import disable
from assay.api.webhooks.schemas import (
    DeliveryState,
    NewWebhook,
    SecretRotation,
    WebhookChange,
    WebhookDeliveryDetail,
    WebhookDeliveryOut,
    WebhookIn,
    WebhookOut,
)
from assay.api.webhooks.signing import new_secret
from assay.api.webhooks.urls import check_receiver
from assay.base.errors import Conflict, Invalid, NameTaken
from assay.base.etags import IfMatch
from assay.base.field_errors import FieldError
from assay.base.field_types import Id
from assay.base.filters import Since, Until, Words, between, has_words
from assay.base.identity import Identity
from assay.base.webhook_events import (
    TEST_EVENT,
    DeliveredEvent,
    WebhookIdentity,
    WebhookTested,
    links,
)
from assay.inventory.credentials.sealing import seal
from assay.tables import outbox
from assay.tables.clock import moment, now
from assay.tables.database import pass_alone
from assay.tables.outbox import MOST_TRIES
from assay.tables.ownership import without_owner
from assay.tables.transactions import Reading, Writing
from assay.tables.webhooks import Webhook, WebhookDelivery, WebhookSecret

router = APIRouter(prefix="/webhooks", tags=["webhooks"], route_class=Route)

MOST_WEBHOOKS = 100
MOST_SECRETS = 5
"""Secrets of a webhook that sign at once; a message has a signature for each."""

CREATION_LOCK = 0x41535748
"""Advisory lock on PostgreSQL: concurrent requests must not exceed `MOST_WEBHOOKS`."""

WebhookList = Annotated[
    Listing[WebhookOut],
    Depends(
        listing(
            WebhookOut,
            {"id": Webhook.id, "name": caseless(Webhook.name), "created_at": Webhook.created_at},
            by="id",
        )
    ),
]
DeliveryList = Annotated[
    Listing[WebhookDeliveryOut],
    Depends(
        listing(
            WebhookDeliveryOut,
            {"id": WebhookDelivery.id, "created_at": WebhookDelivery.created_at},
            by="-id",
        )
    ),
]


class TooManyWebhooks(Conflict):
    """The installation has as many webhooks as it may have."""

    code, title = "too_many_webhooks", "There are too many webhooks"


class TooManySecrets(Conflict):
    """The secret was replaced too often within a short time."""

    code, title = "too_many_secrets", "Too many secrets are valid at once"


class DeliveryInProgress(Conflict):
    """A process is sending the message."""

    code, title = "delivery_in_progress", "The message is being sent"


@router.get("", response_model=Page[WebhookOut], summary="List webhooks")
def list_webhooks(
    _who: Annotated[Identity, may("webhook.read")],
    session: Reading,
    part: WebhookList,
    *,
    enabled: Annotated[bool | None, Query(description="Only enabled or disabled ones")] = None,
    q: Words = None,
) -> Page[WebhookOut] | JSONResponse:
    """Oldest first, without secrets."""
    chosen = select(Webhook).where(has_words(q or "", Webhook.name))
    if enabled is not None:
        chosen = chosen.where(Webhook.enabled.is_(enabled))
    return part.page(session, chosen, queries.shapes)


@router.post("", status_code=201, summary="Create a webhook")
def create_webhook(
    body: WebhookIn,
    who: Annotated[Identity, may("webhook.create")],
    session: Writing,
    request: Request,
) -> NewWebhook:
    """The secret that signs its messages is returned only once."""
    if body.private_addresses:
        require(who, "webhook_to_private_addresses.create", errors=[_private()])
    check_receiver(body.url, str(request.base_url), private=body.private_addresses)
    pass_alone(session, CREATION_LOCK)
    if session.scalars(select(func.count(Webhook.id))).one() >= MOST_WEBHOOKS:
        raise TooManyWebhooks(
            f"There are {MOST_WEBHOOKS} webhooks, the maximum.",
            "Delete one that is not used, or have one receiver forward the events.",
        )
    _free(session, body.name)
    events = sorted(set(body.events))
    webhook = Webhook(**body.model_dump() | {"events": events}, created_by=who.actor)
    session.add(webhook)
    session.flush()
    secret = _add_secret(session, webhook)
    record(session, who, "webhook.created", _named(webhook), **_facts(webhook))
    return _with_secret(session, webhook, secret)


@router.get("/{webhook_id}", summary="Show a webhook")
def show_webhook(
    webhook_id: Id, _who: Annotated[Identity, may("webhook.read")], session: Reading
) -> WebhookOut:
    """Without its secret."""
    return queries.one(session, queries.find(session, webhook_id))


@router.patch("/{webhook_id}", summary="Change a webhook")
def change_webhook(
    webhook_id: Id,
    body: WebhookChange,
    who: Annotated[Identity, may("webhook.change")],
    session: Writing,
    request: Request,
    *,
    if_match: IfMatch = None,
) -> WebhookOut:
    """Omitted fields are unchanged. Messages that are pending go to the new URL.

    Disabling it gives pending messages up. Events that occur while it is disabled are not sent
    later.
    """
    webhook = queries.find(session, webhook_id, lock=True)
    preconditions.check(session, if_match, webhook.etag, f"webhook {webhook.id}")
    if nulls := sorted(n for n in body.model_fields_set if getattr(body, n) is None):
        remedy = "Omit the field or enter a value."
        raise Invalid([FieldError(name, "must not be null", remedy) for name in nulls])
    changes = body.model_dump(exclude_unset=True)
    private = changes.get("private_addresses", webhook.private_addresses)
    moved = changes.get("url", webhook.url) != webhook.url
    if private and (moved or not webhook.private_addresses):
        require(who, "webhook_to_private_addresses.change", errors=[_private()])
    if {"url", "private_addresses"} & changes.keys():
        check_receiver(changes.get("url", webhook.url), str(request.base_url), private=private)
    if changes.get("name", webhook.name) != webhook.name:
        _free(session, changes["name"])
    if "events" in changes:
        changes["events"] = sorted(set(changes["events"]))
    enabled = changes.pop("enabled", webhook.enabled)
    for field, value in changes.items():
        setattr(webhook, field, value)
    if not enabled:
        disable(session, webhook, None)
    elif not webhook.enabled:
        webhook.enabled, webhook.disabled_reason, webhook.failing_since = True, None, None
    session.flush()
    record(session, who, "webhook.changed", _named(webhook), **_facts(webhook))
    return queries.one(session, webhook)


@router.delete("/{webhook_id}", status_code=204, summary="Delete a webhook")
def delete_webhook(
    webhook_id: Id,
    who: Annotated[Identity, may("webhook.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Its deliveries are deleted, and pending messages are not sent any more.

    A request that is being sent may still arrive.
    """
    webhook = queries.find(session, webhook_id, lock=True)
    preconditions.check(session, if_match, webhook.etag, f"webhook {webhook.id}")
    record(session, who, "webhook.deleted", _named(webhook))
    session.delete(webhook)


@router.post("/{webhook_id}/secret", summary="Replace a webhook's secret")
def replace_secret(
    webhook_id: Id,
    body: SecretRotation,
    who: Annotated[Identity, may("webhook.change")],
    session: Writing,
) -> NewWebhook:
    """The new secret is returned only once.

    Until the previous one expires, each message has two signatures, so that the receiver can change
    over without missing a message.
    """
    webhook = queries.find(session, webhook_id, lock=True)
    expires_at = now(session) + timedelta(hours=body.previous_valid_hours)
    session.execute(
        update(WebhookSecret)
        .where(
            WebhookSecret.webhook_id == webhook.id,
            or_(WebhookSecret.expires_at.is_(None), WebhookSecret.expires_at > expires_at),
        )
        .values(expires_at=expires_at)
        .execution_options(synchronize_session=False)
    )
    valid = select(func.count(WebhookSecret.id)).where(
        WebhookSecret.webhook_id == webhook.id, WebhookSecret.expires_at > moment()
    )
    if session.scalars(valid).one() >= MOST_SECRETS:
        raise TooManySecrets(
            f"{MOST_SECRETS} previous secrets of this webhook are still valid.",
            "Wait until they expire, or replace them all with `previous_valid_hours` 0.",
        )
    secret = _add_secret(session, webhook)
    hours = body.previous_valid_hours
    record(session, who, "webhook.secret_replaced", _named(webhook), previous_valid_hours=hours)
    return _with_secret(session, webhook, secret)


@router.post("/{webhook_id}/test", status_code=201, summary="Send a test event")
def test_webhook(
    webhook_id: Id,
    who: Annotated[Identity, may("webhook.test")],
    session: Writing,
    request: Request,
    response: Response,
) -> WebhookDeliveryDetail:
    """Sent once, also to a disabled webhook; show the delivery for what came of it."""
    webhook = queries.find(session, webhook_id, lock=True)
    data = WebhookTested(
        webhook=WebhookIdentity(id=webhook.id, name=webhook.name),
        sent_by=who.actor,
        links=links(f"webhooks/{webhook.id}", f"settings/webhooks/{webhook.id}"),
    )
    (row,) = outbox.store(session, TEST_EVENT, data, [webhook.id], tries=1)
    record(session, who, "webhook.tested", _named(webhook))
    above = request.url.path.removesuffix("/test")
    response.headers["Location"] = f"{above}/deliveries/{row.id}"
    return queries.delivery(session, row)


@router.get(
    "/{webhook_id}/deliveries",
    response_model=Page[WebhookDeliveryOut],
    summary="List a webhook's deliveries",
)
def list_deliveries(
    webhook_id: Id,
    _who: Annotated[Identity, may("webhook.read")],
    session: Reading,
    part: DeliveryList,
    *,
    state: Annotated[
        list[DeliveryState] | None, Query(description="Only those in this state; repeatable")
    ] = None,
    event: Annotated[
        list[DeliveredEvent] | None, Query(description="Only those of this type; repeatable")
    ] = None,
    since: Since = None,
    until: Until = None,
    q: Words = None,
) -> Page[WebhookDeliveryOut] | JSONResponse:
    """Newest first, each with its last attempt; they are kept for 30 days after their end.

    `from` and `to` are times of the event; `q` searches events, message ids and bodies.
    """
    queries.find(session, webhook_id)
    searched = (WebhookDelivery.event, WebhookDelivery.message_id, WebhookDelivery.body)
    chosen = select(WebhookDelivery).where(
        WebhookDelivery.webhook_id == webhook_id,
        *between(WebhookDelivery.created_at, since, until),
        has_words(q or "", *searched),
    )
    if event:
        chosen = chosen.where(WebhookDelivery.event.in_(event))
    if state:
        chosen = chosen.where(WebhookDelivery.state.in_(state))
    return part.page(session, chosen, queries.delivery_shapes)


@router.get("/{webhook_id}/deliveries/{delivery_id}", summary="Show a delivery")
def show_delivery(
    webhook_id: Id,
    delivery_id: Id,
    _who: Annotated[Identity, may("webhook.read")],
    session: Reading,
) -> WebhookDeliveryDetail:
    """Includes its body and all attempts."""
    return queries.delivery(session, queries.find_delivery(session, webhook_id, delivery_id))


@router.post("/{webhook_id}/deliveries/{delivery_id}/resend", summary="Send a message again")
def resend_delivery(
    webhook_id: Id, delivery_id: Id, who: Annotated[Identity, may("webhook.test")], session: Writing
) -> WebhookDeliveryDetail:
    """Sent at once with the same id and body, also if it was delivered; retries start anew."""
    webhook = queries.find(session, webhook_id, lock=True)
    row = queries.find_delivery(session, webhook_id, delivery_id, lock=True)
    is_free = select(WebhookDelivery.id).where(
        WebhookDelivery.id == row.id, without_owner(WebhookDelivery)
    )
    if session.scalar(is_free) is None:
        raise DeliveryInProgress(f"Delivery {row.id} is being sent.", "Look at the result first.")
    row.tries_left = 1 if row.event == TEST_EVENT else MOST_TRIES
    row.state, row.next_attempt_at, row.ended_at = "pending", now(session), None
    session.flush()
    record(session, who, "webhook.resent", _named(webhook), delivery_id=row.id)
    return queries.delivery(session, row)


def _private() -> FieldError:
    message = "lets requests reach private addresses, which only administrators permit"
    return FieldError("private_addresses", message, "Omit it, or ask an administrator.", True)


def _free(session: Session, name: str) -> None:
    if taken := session.scalar(select(Webhook.id).where(Webhook.name == name)):
        raise NameTaken("webhook", name, taken)


def _add_secret(session: Session, webhook: Webhook) -> str:
    secret = new_secret()
    session.add(WebhookSecret(webhook_id=webhook.id, sealed=seal(secret)))
    session.flush()
    return secret


def _with_secret(session: Session, webhook: Webhook, secret: str) -> NewWebhook:
    shape = queries.one(session, webhook)
    return NewWebhook.model_validate({**shape.model_dump(), "secret": secret})


def _named(webhook: Webhook) -> str:
    return f"webhook {webhook.id} {webhook.name}"


def _facts(webhook: Webhook) -> dict[str, object]:
    """Return what the audit log shows: not the URL's path, which may have a secret."""
    host = webhook.url.partition("://")[2].split("/")[0].split("?")[0]
    return {
        "host": host,
        "events": webhook.events,
        "private_addresses": webhook.private_addresses,
        "enabled": webhook.enabled,
    }
