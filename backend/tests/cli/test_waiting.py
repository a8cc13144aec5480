"""Waiting for a campaign: its limit, its interruption, and what is written at its end."""

import os
import signal
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from assay.tables.database import now, reading, writing
from assay.tables.runs import Run
from sqlalchemy import select, update
from testing.api import Appliance
from testing.command_line import run

LAUNCH = ("campaign", "run", "--profile", "first-look", "--target", "web-1:/mnt/a")


class Shell:
    """Runs `assay` against the served appliance, which has a target."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str) -> int:
        """Return the exit code."""
        return run(self._monkeypatch, *arguments)


@pytest.fixture
def shell(port: int, appliance: Appliance, monkeypatch: pytest.MonkeyPatch) -> Shell:
    appliance.target(appliance.host(), "/mnt/a")
    return Shell(monkeypatch)


def after_launch(act: Callable[[], None]) -> threading.Thread:
    """Call `act` in a thread once a run is stored."""

    def watch() -> None:
        while True:
            with reading() as session:
                if session.scalars(select(Run)).first():
                    break
            time.sleep(0.02)
        act()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def finish() -> None:
    with writing() as session:
        session.execute(update(Run).values(state="done", ended_at=now()))


def test_a_campaign_that_takes_longer_than_the_timeout_continues(
    shell: Shell, appliance: Appliance, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.run(*LAUNCH, "--wait", "--timeout", "200 ms") == 1
    assert "campaign 1 has not ended within 0.2 s; it continues" in capsys.readouterr().err
    assert appliance.viewer.get("/campaigns/1").json()["cancel_requested"] is False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("options", "said"),
    [((), "continues"), (("--cancel-on-interrupt",), "is being canceled")],
    ids=["without", "with the option"],
)
def test_an_interrupted_command_cancels_the_campaign_only_if_asked(
    shell: Shell,
    appliance: Appliance,
    capsys: pytest.CaptureFixture[str],
    number: signal.Signals,
    options: tuple[str, ...],
    said: str,
) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

    def interrupt() -> None:
        time.sleep(0.5)  # the command has begun to wait
        os.kill(os.getpid(), number)

    thread = after_launch(interrupt)
    assert shell.run(*LAUNCH, "--wait", *options) == 130
    thread.join()
    assert f"interrupted: campaign 1 {said}" in capsys.readouterr().err
    found = appliance.viewer.get("/campaigns/1").json()
    assert found["cancel_requested"] is bool(options)


def test_results_are_written_for_other_programs(shell: Shell, tmp_path: Path) -> None:
    thread = after_launch(finish)
    junit, markdown = tmp_path / "verdict.xml", tmp_path / "report.md"
    files = ("--junit", str(junit), "--markdown", str(markdown))
    criterion = ("--criterion", "durable.mean >= 1 GB/s")
    assert shell.run(*LAUNCH, *criterion, "--wait", *files) == 98
    thread.join()
    (suite,) = ET.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("3", "1", "0")
    text = markdown.read_text()
    assert text.startswith("# First look, campaign 1: inconclusive\n")
    (judged,) = [line for line in text.splitlines() if line.startswith("| inconclusive |")]
    assert judged.startswith("| inconclusive | `durable.mean >= 1 GB/s` | Write on web-1 /mnt/a |")


@pytest.mark.parametrize("option", ["--junit", "--markdown"])
def test_a_report_that_cannot_be_written_is_an_error(
    shell: Shell, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    thread = after_launch(finish)
    assert shell.run(*LAUNCH, "--wait", option, "/dev/full") == 1
    thread.join()
    assert "/dev/full cannot be written: No space left on device." in capsys.readouterr().err


def test_a_terminal_is_not_imitated_in_a_log(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    thread = after_launch(finish)
    assert shell.run(*LAUNCH, "--wait") == 0
    thread.join()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--junit", "a.xml"), "--junit is only for --wait"),
        (("--timeout", "1 h"), "--timeout is only for --wait"),
        (("--wait", "--timeout", "soon"), "--timeout: 'soon' is not a duration"),
        (("--wait", "--markdown", "/nowhere/a.md"), "--markdown: /nowhere/a.md cannot be written"),
        (("--wait", "--junit", "/tmp"), "--junit: /tmp cannot be written"),
    ],
)
def test_useless_and_wrong_options_are_refused_before_the_launch(
    shell: Shell,
    appliance: Appliance,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    assert shell.run(*LAUNCH, *options) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert appliance.viewer.get("/campaigns").json()["items"] == []
