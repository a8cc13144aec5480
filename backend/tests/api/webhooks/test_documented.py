"""The documentation of webhooks has every event, field, header and pause."""

import re
from pathlib import Path

import pytest
from assay.api.endpoints import webhooks as endpoints
from assay.api.webhooks import deliveries
from assay.base.settings import REPOSITORY
from assay.base.webhook_events import (
    EVENTS,
    MOST_CRITERIA,
    MOST_FAILURES,
    TEST_EVENT,
    CampaignEnded,
    FailedRun,
    HostKeyChanged,
    HostUnreachable,
    JudgedCriterion,
    RunJudged,
    WebhookTested,
)
from assay.tables.outbox import MOST_TRIES, PAUSES
from pydantic import BaseModel

PAGE = Path(REPOSITORY / "docs" / "webhooks.md").read_text()
DATA: dict[str, type[BaseModel]] = {
    "campaign.ended.v1": CampaignEnded,
    "run.judged.v1": RunJudged,
    "host.key_changed.v1": HostKeyChanged,
    "host.unreachable.v1": HostUnreachable,
    TEST_EVENT: WebhookTested,
}
IN_LISTS = {
    "CampaignEnded": set(FailedRun.model_fields),
    "RunJudged": set(JudgedCriterion.model_fields),
}
EXPLAINED = {"links", "verdict"}
"""Objects whose fields are described for all events below the table."""


def documented(event: str) -> set[str]:
    (row,) = re.findall(rf"^\| `{re.escape(event)}` \|.*$", PAGE, re.M)
    return set(re.findall(r"`(\w+)`", row.split("|")[3]))


def fields(model: type[BaseModel]) -> set[str]:
    found = set(model.model_fields)
    for name, field in model.model_fields.items():
        inner = field.annotation
        if name not in EXPLAINED and isinstance(inner, type) and issubclass(inner, BaseModel):
            found |= set(inner.model_fields)
    return found | IN_LISTS.get(model.__name__, set())


def test_every_event_has_data() -> None:
    assert set(DATA) == {*EVENTS, TEST_EVENT}


@pytest.mark.parametrize("event", DATA)
def test_every_field_of_an_event_is_documented(event: str) -> None:
    assert documented(event) == fields(DATA[event])


def test_the_schedule_is_documented() -> None:
    (row,) = re.findall(r"^\| pause before it \| none \|(.*)\|$", PAGE, re.M)
    units = {"s": 1, "min": 60, "h": 3600}
    given = [int(number) * units[unit] for number, unit in re.findall(r"(\d+) (\w+)", row)]
    assert given == [one.total_seconds() for one in PAUSES]
    assert re.search(r"^\| attempt \|.* 8 \|$", PAGE, re.M) and MOST_TRIES == 8


def test_limits_are_documented() -> None:
    assert f"There may be {endpoints.MOST_WEBHOOKS} webhooks" in PAGE
    assert f"at most {MOST_CRITERIA}, the failed ones first" in PAGE
    assert f"at most {MOST_FAILURES} runs" in PAGE
    assert f"Deliveries are deleted {deliveries.KEPT.days} days after their end" in PAGE
