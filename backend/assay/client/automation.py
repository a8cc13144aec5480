"""Schedules and webhooks: what launches campaigns by itself, and what is told about them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Unpack

from assay.api.webhooks.schemas import (
    DeliveryState,
    NewWebhook,
    WebhookChange,
    WebhookDeliveryDetail,
    WebhookDeliveryOut,
    WebhookIn,
    WebhookOut,
)
from assay.base import nouns
from assay.base.states import FiringOutcome
from assay.base.webhook_events import DeliveredEvent
from assay.client.resources import (
    Managed,
    NameFilter,
    OrderFilter,
    Reference,
    query,
)
from assay.client.transport import parsed
from assay.runs.campaigns.schemas import LaunchedCampaign
from assay.runs.schedules.schemas import (
    FiringOut,
    ScheduleChange,
    ScheduleIn,
    ScheduleOut,
    SchedulePreview,
    TimetableIn,
)


class ScheduleFilter(NameFilter, total=False):
    """Which schedules a list has, and in which order."""

    state: Literal["active", "paused"]


class WebhookFilter(NameFilter, total=False):
    """Which webhooks a list has, and in which order."""

    enabled: bool


class DeliveryFilter(NameFilter, total=False):
    """Which deliveries a list has, and in which order; `q` searches events and bodies."""

    state: DeliveryState | Sequence[DeliveryState]
    event: DeliveredEvent | Sequence[DeliveredEvent]
    since: str
    until: str


class FiringFilter(OrderFilter, total=False):
    """Which firings of a schedule a list has, and in which order."""

    outcome: FiringOutcome | Sequence[FiringOutcome]
    since: str
    until: str


class Schedules(Managed[ScheduleOut, ScheduleIn, ScheduleOut, ScheduleChange]):
    """Plans of campaigns that are launched at the times of a cron expression."""

    noun, _kind, _made = nouns.SCHEDULE, ScheduleOut, ScheduleOut

    def list(
        self, *, most: int | None = None, **where: Unpack[ScheduleFilter]
    ) -> Iterator[ScheduleOut]:
        """Yield the schedules that match all filters, by name unless `sort` differs."""
        return self._all(most, where)

    def preview(self, timetable: TimetableIn | Mapping[str, object]) -> SchedulePreview:
        """Return the next fire times of a timetable; changes nothing."""
        return parsed(SchedulePreview, self._api.post(f"{self._path}/preview", timetable))

    def pause(self, which: Reference) -> ScheduleOut:
        """Pause a schedule: it fires no more until it is resumed."""
        return parsed(ScheduleOut, self._api.post(f"{self.path_of(which)}/pause"))

    def resume(self, which: Reference) -> ScheduleOut:
        """Resume a schedule with its next fire time."""
        return parsed(ScheduleOut, self._api.post(f"{self.path_of(which)}/resume"))

    def run(self, which: Reference, *, key: str | None = None) -> LaunchedCampaign:
        """Launch a schedule's campaign now; its fire times are unchanged."""
        return parsed(LaunchedCampaign, self._api.post(f"{self.path_of(which)}/run", key=key))

    def firings(
        self, which: Reference, *, most: int | None = None, **where: Unpack[FiringFilter]
    ) -> Iterator[FiringOut]:
        """Yield what became of the fire times of a schedule, newest first."""
        path = f"{self.path_of(which)}/firings"
        return self._api.items(FiringOut, path, most=most, **query(where))


class Webhooks(Managed[WebhookOut, WebhookIn, NewWebhook, WebhookChange]):
    """Addresses that receive events."""

    noun, _kind, _made = nouns.WEBHOOK, WebhookOut, NewWebhook

    def list(
        self, *, most: int | None = None, **where: Unpack[WebhookFilter]
    ) -> Iterator[WebhookOut]:
        """Yield the webhooks that match all filters, the oldest first unless `sort` differs."""
        return self._all(most, where)

    def replace_secret(self, which: Reference, *, previous_valid_hours: int = 24) -> NewWebhook:
        """Replace the secret that signs messages; the previous one signs for that long, too."""
        body = {"previous_valid_hours": previous_valid_hours}
        return parsed(NewWebhook, self._api.post(f"{self.path_of(which)}/secret", body))

    def test(self, which: Reference) -> WebhookDeliveryDetail:
        """Send a test event; `delivery` says what came of it."""
        return parsed(WebhookDeliveryDetail, self._api.post(f"{self.path_of(which)}/test"))

    def deliveries(
        self, which: Reference, *, most: int | None = None, **where: Unpack[DeliveryFilter]
    ) -> Iterator[WebhookDeliveryOut]:
        """Yield the deliveries to a webhook that match all filters, newest first."""
        path = f"{self.path_of(which)}/deliveries"
        return self._api.items(WebhookDeliveryOut, path, most=most, **query(where))

    def delivery(self, which: Reference, delivery_id: int) -> WebhookDeliveryDetail:
        """Return a delivery with its attempts."""
        path = f"{self.path_of(which)}/deliveries/{delivery_id}"
        return parsed(WebhookDeliveryDetail, self._api.get(path))

    def resend(self, which: Reference, delivery_id: int) -> WebhookDeliveryDetail:
        """Send a message again."""
        path = f"{self.path_of(which)}/deliveries/{delivery_id}/resend"
        return parsed(WebhookDeliveryDetail, self._api.post(path))
