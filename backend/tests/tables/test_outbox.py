"""The outbox: events are stored with what causes them, for the webhooks that receive them."""

import json
import threading
from typing import Any

import pytest
from assay.base.webhook_events import EVENTS
from assay.inventory.hosts.announcing import SAME_OUTAGE, announce_problem
from assay.runs import lifecycle
from assay.runs.recording import record
from assay.runs.verdicts import examples, stored
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.labels import CampaignLabel
from assay.tables.runs import Run
from assay.tables.webhooks import Webhook, WebhookDelivery
from sqlalchemy import select
from sqlalchemy.orm import Session
from testing.api import Appliance, on_both
from testing.seeds import seed_ended_run, seed_run

KEYS = [
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0pC0mKzM9d1i8YBnq2nqwQGxXzS2D2oVYyQ0lY0b3v",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBw4Wc3m7m9r5Y8u1m2lV8m3oXQ0l9V0mZ6o1m3Qk2aB",
]


def webhook(session: Session, name: str, *events: str, enabled: bool = True) -> int:
    row = Webhook(
        name=name,
        url="https://ci.example.com/",
        events=list(events or EVENTS),
        enabled=enabled,
        created_by="ada",
    )
    session.add(row)
    session.flush()
    return row.id


def rows(session: Session) -> list[WebhookDelivery]:
    return list(session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id)))


def messages() -> list[WebhookDelivery]:
    with reading() as session:
        return rows(session)


def bodies() -> list[dict[str, Any]]:
    return [json.loads(row.body) for row in messages()]


def unreachable(session: Session) -> Host:
    host = Host(name="box", connection="ssh", address="10.0.0.7", state="unreachable")
    host.state_reason = "No route to host: 10.0.0.7"
    session.add(host)
    session.flush()
    announce_problem(session, host, "ready")
    return host


@on_both
@pytest.mark.usefixtures("appliance")
def test_an_event_that_is_rolled_back_is_not_stored() -> None:
    with writing() as session:
        webhook(session, "one")
    with pytest.raises(LookupError), writing() as session:
        unreachable(session)
        raise LookupError
    assert messages() == []


@on_both
@pytest.mark.usefixtures("appliance")
def test_an_event_is_stored_for_each_webhook_that_receives_it() -> None:
    with writing() as session:
        one = webhook(session, "one", "host.unreachable.v1", "host.key_changed.v1")
        two = webhook(session, "two")
        webhook(session, "of campaigns", "campaign.ended.v1")
        webhook(session, "disabled", enabled=False)
    with writing() as session:
        host_id = unreachable(session).id
    found = messages()
    assert {row.webhook_id for row in found} == {one, two}
    assert len({(row.message_id, row.body) for row in found}) == 1
    assert bodies()[0] == {
        "type": "host.unreachable.v1",
        "timestamp": bodies()[0]["timestamp"],
        "data": {
            "host": {"id": host_id, "name": "box", "address": "10.0.0.7", "reference": None},
            "reason": "No route to host: 10.0.0.7",
            "last_seen_at": None,
            "links": {"api": f"/api/v1/hosts/{host_id}", "page": f"/hosts/{host_id}"},
        },
    }


@pytest.mark.usefixtures("appliance")
def test_a_host_that_stays_unreachable_is_announced_once() -> None:
    with writing() as session:
        webhook(session, "one")
        host = unreachable(session)
        announce_problem(session, host, "unreachable")
    assert len(messages()) == 1


@pytest.mark.usefixtures("appliance")
def test_a_host_that_comes_and_goes_is_announced_once_per_outage() -> None:
    with writing() as session:
        webhook(session, "one")
        host = unreachable(session)
        for _ in range(3):  # it responds in between
            announce_problem(session, host, "ready")
        assert len(rows(session)) == 1
        host.unreachable_at = now(session) - SAME_OUTAGE
        announce_problem(session, host, "ready")
        assert len(rows(session)) == 2


@pytest.mark.usefixtures("appliance")
def test_a_changed_key_is_announced_with_both_fingerprints() -> None:
    with writing() as session:
        webhook(session, "one")
        host = Host(name="box", connection="ssh", state="key_changed")
        host.approved_key, host.offered_key = KEYS
        session.add(host)
        session.flush()
        announce_problem(session, host, "ready")
    (body,) = bodies()
    assert body["type"] == "host.key_changed.v1"
    shown = {body["data"]["approved_fingerprint"], body["data"]["offered_fingerprint"]}
    assert len(shown) == 2
    assert all(one.startswith("SHA256:") for one in shown)


def judged_campaign(session: Session) -> list[int]:
    """Create a campaign of two ended runs without results; the ids of the runs."""
    first, second = seed_ended_run(session), seed_ended_run(session)
    campaign = session.get_one(Campaign, first.campaign_id)
    campaign.criteria, campaign.reference = [examples.CRITERION], "CHG-7"
    campaign.profile_snapshot = {**campaign.profile_snapshot, "version": 3}
    session.add(CampaignLabel(owner_id=campaign.id, key="rack", value="12"))
    second.campaign_id, second.number = campaign.id, 2
    session.flush()
    return [first.id, second.id]


@on_both
@pytest.mark.usefixtures("appliance")
def test_a_campaign_is_announced_when_its_last_result_is_stored() -> None:
    with writing() as session:
        webhook(session, "one")
        first, second = judged_campaign(session)
    store_ended(first)
    assert [body["type"] for body in bodies()] == ["run.judged.v1"]
    store_ended(second)
    store_ended(second)
    judged, _, ended = bodies()
    assert [body["type"] for body in bodies()] == [
        "run.judged.v1",
        "run.judged.v1",
        "campaign.ended.v1",
    ]
    assert judged["data"]["run"]["id"] == first
    (criterion,) = judged["data"]["criteria"]
    assert criterion["outcome"] == judged["data"]["verdict"]["outcome"]
    data = ended["data"]
    assert (data["campaign"]["state"], data["campaign"]["reference"]) == ("done", "CHG-7")
    assert data["campaign"]["labels"] == {"rack": "12"}
    assert data["profile"]["version"] == 3
    assert data["runs"] == {"done": 2, "failed": 0, "cancelled": 0}
    counts = data["verdict"]
    assert counts["passed"] + counts["failed"] + counts["inconclusive"] == 2
    assert data["links"]["page"] == f"/campaigns/{data['campaign']['id']}"


@pytest.mark.usefixtures("appliance")
def test_the_event_has_the_verdict_that_the_api_shows(appliance: Appliance) -> None:
    with writing() as session:
        webhook(session, "one", "campaign.ended.v1")
        runs = judged_campaign(session)
    for run_id in runs:
        store_ended(run_id)
    (body,) = bodies()
    shown = appliance.viewer.get(f"/campaigns/{body['data']['campaign']['id']}").json()
    sent = body["data"]["verdict"]
    assert sent == {name: shown["verdict"][name] for name in sent}
    assert body["data"]["campaign"]["ended_at"] == shown["ended_at"]


@pytest.mark.usefixtures("appliance")
def test_the_events_of_a_failed_run_have_the_reason_that_the_api_shows(
    appliance: Appliance,
) -> None:
    error = {"code": "no_space", "title": "No trial", "detail": "b: disk full", "remedy": "Free."}
    with writing() as session:
        webhook(session, "one")
        first, second = judged_campaign(session)
        run = session.get_one(Run, second)
        run.state, run.error = "failed", error
    store_ended(first)
    store_ended(second)
    whole, broken, ended = (body["data"] for body in bodies())
    assert whole["run"]["failure"] is None
    reason = {"code": "no_space", "reason": "No trial: b: disk full"}
    assert broken["run"]["failure"] == reason
    assert ended["failures"] == [reason | {"id": second, "title": broken["run"]["title"]}]
    assert ended["runs"]["failed"] == 1
    shown = appliance.viewer.get(f"/runs/{second}").json()["error"]
    assert reason == {"code": shown["code"], "reason": f"{shown['title']}: {shown['detail']}"}


@pytest.mark.usefixtures("appliance")
def test_a_campaign_without_criteria_has_no_verdict_in_its_event() -> None:
    with writing() as session:
        webhook(session, "one")
        run = seed_ended_run(session)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.profile_snapshot = {**campaign.profile_snapshot, "version": 1}
    store_ended(run.id)
    (body,) = bodies()
    assert (body["type"], body["data"]["verdict"]) == ("campaign.ended.v1", None)


@pytest.mark.usefixtures("appliance")
def test_an_active_run_keeps_its_campaign_from_being_announced() -> None:
    with writing() as session:
        webhook(session, "one", "campaign.ended.v1")
        run = seed_ended_run(session)
        active, _, _ = seed_run(session)
        active.campaign_id, active.number = run.campaign_id, 2
    store_ended(run.id)
    assert messages() == []


@pytest.mark.usefixtures("appliance")
def test_a_deleted_campaign_is_not_announced() -> None:
    with writing() as session:
        webhook(session, "one")
        run = seed_ended_run(session)
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.deleted_at = campaign.created_at
    store_ended(run.id)
    assert messages() == []


@pytest.mark.usefixtures("appliance")
def test_a_rebuilt_run_is_announced_only_if_it_had_no_result() -> None:
    with writing() as session:
        webhook(session, "one", "campaign.ended.v1")
        run_id = seed_ended_run(session).id
        campaign = session.get_one(Campaign, session.get_one(Run, run_id).campaign_id)
        campaign.profile_snapshot = {**campaign.profile_snapshot, "version": 1}
    for _ in range(2):
        with writing() as session:
            record.rebuild(session, run_id)
    assert len(messages()) == 1


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("appliance")
def test_of_two_runs_that_are_judged_at_once_the_last_announces_the_campaign(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with writing() as session:
        webhook(session, "one", "campaign.ended.v1")
        runs = judged_campaign(session)
    both, announce = threading.Barrier(2), stored.announce_judged
    evaluated = stored.stored_results.evaluate

    def together(*args: Any) -> Any:
        both.wait(30)
        return evaluated(*args)

    monkeypatch.setattr(stored.stored_results, "evaluate", together)
    monkeypatch.setattr(stored, "announce_judged", announce)
    threads = [threading.Thread(target=store_ended, args=(run_id,)) for run_id in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(messages()) == 1


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("appliance")
def test_deleting_a_webhook_waits_for_an_event_that_is_being_stored(
    appliance: Appliance,
) -> None:
    with writing() as session:
        webhook_id = webhook(session, "one")
    deleting = threading.Thread(target=appliance.operator.delete, args=(f"/webhooks/{webhook_id}",))
    with writing() as session:
        unreachable(session)
        deleting.start()
        deleting.join(0.5)
        assert deleting.is_alive()
    deleting.join(30)
    assert messages() == []
    with reading() as session:
        assert session.scalar(select(Host.state)) == "unreachable"
        assert session.scalar(select(Run.state)) in (None, *lifecycle.FINAL)
