"""What commands print: JSON for programs, tables of 80 columns for people."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from assay.cli.console import output
from assay.kinds.programs import EXAMPLE
from assay.tables.database import now, writing
from assay.tables.runs import Run
from assay.tables.targets import Target
from sqlalchemy import select, update
from testing.api import FOUND, Appliance
from testing.command_line import run
from testing.seeds import seed_ended_run

LONG = "array-of-the-second-floor-with-a-long-name"


class Command:
    """Runs `assay` and returns what it printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def text(self, *arguments: str, code: int = 0) -> str:
        assert run(self._monkeypatch, *arguments) == code
        return self._capsys.readouterr().out

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.text(*arguments, "--json", code=code))


@pytest.fixture
def command(
    port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.setattr(output, "width", 80)
    return Command(monkeypatch, capsys)


def finish(campaign_id: int) -> threading.Thread:
    """End the runs of a campaign as soon as it is launched."""

    def work() -> None:
        of_it = Run.campaign_id == campaign_id
        while True:
            with writing() as session:
                if session.scalars(select(Run).where(of_it)).first():
                    ended = update(Run).where(of_it).values(state="done", ended_at=now())
                    session.execute(ended)
                    return
            time.sleep(0.02)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_commands_print_the_documents_of_the_api(
    command: Command, appliance: Appliance, tmp_path: Path
) -> None:
    host = appliance.host("web [1]")
    appliance.target(host, "/mnt/a")
    with writing() as session:
        ended = seed_ended_run(session)
        run_id, number = ended.id, str(ended.campaign_id)
        session.execute(update(Target).values(facts=FOUND))
    made = command.json("token", "create", "--role", "viewer", "--name", "ci")
    assert (made["name"], made["role"]) == ("ci", "viewer")
    assert made["token"].startswith("assay_")
    (listed,) = [one for one in command.json("host", "list") if one["id"] == host]
    assert listed == appliance.viewer.get(f"/hosts/{host}").json()
    (listed,) = command.json("campaign", "list")
    assert listed == appliance.viewer.get(f"/campaigns/{number}").json()
    assert command.json("campaign", "rename", number, "vault")["name"] == "vault"
    labeled = command.json("campaign", "label", number, "rack=b7")
    assert labeled == {"labels": {"rack": "b7"}, "reference": None}
    assert command.json("campaign", "note", number, "Fan replaced")["text"] == "Fan replaced"
    assert command.json("campaign", "note", number)["text"] == "Fan replaced"
    assert "undo_until" in command.json("campaign", "delete", number)
    assert command.json("campaign", "undelete", number)["name"] == "vault"
    assert command.json("rebuild", str(run_id))["run_id"] == run_id
    (tmp_path / "tool.json").write_text(json.dumps(EXAMPLE))
    defined = command.json("tool", "define", str(tmp_path / "tool.json"))
    assert defined["definition"]["name"] == EXAMPLE["name"]
    assert defined in command.json("tool", "list")


def test_a_launch_prints_the_campaign_and_with_wait_its_results(
    command: Command, appliance: Appliance
) -> None:
    appliance.target(appliance.host("web-1"), "/mnt/a")
    launch = ("campaign", "run", "--profile", "first-look", "--target", "web-1/mnt/a")
    launched = command.json(*launch)
    assert launched["campaign"]["id"] == 1
    assert (launched["verdict"], launched["results"]) == (None, [])
    appliance.operator.post("/campaigns/1/cancel")
    worker = finish(2)
    ended = command.json(*launch, "--criterion", "durable.mean >= 1 GB/s", "--wait", code=98)
    worker.join()
    assert ended["campaign"]["state"] == "done"
    assert ended["verdict"]["outcome"] == "inconclusive"
    assert [one["run_id"] for one in ended["results"]] == [
        one["id"] for one in ended["campaign"]["runs"]
    ]
    again = command.json("campaign", "rerun", str(ended["campaign"]["id"]))
    assert again["campaign"]["parameters"] == ended["campaign"]["parameters"]


def test_grids_of_a_campaign_are_json_as_well(command: Command, appliance: Appliance) -> None:
    for name in ("one", "other"):
        appliance.host(name)
    ends = [word for name in ("one", "other") for word in ("--source", name)]
    launch = ("campaign", "run", "--profile", "fdt-memory-to-memory", *ends)
    number = str(command.json(*launch, "--arrangement", "mesh")["campaign"]["id"])
    found = command.json("campaign", "mesh", number)
    assert found == appliance.viewer.get(f"/campaigns/{number}/mesh").json()
    assert command.text("campaign", "mesh", number, "--format", "json") == command.text(
        "campaign", "mesh", number, "--json"
    )


def test_results_fit_80_columns_without_losing_a_letter(
    command: Command, appliance: Appliance
) -> None:
    hosts = [appliance.host(f"{LONG}-{number}") for number in range(2)]
    for host in hosts:
        appliance.target(host, f"/mnt/{LONG}")
    launch = ("campaign", "run", "--profile", "first-look", "--target", f"{LONG}-0/mnt/{LONG}")
    worker = finish(1)
    criterion = ("--criterion", "durable.mean >= 1 GB/s")
    results = command.text(*launch, "--name", LONG, *criterion, "--wait", code=98)
    worker.join()
    grid = [line for line in results.splitlines() if set(line) & set("│┃┏├└")]
    assert grid
    assert max(map(len, grid)) <= 80
    assert "…" not in "".join(grid)
