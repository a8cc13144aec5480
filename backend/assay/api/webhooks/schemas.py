"""API types of webhooks and their deliveries."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from assay.api.webhooks.urls import WebhookUrl
from assay.base.field_types import EntityTag, Name, RequestBody
from assay.base.states import DeliveryState
from assay.base.webhook_events import EVENTS, KnownEvent

Events = Annotated[
    list[KnownEvent],
    Field(min_length=1, max_length=2 * len(EVENTS), description="Which events it receives"),
]
PrivateAddresses = Annotated[
    bool,
    Field(
        description="Whether it may lead to private, loopback, link-local and metadata addresses; "
        "only an administrator may allow it"
    ),
]

_EXAMPLE: dict[str, Any] = {
    "id": 4,
    "name": "Acceptance pipeline",
    "url": "https://ci.example.com/hooks/assay",
    "events": ["campaign.ended.v1", "host.key_changed.v1"],
    "private_addresses": False,
    "enabled": True,
    "disabled_reason": None,
    "failing_since": None,
    "previous_secret_valid_until": None,
    "last_delivery": {"id": 81, "event": "campaign.ended.v1", "state": "delivered"},
    "created_by": "ada",
    "created_at": "2026-11-21T01:00:00Z",
    "etag": '"9a41…"',
}
_ATTEMPT: dict[str, Any] = {
    "number": 1,
    "ended_at": "2026-11-21T02:00:01Z",
    "duration_ns": 84_000_000,
    "address": "203.0.113.7",
    "status": 204,
    "error": None,
    "answer": "",
}
_DELIVERY: dict[str, Any] = {
    "id": 81,
    "webhook_id": 4,
    "message_id": "msg_2b1c…",
    "event": "campaign.ended.v1",
    "state": "delivered",
    "attempts": 1,
    "last_attempt": _ATTEMPT,
    "next_attempt_at": None,
    "created_at": "2026-11-21T02:00:00Z",
    "ended_at": "2026-11-21T02:00:01Z",
}


class WebhookIn(RequestBody):
    """A new webhook."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "Acceptance pipeline",
                    "url": "https://ci.example.com/hooks/assay",
                    "events": ["campaign.ended.v1", "host.key_changed.v1"],
                }
            ]
        }
    )

    name: Name
    url: WebhookUrl
    events: Events
    private_addresses: PrivateAddresses = False
    enabled: bool = True


class WebhookChange(RequestBody):
    """Changes to a webhook; `enabled` also starts one again that Assay has disabled."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"enabled": True}]})

    name: Name | None = None
    url: WebhookUrl | None = None
    events: Events | None = None
    private_addresses: PrivateAddresses | None = None
    enabled: bool | None = None


class SecretRotation(RequestBody):
    """How long the secret that is replaced still signs messages, beside the new one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"previous_valid_hours": 24}]})

    previous_valid_hours: Annotated[
        int, Field(ge=0, le=168, description="0 if the secret has leaked")
    ] = 24


class LastDelivery(BaseModel):
    """The newest delivery of a webhook."""

    id: int
    event: str
    state: DeliveryState


class WebhookOut(BaseModel):
    """A webhook, without its secret.

    `disabled_reason` is set if Assay disabled it after long failure. `previous_secret_valid_until`
    is set while replaced secrets still sign.
    """

    model_config = ConfigDict(title="Webhook", json_schema_extra={"examples": [_EXAMPLE]})

    id: int
    name: str
    url: str
    events: list[str]
    private_addresses: bool
    enabled: bool
    disabled_reason: str | None
    failing_since: datetime | None
    previous_secret_valid_until: datetime | None
    last_delivery: LastDelivery | None
    created_by: str
    created_at: datetime
    etag: EntityTag


class NewWebhook(WebhookOut):
    """A webhook with its secret, which is returned only once."""

    model_config = ConfigDict(
        title="NewWebhook", json_schema_extra={"examples": [{**_EXAMPLE, "secret": "whsec_C2FV…"}]}
    )

    secret: str


class WebhookAttemptOut(BaseModel):
    """One request to the receiver.

    `answer` has the first bytes of the response's body. `error` says why the attempt failed, and is
    null if it succeeded: with a status from 200 to 299. Numbers are missing if a process died
    before it recorded its attempt.
    """

    model_config = ConfigDict(title="WebhookAttempt", from_attributes=True)

    number: int
    ended_at: datetime
    duration_ns: int
    address: str | None
    status: int | None
    error: str | None
    answer: str | None


class WebhookDeliveryOut(BaseModel):
    """A message to a webhook; `message_id` is sent as `webhook-id` with each attempt."""

    model_config = ConfigDict(title="WebhookDelivery", json_schema_extra={"examples": [_DELIVERY]})

    id: int
    webhook_id: int
    message_id: str
    event: str
    state: DeliveryState
    attempts: int
    last_attempt: WebhookAttemptOut | None
    next_attempt_at: datetime | None
    created_at: datetime
    ended_at: datetime | None


class WebhookDeliveryDetail(WebhookDeliveryOut):
    """A delivery with its body, exactly as it is sent, and all attempts, oldest first."""

    model_config = ConfigDict(
        title="WebhookDeliveryDetail",
        json_schema_extra={
            "examples": [{**_DELIVERY, "body": '{"type":"…"}', "every_attempt": [_ATTEMPT]}]
        },
    )

    body: str
    every_attempt: list[WebhookAttemptOut]
