"""Campaigns over the client: launched once, waited for, judged and read."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from assay.api.app import app
from assay.base.messaging.changes import announce
from assay.client import (
    Assay,
    ChangedError,
    ConflictError,
    InvalidError,
    NotFoundError,
    WaitTimeoutError,
)
from assay.tables.database import now, writing
from assay.tables.runs import Run
from sqlalchemy import update
from testing.api import Appliance
from testing.seeds import TEST, seed_ended_run, seed_run


def end_all() -> None:
    """End all runs, as a worker does."""
    with writing() as session:
        session.execute(update(Run).values(state="done", ended_at=now()))
        for number in session.scalars(update(Run).values(revision=2).returning(Run.campaign_id)):
            announce(f"campaign:{number}", after=session)


@pytest.fixture
def plan(assay: Assay, appliance: Appliance) -> dict[str, object]:
    appliance.target(appliance.host("lab1"), "/mnt/disk")
    assay.profiles.create({"name": "Short", "body": {"tests": [TEST]}})
    return {"profile": "short", "targets": ["lab1/mnt/disk"], "labels": {"change": "firmware"}}


def test_a_campaign_is_launched_once_with_a_key(assay: Assay, plan: dict[str, object]) -> None:
    assert assay.campaigns.estimate(plan).run_count == 1
    first = assay.campaigns.launch(plan, key="job-17")
    assert assay.campaigns.launch(plan, key="job-17").id == first.id
    assert [one.id for one in assay.campaigns.list(label="change")] == [first.id]
    with pytest.raises(InvalidError) as refused:
        assay.campaigns.launch(plan | {"name": "other"}, key="job-17")
    assert refused.value.code == "idempotency_key_reused"


def test_a_campaign_is_found_by_the_names_of_what_it_measured(
    assay: Assay, appliance: Appliance, plan: dict[str, object]
) -> None:
    appliance.target(appliance.host("lab2"), "/mnt/disk")
    (first, second) = (
        assay.campaigns.launch(plan | {"targets": [f"{host}/mnt/disk"]}).id
        for host in ("lab1", "lab2")
    )
    for listed in (assay.campaigns.list, assay.runs.list):
        assert [one.id for one in listed(target="lab1/mnt/disk")] == [first]
        assert [one.id for one in listed(host="lab2")] == [second]
        assert [one.id for one in listed(profile="Short", sort="id")] == [first, second]
        assert list(listed(profile="First look")) == []
        assert [one.id for one in listed(since="2020-01-01", sort="id")] == [first, second]
        assert list(listed(until="2020-01-01")) == []


def test_waiting_returns_when_the_campaign_has_ended(assay: Assay, plan: dict[str, object]) -> None:
    campaign = assay.campaigns.launch(plan)
    worker = threading.Timer(0.3, end_all)
    worker.start()
    ended = assay.campaigns.wait(campaign.id, timeout_s=60)
    worker.join()
    assert (ended.id, ended.state) == (campaign.id, "done")


def test_a_campaign_that_does_not_end_in_time_continues(
    assay: Assay, plan: dict[str, object]
) -> None:
    campaign = assay.campaigns.launch(plan)
    with pytest.raises(WaitTimeoutError, match=r"has not ended within 0\.2 s") as late:
        assay.campaigns.wait(campaign.id, timeout_s=0.2)
    assert isinstance(late.value, TimeoutError)
    assert late.value.campaign is not None and late.value.campaign.state == "queued"
    assert not assay.campaigns.get(campaign.id).cancel_requested
    assert assay.campaigns.cancel(campaign.id).cancel_requested


@contextlib.contextmanager
def serving(port: int) -> Iterator[None]:
    config = uvicorn.Config(app, port=port, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield
    server.should_exit = True
    thread.join()


def test_waiting_survives_a_restart_of_the_server(appliance: Appliance) -> None:
    with writing() as session:
        number = seed_run(session)[0].campaign_id
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with Assay(f"http://127.0.0.1:{port}", appliance.viewer.token) as assay:
        states: list[str] = []
        followed = assay.campaigns.follow(number, timeout_s=60, every_s=0.1)
        with serving(port):
            states.append(next(followed).state)
        threading.Timer(1.5, end_all).start()
        waiting = threading.Thread(target=lambda: states.extend(one.state for one in followed))
        waiting.start()
        time.sleep(1.2)  # the client has asked a server that is away
        with serving(port):
            waiting.join()
    assert states[-1] == "done"


def test_waiting_for_a_campaign_that_is_not_there_is_an_error(assay: Assay) -> None:
    with pytest.raises(NotFoundError):
        assay.campaigns.wait(999, timeout_s=60)


def test_results_have_the_types_of_their_kind(assay: Assay) -> None:
    with writing() as session:
        run = seed_ended_run(session)
        number, campaign = run.id, run.campaign_id
    (found,) = assay.campaigns.results(campaign)
    assert found.run.id == found.result.run_id == number
    assert type(found.result).__name__ == "MatrixResult"
    assert found.result == assay.runs.result(number)
    assert len(list(assay.runs.trials(number))) == 3
    assert assay.text(f"/runs/{number}/result.csv").count("\n") == 1 + 1  # a title and a cell
    with pytest.raises(NotFoundError):
        assay.text("/runs/999/result.csv")
    assert assay.runs.get(number).participants[0].labels == {}
    assert assay.campaigns.verdict(campaign).outcome is None


def test_labels_of_a_campaign_that_are_changed_at_the_same_time_are_merged(
    assay: Assay, plan: dict[str, object]
) -> None:
    number = assay.campaigns.launch(plan).id
    threads = [
        threading.Thread(target=assay.campaigns.label, args=(number, {f"key-{n}": str(n)}))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = assay.campaigns.label(number, {"change": None})
    assert found.labels == {f"key-{n}": str(n) for n in range(4)}


def test_a_change_of_an_outdated_campaign_is_rejected(
    assay: Assay, plan: dict[str, object]
) -> None:
    first = assay.campaigns.launch(plan)
    assay.campaigns.change(first.id, {"name": "renamed"}, etag=first.etag)
    with pytest.raises(ChangedError):
        assay.campaigns.change(first.id, {"name": "again"}, etag=first.etag)
    with pytest.raises(ChangedError):
        assay.campaigns.delete(first.id, cancel=True, etag=first.etag)


def test_a_campaign_is_renamed_labeled_noted_seen_deleted_and_restored(assay: Assay) -> None:
    with writing() as session:
        number = seed_ended_run(session).campaign_id
    assert assay.campaigns.change(number, {"name": "Second try"}).name == "Second try"
    assay.campaigns.label(number, {"rack": "b7", "row": "2"})
    assert assay.campaigns.label(number, {"row": None}).labels == {"rack": "b7"}
    assert assay.campaigns.write_notes(number, "*Fan* replaced").text == "*Fan* replaced"
    assert assay.campaigns.notes(number).text == "*Fan* replaced"
    with writing() as session:
        session.execute(update(Run).values(state="failed", ended_at=now()))
    assert assay.campaigns.mark_seen(number).seen_by
    assert assay.campaigns.mark_unseen(number).needs_attention
    assert [one.id for one in assay.campaigns.list(needs_attention=True)] == [number]
    assert assay.campaigns.delete(number).id == number
    with pytest.raises(NotFoundError):
        assay.campaigns.get(number)
    assert assay.campaigns.undelete(number).id == number


def test_an_active_campaign_is_deleted_only_with_cancel(
    assay: Assay, plan: dict[str, object]
) -> None:
    campaign = assay.campaigns.launch(plan)
    with pytest.raises(ConflictError) as refused:
        assay.campaigns.delete(campaign.id)
    assert refused.value.code == "campaign_active"
    assay.campaigns.delete(campaign.id, cancel=True)


def test_a_campaign_is_launched_again_from_its_plan(assay: Assay, plan: dict[str, object]) -> None:
    first = assay.campaigns.launch(plan)
    again = assay.campaigns.plan(first.id)
    again.name = "Once more"
    second = assay.campaigns.launch(again)
    assert (second.name, second.parameters) == ("Once more", first.parameters)
