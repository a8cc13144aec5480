"""Log lines as JSON, with the ids of what they are about."""

import asyncio
import io
import json
import logging

import pytest
from assay.api.app import app
from assay.base import logs
from assay.base.settings import settings
from fastapi.testclient import TestClient
from testing.api import Appliance

log = logging.getLogger("assay.somewhere")


def formatted(record: logging.LogRecord) -> dict[str, object]:
    made = logs.handler("api")
    for one in made.filters:
        assert one.filter(record)  # pyright: ignore[reportAttributeAccessIssue]
    return json.loads(made.format(record))


def test_a_line_has_time_level_logger_process_and_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log.warning("queue %s: not sent", "a")
    found = formatted(caplog.records[-1])
    assert found.pop("time")
    assert found == {
        "level": "WARNING",
        "logger": "assay.somewhere",
        "process": "api",
        "message": "queue a: not sent",
    }


def test_an_exception_stays_on_its_line(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        log.exception("failed")
    record = caplog.records[-1]
    assert "\n" not in logs.handler("api").format(record)
    assert "ValueError: two\nlines" in str(formatted(record)["exc_info"])


@pytest.mark.parametrize(
    "text", ["a\nWARNING: b", "a\r\nb", "\x1b[2J\x1b]0;t\x07", "a\u202eb\u2028c", "\ud800"]
)
def test_a_message_is_one_line_of_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a host or a user sent is no message of its own."""
    monkeypatch.setattr(settings(), "log_format", "text")
    before, written = logging.getLogRecordFactory(), logging.StreamHandler(io.StringIO())
    try:
        logs.configure("worker")
        log.addHandler(written)
        log.warning("the host says %s", text)
    finally:
        logging.setLogRecordFactory(before)
        log.removeHandler(written)
    (line,) = written.stream.getvalue().splitlines()
    assert line.isprintable()
    assert line.startswith("the host says ")


def test_ids_belong_to_the_task_that_set_them(caplog: pytest.LogCaptureFixture) -> None:
    async def drive(run: int, trial: int) -> None:
        logs.run_id.set(run)
        with logs.of_trial(trial):
            await asyncio.sleep(0)
            seen[run] = formatted(_now())
        after[run] = formatted(_now())

    def _now() -> logging.LogRecord:
        log.warning("x")
        return caplog.records[-1]

    async def both() -> None:
        await asyncio.gather(drive(1, 11), drive(2, 22))

    seen: dict[int, dict[str, object]] = {}
    after: dict[int, dict[str, object]] = {}
    asyncio.run(both())
    assert [(one["run_id"], one["trial_id"]) for one in (seen[1], seen[2])] == [(1, 11), (2, 22)]
    assert all("trial_id" not in one for one in after.values())


def test_a_line_of_a_program_without_json_becomes_json() -> None:
    assert logs.line("queue", '{"level": "INFO"}') == '{"level": "INFO"}'
    assert json.loads(logs.line("queue", "# Server \x1b[1mready"))["message"]


def test_a_response_carries_the_clients_request_id_or_a_new_one(appliance: Appliance) -> None:
    given = appliance.http.get("/api/v1/health", headers={logs.REQUEST_ID: "pipeline-7.a"})
    assert given.headers[logs.REQUEST_ID] == "pipeline-7.a"
    odd = appliance.http.get("/api/v1/health", headers={logs.REQUEST_ID: "a b\tc" * 30})
    assert len(odd.headers[logs.REQUEST_ID]) == 16


def test_an_unexpected_error_and_its_log_line_have_the_requests_id(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("assay.history.health.queries.health", broken)
    written, handler = io.StringIO(), logs.handler("api")
    handler.setStream(written)
    logging.getLogger().addHandler(handler)
    client = TestClient(app, raise_server_exceptions=False)
    answer = client.get("/api/v1/health", headers={logs.REQUEST_ID: "pipeline-8"})
    assert answer.status_code == 500
    assert answer.json()["request_id"] == answer.headers[logs.REQUEST_ID] == "pipeline-8"
    logging.getLogger().removeHandler(handler)
    (line,) = map(json.loads, written.getvalue().splitlines())
    assert line["request_id"] == "pipeline-8"
    assert "ZeroDivisionError" in line["exc_info"]
