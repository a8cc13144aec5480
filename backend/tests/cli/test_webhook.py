"""`assay webhook`: create, list, test, deliveries, resend and delete, against a served API.

The messages are sent here as by the scheduler's process: claimed and recorded.
"""

import json
import threading
import time
from collections.abc import Iterator

import pytest
from assay.api.webhooks.deliveries import AttemptResult, claim, due, record
from assay.cli.console import output
from assay.tables.database import reading
from testing.api import Appliance
from testing.command_line import run

URL = "https://ci.example.com/hook"
ANSWERS = {
    "good": AttemptResult(duration_ns=84_000_000, status=204, answer=""),
    "bad": AttemptResult(
        duration_ns=2_000_000, status=500, answer="", error="The receiver answered 500."
    ),
}


@pytest.fixture
def sender(appliance: Appliance) -> Iterator[dict[str, AttemptResult]]:
    """Records what its entry `now` is for each message that is due."""
    answer = {"now": ANSWERS["good"]}
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.02):
            with reading() as session:
                found = due(session, 10, 10)
            for delivery_id, _ in found:
                if (message := claim(delivery_id, "test")) is not None:
                    record(message, answer["now"])

    thread = threading.Thread(target=work)
    thread.start()
    yield answer
    stop.set()
    thread.join()


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_a_webhook_is_added_tested_resent_and_deleted(
    appliance: Appliance,
    port: int,
    sender: dict[str, AttemptResult],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(output, "width", 300)
    assert run(monkeypatch, "webhook", "add", "CI", URL, "--event", "run.judged.v1") == 0
    assert printed(capsys).strip().startswith("whsec_")
    assert run(monkeypatch, "webhook", "test", "CI") == 0
    assert "204 in 84 ms" in printed(capsys)
    sender["now"] = ANSWERS["bad"]
    assert run(monkeypatch, "webhook", "test", "CI", "--json") == 1
    failed = json.loads(printed(capsys))
    assert (failed["state"], failed["attempts"]) == ("failed", 1)
    sender["now"] = ANSWERS["good"]
    assert run(monkeypatch, "webhook", "resend", "CI", str(failed["id"])) == 0
    assert run(monkeypatch, "webhook", "deliveries", "CI", "--state", "delivered", "--json") == 0
    found = json.loads(printed(capsys).partition("\n")[2])
    assert [one["attempts"] for one in found] == [2, 1]
    assert run(monkeypatch, "webhook", "deliveries", "CI") == 0
    assert "webhook.test.v1" in printed(capsys)
    assert run(monkeypatch, "webhook", "list") == 0
    listed = printed(capsys)
    assert URL in listed and "run.judged.v1" in listed and "delivered" in listed
    assert run(monkeypatch, "webhook", "delete", "CI") == 0
    assert run(monkeypatch, "webhook", "list", "--json") == 0
    assert json.loads(printed(capsys).partition("\n")[2]) == []


def test_an_unknown_webhook_is_named_with_the_nearest_one(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, "webhook", "add", "Pipeline", URL) == 0
    assert run(monkeypatch, "webhook", "test", "Pipelin") == 2
    assert "Did you mean `Pipeline`?" in " ".join(capsys.readouterr().err.split())


def test_private_addresses_are_allowed_by_an_option(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = "http://127.0.0.1:9/"
    assert run(monkeypatch, "webhook", "add", "here", url) == 2
    assert "not a public address" in " ".join(capsys.readouterr().err.split())
    assert run(monkeypatch, "webhook", "add", "here", url, "--private-addresses", "--json") == 0
    assert json.loads(printed(capsys))["private_addresses"] is True


def test_a_message_that_nobody_sends_is_reported(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("assay.cli.webhook.WAIT_S", 0.2)
    began = time.monotonic()
    assert run(monkeypatch, "webhook", "add", "CI", URL) == 0
    assert run(monkeypatch, "webhook", "test", "CI") == 1
    assert "Is the scheduler running?" in " ".join(capsys.readouterr().err.split())
    assert time.monotonic() - began < 30
