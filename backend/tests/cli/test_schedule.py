"""`assay schedule`, against the API."""

import json
from pathlib import Path
from typing import Any

import pytest
from assay.base.nouns import NOUNS
from assay.cli.console import CommandError
from assay.cli.schedule import blackouts
from testing.api import Appliance
from testing.command_line import run

NIGHTLY = ("--cron", "30 2 * * *", "--zone", "Europe/Berlin")


@pytest.fixture
def said(port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run `assay schedule` with arguments; return what it printed."""

    def call(*arguments: str, code: int = 0) -> str:
        assert run(monkeypatch, "schedule", *arguments) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return call


@pytest.fixture
def target(appliance: Appliance) -> str:
    appliance.target(appliance.host())
    return "web-1/mnt/a"


def test_a_schedule_is_added_listed_paused_run_and_deleted(
    appliance: Appliance, said: Any, target: str
) -> None:
    what = ("--profile", "First look", "--target", target, "--label", "series=nightly")
    more = ("--blackout", "fri 22:00-06:00", "--grace", "30 min")
    added = said("add", "every night", *NIGHTLY, *what, *more)
    assert "active: every night" in added
    assert "At 02:30 every day, Europe/Berlin" in added
    assert added.count("next: ") == 5
    (found,) = json.loads(said("list", "--json"))
    assert found["grace_s"] == 1800
    assert found["weekly_blackouts"] == [{"days": ["fri"], "start": "22:00", "end": "06:00"}]
    assert found["plan"]["labels"] == {"series": "nightly"}
    assert "every night" in said("list")
    assert "paused: every night" in said("pause", "every night")
    assert json.loads(said("list", "--state", "active", "--json")) == []
    assert "active: every night" in said("resume", str(found["id"]))
    campaign = json.loads(said("run", "every night", "--json"))
    assert campaign["schedule_id"] == found["id"]
    shown = said("show", "every night")
    assert f"launched: campaign {campaign['id']}" in shown
    assert len(json.loads(said("show", "every night", "--json"))["firings"]) == 1
    assert "deleted: every night" in said("delete", "every night")
    assert appliance.viewer.get("/schedules").json()["items"] == []


def test_a_schedule_launches_what_a_campaign_or_a_file_says(
    appliance: Appliance, said: Any, target: str, tmp_path: Path
) -> None:
    plan = {"profile": "First look", "targets": [target]}
    campaign = appliance.operator.post("/campaigns", plan).json()
    said("add", "like it", *NIGHTLY, "--like", str(campaign["id"]))
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    said("add", "from a file", *NIGHTLY, "--plan", str(tmp_path / "plan.json"))
    found = {one["name"]: one["plan"] for one in json.loads(said("list", "--json"))}
    ids = campaign["parameters"]["target_ids"]
    assert found["like it"]["target_ids"] == found["from a file"]["target_ids"] == ids
    assert found["from a file"]["profile"] == "First look"


def test_a_schedule_takes_what_a_campaign_takes(
    appliance: Appliance, said: Any, target: str
) -> None:
    what = ["--profile", "First look", "--target", target, "--reference", "CHG-7"]
    what += ["--file-size", "40 MB", "--repeats", "2", "--set", "threads=1,2", "--label", "a=b"]
    what += ["--criterion", "durable.mean >= 1 MB/s"]
    said("add", "as asked", *NIGHTLY, *what)
    (found,) = json.loads(said("list", "--json"))
    plan = found["plan"]
    assert plan["overrides"]["repeats"] == 2 and plan["overrides"]["threads"] == [1, 2]
    assert plan["reference"] == "CHG-7"
    assert [one["criterion"] for one in plan["criteria"]] == ["durable.mean >= 1 MB/s"]
    campaign = json.loads(said("run", "as asked", "--json"))
    assert (campaign["reference"], campaign["labels"]) == ("CHG-7", {"a": "b"})
    wrong = said("add", "y", *NIGHTLY, "--profile", "First look", "--rate", "1 MB/s", code=2)
    assert "--rate: no test of the profile 'First look' has this value" in wrong
    wrong = said("add", "y", *NIGHTLY, *what[:4], "--repeats", "0", code=2)
    assert "--repeats" in wrong and "overrides" not in wrong


@pytest.mark.parametrize("command", ["run", "add"])
@pytest.mark.parametrize(
    ("given", "option"),
    [
        (("--target", "x"), "--target is 'x'. `assay target list` lists them."),
        (("--target", "TARGET", "--criterion", "nonsense"), "--criterion is 'nonsense'."),
        (("--target", "TARGET", "--read-back-at", "x"), "--read-back-at is 'x'."),
        (("--target", "TARGET", "--reference", "x" * 300), "--reference: "),
        (("--target", "TARGET", "--label", "result=" + "x" * 300), "--label: "),
        (("--target", "TARGET", "--sink", "x"), "--sink: "),
        (("--source", "x", "--sink", "x"), "--source: there is no such target; --sink: there is"),
        ((), "--target: "),
    ],
)
def test_a_wrong_field_of_the_plan_is_named_by_its_option(
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    target: str,
    command: str,
    given: tuple[str, ...],
    option: str,
) -> None:
    options = [target if one == "TARGET" else one for one in given]
    launch = {"run": ("campaign", "run"), "add": ("schedule", "add", "x", *NIGHTLY)}[command]
    assert run(monkeypatch, *launch, "--profile", "First look", *options) == 2
    told = capsys.readouterr().err
    assert option in " ".join(told.split()), told
    assert "plan." not in told and "/api/" not in told, told


@pytest.mark.parametrize("other", ["--like", "--plan"])
def test_options_beside_a_whole_plan_are_refused(said: Any, target: str, other: str) -> None:
    given = ("--together", "--set", "repeats=3", "--scale-out")
    wrong = said("add", "x", *NIGHTLY, other, "7", *given, code=2)
    assert "--together, --scale-out, --set: only for --profile" in wrong


def test_mistakes_are_explained(said: Any, target: str, tmp_path: Path) -> None:
    assert "one of --profile, --like and --plan" in said("add", "x", *NIGHTLY, code=2)
    never = said(
        *("add", "x", "--cron", "0 2 31 2 *", "--profile", "First look", "--target", target), code=2
    )
    assert "never fires" in never
    (tmp_path / "plan.json").write_text("[")
    bad = said("add", "x", *NIGHTLY, "--plan", str(tmp_path / "plan.json"), code=2)
    assert "cannot be read as JSON" in bad
    assert "There is no schedule 'x'" in said("pause", "x", code=2)
    assert "is not a duration" in said(
        "add", "x", *NIGHTLY, "--profile", "First look", "--grace", "soon", code=2
    )


@pytest.mark.parametrize("noun", sorted(NOUNS))
def test_a_command_that_errors_name_exists(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], noun: str
) -> None:
    assert run(monkeypatch, noun, "list", "--help") == 0
    assert f"{noun} list" in capsys.readouterr().out


def test_blackouts_are_written_as_ranges_of_days_or_dates() -> None:
    found = blackouts(["Mon-Wed,sat 08:00-18:00", "2026-12-24T00:00/2027-01-02T00:00"])
    assert found["weekly_blackouts"] == [
        {"days": ["mon", "tue", "wed", "sat"], "start": "08:00", "end": "18:00"}
    ]
    assert found["dated_blackouts"] == [{"start": "2026-12-24T00:00", "end": "2027-01-02T00:00"}]
    assert blackouts(["fri-mon 00:00-24:00"])["weekly_blackouts"][0]["days"] == [
        *("fri", "sat", "sun", "mon")
    ]
    for text in ("mon", "montag 08:00-10:00", "mon 8-10"):
        with pytest.raises(CommandError, match="--blackout"):
            blackouts([text])
