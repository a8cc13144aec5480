"""The command line, against the API."""

import json
import re
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from assay.analysis.edition import EDITION
from assay.base.settings import settings
from assay.cli import connection
from assay.cli.console import output
from assay.cli.launching import expected_words
from assay.cli.results import doing
from assay.runs import examples
from assay.runs.campaigns.schemas import ExpectedDuration
from assay.runs.recording.ingest import ingest
from assay.runs.schemas import RunSummary
from assay.tables.accounts import ApiToken
from assay.tables.campaigns import Campaign
from assay.tables.database import now, reading, writing
from assay.tables.runs import Participant, Run
from assay.tables.targets import Target
from sqlalchemy import select, update
from testing.api import FOUND, Appliance, Caller
from testing.command_line import run as _run
from testing.seeds import TEST, seed_ended_run, seed_run
from testing.spools import Spool


def test_a_created_token_works(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "token", "create", "--role", "viewer", "--name", "ci") == 0
    caller = Caller(appliance.http, capsys.readouterr().out.strip())
    assert caller.get("/hosts").status_code == 200
    assert appliance.audit()[0]["actor"] == "command line"


def test_no_local_token_is_created_for_another_appliance(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_URL", "http://assay.example:8080")
    monkeypatch.setenv("ASSAY_TOKEN", str(appliance.admin.token))
    assert _run(monkeypatch, "token", "create", "--role", "viewer", "--name", "far") == 2
    assert "http://assay.example:8080" in capsys.readouterr().err
    assert appliance.audit() == []


def test_only_an_ended_run_is_rebuilt(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with writing() as session:
        ended, active = seed_ended_run(session).id, seed_run(session)[0].id
    for build in (1, 2):
        assert _run(monkeypatch, "rebuild", str(ended)) == 0
        told = f"Run {ended}: result {build}, by version {EDITION} of the rules."
        assert capsys.readouterr().out.strip() == told
    assert _run(monkeypatch, "rebuild", str(active)) == 2
    assert f"Run {active} is running." in capsys.readouterr().err
    assert _run(monkeypatch, "rebuild", "999") == 2
    assert "999" in capsys.readouterr().err


def test_an_unknown_role_is_rejected(
    configured: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "token", "create", "--role", "king", "--name", "ci") == 2
    assert "king" in capsys.readouterr().err


def test_hosts_are_listed_with_their_targets(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    appliance.target(appliance.host("web [1]", connection="local"), "/mnt/a")
    assert _run(monkeypatch, "host", "list") == 0
    shown = capsys.readouterr().out
    for word in ("web [1]", "this machine", "ready", "16 CPUs", "/mnt/a", "900 GB"):
        assert word in shown


def test_hosts_of_another_appliance_are_listed(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    appliance.target(appliance.host("far away", connection="local"), "/mnt/a")
    monkeypatch.setenv("ASSAY_TOKEN", appliance.viewer.token or "")
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{port}")
    assert _run(monkeypatch, "host", "list") == 0
    shown = capsys.readouterr().out
    for word in ("far away", "this machine", "16 CPUs", "/mnt/a", "900 GB"):
        assert word in shown


def test_escapes_and_markup_in_a_name_are_escaped(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    appliance.host("[red]web\x1b[2J\u202e")
    monkeypatch.setattr(output, "width", 200)
    assert _run(monkeypatch, "host", "list") == 0
    assert r"[red]web\x1b[2J\u202e" in capsys.readouterr().out


def test_a_line_break_in_a_path_is_escaped(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = appliance.target(appliance.host(), "/mnt/a\n99  /mnt/b")
    monkeypatch.setattr(output, "width", 200)
    assert _run(monkeypatch, "host", "list") == 0
    assert rf"{target}  /mnt/a\n99  /mnt/b" in capsys.readouterr().out


def test_migrate_creates_the_tables_and_prints_a_setup_code(
    on: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "migrate") == 0
    assert re.search(r"[A-Z2-9]{4}(-[A-Z2-9]{4}){3}", capsys.readouterr().out)
    assert _run(monkeypatch, "token", "create", "--role", "viewer", "--name", "ci") == 0


def test_a_missing_database_is_reported_in_one_line(
    on: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "host", "list") == 2
    error = capsys.readouterr().err
    assert "assay migrate" in error
    assert "Traceback" not in error


def test_a_campaign_is_launched_watched_and_shown(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    appliance.target(appliance.host(), "/mnt/a")

    def finish() -> None:
        while True:
            with writing() as session:
                if session.scalars(select(Run)).first():
                    session.execute(update(Run).values(state="done", ended_at=now()))
                    return
            time.sleep(0.02)

    worker = threading.Thread(target=finish)
    worker.start()
    options = ["--profile", "FileCatalyst default write", "--target", "web-1:/mnt/a", "--wait"]
    assert _run(monkeypatch, "campaign", "run", *options, "--file-size", "20000000") == 0
    worker.join()
    shown = " ".join(capsys.readouterr().out.split())
    assert "on web-1 /mnt/a: durable rate" in shown
    for word in ("campaign 1", "64 KiB", "4 MiB", "1 thread", "8 threads"):
        assert word in shown
    with reading() as session:
        names = session.scalars(select(ApiToken.name)).all()
    assert "command line" not in names
    done = [(entry["actor"], entry["action"]) for entry in appliance.audit()]
    assert done[0] == ("command line", "token.deleted")
    assert ("command line", "token.created") in done


def test_a_scale_out_is_printed_as_table_json_and_csv(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    test = {"kind": "sustained", "title": "Long write", "length": 10**9}
    appliance.operator.post("/profiles", {"name": "Scale", "body": {"tests": [test]}})
    for name in ("web-1", "web-2"):
        appliance.target(appliance.host(name), "/mnt/a")
    targets = ["--target", "web-1:/mnt/a", "--target", "web-2:/mnt/a"]
    launch = ["campaign", "run", "--profile", "Scale", *targets]
    assert _run(monkeypatch, *launch, "--scale-out", "--together") == 2
    capsys.readouterr()
    assert _run(monkeypatch, *launch, "--scale-out") == 0
    capsys.readouterr()
    assert _run(monkeypatch, "campaign", "scale-out", "1") == 0
    assert "Scale-out of Long write, MB/s" in capsys.readouterr().out
    assert _run(monkeypatch, "campaign", "scale-out", "1", "--format", "json") == 0
    (curve,) = json.loads(capsys.readouterr().out)["curves"]
    assert [len(run["parts"]) for run in curve["runs"]] == [1, 2]
    assert _run(monkeypatch, "campaign", "scale-out", "1", "--format", "csv") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 1 + 2


def test_a_campaign_that_fails_exits_with_one(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = appliance.target(appliance.host(state="ready"))
    monkeypatch.setenv("ASSAY_TOKEN", appliance.operator.token or "")
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{port}")

    def cancel() -> None:
        while not (items := appliance.viewer.get("/campaigns").json()["items"]):
            time.sleep(0.02)
        with writing() as session:
            session.execute(update(Run).values(state="cancelled", ended_at=now()))
        assert items[0]["created_by"] == "token operator"

    worker = threading.Thread(target=cancel)
    worker.start()
    options = ["--profile", "first-look", "--target", str(target), "--wait"]
    assert _run(monkeypatch, "campaign", "run", *options) == 1
    worker.join()
    shown = capsys.readouterr()
    assert "is cancelled" in shown.err
    assert "The run was canceled: none of the planned trials was completed." in shown.out


def test_a_campaign_is_launched_again_as_it_was(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = appliance.target(appliance.host())
    options = ["--profile", "first-look", "--target", str(target), "--repeats", "2"]
    options += ["--label", "change=firmware", "--reference", "CHG-3310"]
    assert _run(monkeypatch, "campaign", "run", *options, "--name", "Before") == 0
    assert _run(monkeypatch, "campaign", "rerun", "1") == 0
    first, second = (appliance.viewer.get(f"/campaigns/{number}").json() for number in (1, 2))
    assert (second["name"], second["parameters"]) == ("Before", first["parameters"])
    assert (second["labels"], second["reference"]) == ({"change": "firmware"}, "CHG-3310")
    read = first["runs"][1]
    assert read["title"] != first["runs"][0]["title"]
    only = ["--run", str(read["id"]), "--name", "Only the read"]
    assert _run(monkeypatch, "campaign", "rerun", "1", *only) == 0
    third = appliance.viewer.get("/campaigns/3").json()
    assert third["name"] == "Only the read"
    assert [run["title"] for run in third["runs"]] == [read["title"]]
    capsys.readouterr()
    assert _run(monkeypatch, "campaign", "rerun", "99") == 2
    assert "99" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "runs", "words"),
    [
        (2220, 4, "about 37 min, from 4 runs since 2026-11-03"),
        (17.4, 1, "about 17 s, from a run of 2026-11-03"),
    ],
)
def test_an_expected_duration_names_its_runs(seconds: float, runs: int, words: str) -> None:
    since = "2026-11-03T09:12:44Z"
    expected = {"seconds": seconds, "run_ids": list(range(runs)), "since": since}
    assert expected_words(ExpectedDuration.model_validate(expected)) == words


@pytest.mark.parametrize(
    ("profile_criterion", "launch_criterion", "code"),
    [
        ("durable.mean >= 4 MB/s", "stall.max < 1 s", 0),
        ("durable.mean >= 4 MB/s", "durable.min > 1250 MB/s", 99),
        ("durable.mean >= 4 MB/s", "write.p99.9 < 1 s", 98),
        ("write.p99.9 < 1 s", "durable.min > 1250 MB/s", 99),
    ],
)
def test_the_exit_code_is_that_of_the_verdict(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    profile_criterion: str,
    launch_criterion: str,
    code: int,
) -> None:
    appliance.target(appliance.host(), "/mnt/a")
    body = {"tests": [TEST], "criteria": [{"criterion": profile_criterion}]}
    appliance.operator.post("/profiles", {"name": "Mine", "body": body})

    def measure() -> None:
        while True:
            with writing() as session:
                if run := session.scalars(select(Run)).first():
                    run.generation = 1
                    session.flush()
                    (participant,) = session.scalars(select(Participant.id))
                    log = Spool().hello().whole_trial(0).end().data
                    ingest(session, participant, 1, 0, log)
                    session.execute(update(Run).values(state="done", ended_at=now()))
                    return
            time.sleep(0.02)

    worker = threading.Thread(target=measure)
    worker.start()
    options = ["--profile", "Mine", "--target", "web-1:/mnt/a", "--wait"]
    criterion = ["--criterion", launch_criterion]
    assert _run(monkeypatch, "campaign", "run", *options, *criterion) == code
    worker.join()
    shown = " ".join(capsys.readouterr().out.split())
    verdict = {0: "pass", 98: "inconclusive", 99: "fail"}[code]
    assert f"verdict: {verdict}" in shown
    for word in (profile_criterion, launch_criterion):
        assert word in shown
    if code == 98:
        assert "10 operations were measured; p99.9 needs 1000." in shown


def test_a_criterion_that_does_not_parse_is_a_usage_error(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    appliance.target(appliance.host(), "/mnt/a")
    options = ["--profile", "first-look", "--target", "web-1:/mnt/a"]
    criterion = ["--criterion", "durable.mean > 3 ms"]
    assert _run(monkeypatch, "campaign", "run", *options, *criterion) == 2
    assert "at character 16" in capsys.readouterr().err


def test_an_api_error_is_printed(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = appliance.target(appliance.host())
    options = ["--profile", "first-look", "--target", str(target), "--file-size", "2 * rm"]
    assert _run(monkeypatch, "campaign", "run", *options) == 2
    error = capsys.readouterr().err
    assert "--file-size" in error
    assert "overrides" not in error
    assert "unknown name 'rm'" in error


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (["--length", "2000000"], {"length": 2_000_000}),
        (["--length", "min(2 MB, free)"], {"length": 2_000_000}),
        (["--length", "90 min"], {"length": "90 min"}),
        (
            ["--duration", "2 s", "--rate", "80 Mb/s", "--repeats", "2"],
            {"length": "2 s", "pace": "rate", "rate_bytes_per_s": [10_000_000], "repeats": 2},
        ),
        (
            ["--cache", "page", "--priority", "normal", "--priority", "rr", "--io-priority", "low"],
            {"cache": ["page"], "priority": ["normal", "rr"], "io_priority": ["low"]},
        ),
    ],
)
def test_options_override_the_values_of_the_profile(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    parameters: dict[str, Any],
) -> None:
    target = appliance.target(appliance.host())
    chosen = ["--profile", "owl-oc-3", "--target", str(target)]
    assert _run(monkeypatch, "campaign", "run", *chosen, *options) == 0
    (run,) = appliance.viewer.get("/campaigns").json()["items"][0]["runs"]
    shown = appliance.viewer.get(f"/runs/{run['id']}").json()["parameters"]
    assert {name: shown[name] for name in parameters} == parameters


def test_a_transfer_has_a_source_and_a_sink(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = appliance.target(appliance.host("one"), "/mnt/a")
    sink = appliance.host("other")
    ends = ["--source", "one:/mnt/a", "--sink", "other"]
    options = ["--profile", "fdt-memory-to-memory", *ends, "--criterion", "path.rate >= 200 MB/s"]
    assert _run(monkeypatch, "campaign", "run", *options) == 0
    campaign = appliance.viewer.get("/campaigns").json()["items"][0]
    assert campaign["parameters"]["sources"] == [{"target_id": source}]
    assert campaign["parameters"]["sinks"] == [{"host_id": sink}]
    nowhere = ["--profile", "fdt-memory-to-memory", "--source", "one:/mnt/a", "--sink", "elsewhere"]
    assert _run(monkeypatch, "campaign", "run", *nowhere) == 2
    assert "--sink: there is no such target" in capsys.readouterr().err


def test_a_command_that_is_repeated_with_its_key_launches_once(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = appliance.target(appliance.host())
    options = ["--profile", "first-look", "--target", str(target), "--key", "job-17"]
    assert _run(monkeypatch, "campaign", "run", *options) == 2
    assert "--key needs ASSAY_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("ASSAY_TOKEN", appliance.operator.token or "")
    for said in ("", "An earlier request with the key 'job-17' was executed"):
        assert _run(monkeypatch, "campaign", "run", *options) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("campaign 1:")
        assert printed.err.startswith(said) and bool(printed.err) == bool(said)
    assert _run(monkeypatch, "campaign", "run", *options, "--json") == 0
    assert json.loads(capsys.readouterr().out)["campaign"]["id"] == 1
    assert len(appliance.viewer.get("/campaigns").json()["items"]) == 1
    assert _run(monkeypatch, "campaign", "rerun", "1", "--key", "job-18") == 0
    assert len(appliance.viewer.get("/campaigns").json()["items"]) == 2


def test_a_mesh_is_launched_and_shown_as_a_grid(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hosts = [appliance.host(name) for name in ("cern", "cit", "fnal")]
    ends = [word for name in ("cern", "cit", "fnal") for word in ("--source", name)]
    options = ["--profile", "mesh", *ends, "--arrangement", "mesh"]
    assert _run(monkeypatch, "campaign", "run", *options) == 0
    campaign = appliance.viewer.get("/campaigns").json()["items"][0]
    assert campaign["parameters"]["sources"] == [{"host_id": one} for one in hosts]
    assert len(campaign["runs"]) == 6
    capsys.readouterr()
    assert _run(monkeypatch, "campaign", "mesh", str(campaign["id"])) == 0
    shown = capsys.readouterr().out
    assert "Memory to memory, MB/s" in shown and shown.count("queued") == 6
    assert _run(monkeypatch, "campaign", "mesh", str(campaign["id"]), "--format", "csv") == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 7 and rows[1].startswith("1,Memory to memory,")


def test_many_sources_grow_to_one_sink(
    appliance: Appliance, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other", "sink"):
        appliance.host(name)
    ends = ["--source", "one", "--source", "other", "--sink", "sink", "--scale-out"]
    assert _run(monkeypatch, "campaign", "run", "--profile", "fdt-memory-to-memory", *ends) == 0
    runs = appliance.viewer.get("/campaigns").json()["items"][0]["runs"]
    assert [len(run["participants"]) for run in runs] == [2, 4]


def test_any_field_of_a_transfer_can_be_set(
    appliance: Appliance, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "other"):
        appliance.target(appliance.host(name), "/mnt/a")
    ends = ["--source", "one:/mnt/a", "--sink", "other:/mnt/a"]
    given = {
        "full_duplex=yes": True,
        "legs=memory,disk": ["memory", "disk"],
        "streams=4": [4],
        "block=256 KiB,1MiB": [262_144, 1_048_576],
        "ramp_ms=2 s": 2000,
        "pacing_bytes_per_s=80 Mb/s": 10_000_000,
        "source_cpus=0-3,8": "0-3,8",
        "sink_cpus=5": "5",
        "threads_per_device = 2": 2,
        "small_files=100": 100,
        "small_file_bytes=4096": 4096,
        "length=min(10 MB, free)": 10_000_000,
        "family=ipv4": "ipv4",
    }
    options = [word for one in given for word in ("--set", one)]
    chosen = ["--profile", "fdt-disk-to-disk", *ends]
    assert _run(monkeypatch, "campaign", "run", *chosen, *options) == 0
    (run,) = appliance.viewer.get("/campaigns").json()["items"][0]["runs"]
    shown = appliance.viewer.get(f"/runs/{run['id']}").json()["parameters"]
    for assignment, value in given.items():
        assert shown[assignment.partition("=")[0].strip()] == value, assignment


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "full_duplex"], "--set: 'full_duplex' is not FIELD=VALUE"),
        (["--set", "strems=4"], "has the field 'strems'. Fields: block, congestion_control, "),
        (["--set", "title=x"], "has the field 'title'"),
        (["--set", "streams=999"], "--set streams: "),
        (["--set", "source_cpus=all"], "--set source_cpus: "),
        (["--set", "full_duplex=null"], "--set full_duplex: "),
        (["--set", "repeats=2", "--repeats", "3"], "--repeats sets the same value"),
        (["--set", "streams=2", "--set", "streams=4"], "--set streams sets the same value"),
    ],
)
def test_a_field_that_cannot_be_set_is_named(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    for name in ("one", "other"):
        appliance.host(name)
    chosen = ["--profile", "fdt-memory-to-memory", "--source", "one", "--sink", "other"]
    assert _run(monkeypatch, "campaign", "run", *chosen, *options) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert message in error
    assert "overrides" not in error
    assert appliance.viewer.get("/campaigns").json()["items"] == []


@pytest.mark.parametrize(
    ("profile", "options", "message"),
    [
        ("owl-oc-3", ["--length", "2 * rm"], "--length: "),
        ("owl-oc-3", ["--duration", "400 d"], "--duration: "),
        ("owl-oc-3", ["--duration", "10"], "--duration: '10' is not a duration"),
        ("owl-oc-3", ["--rate", "5 QB"], "--rate: '5 QB' is not a rate. Use MB/s"),
        ("owl-oc-3", ["--rate", "9999 GB/s"], "--rate: "),
        ("owl-oc-3", ["--length", "1 GB", "--duration", "1 h"], "--length sets the same value"),
        ("first-look", ["--duration", "1 h"], "--duration: no test of the profile 'First look'"),
        ("first-look", ["--rate", "1 GB/s"], "--rate: no test of the profile 'First look'"),
        ("first-look", ["--priority", "rr"], "--priority: no test of the profile 'First look'"),
        ("first-look", ["--cache", "page", "--cache", "direct"], "--cache: "),
        ("owl-oc-3", ["--cache", "fast"], "--cache: "),
        ("owl-oc-3", ["--priority", "normal", "--priority", "urgent"], "--priority: "),
    ],
)
def test_an_override_that_is_refused_names_its_option(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    profile: str,
    options: list[str],
    message: str,
) -> None:
    target = appliance.target(appliance.host())
    chosen = ["--profile", profile, "--target", str(target)]
    assert _run(monkeypatch, "campaign", "run", *chosen, *options) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert message in error
    assert "overrides" not in error
    assert appliance.viewer.get("/campaigns").json()["items"] == []


def test_an_unreachable_api_is_reported_in_one_line(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ASSAY_PORT", str(unused.getsockname()[1]))
        monkeypatch.setattr(connection, "PATIENCE_S", 0.0)
        settings.cache_clear()
        assert _run(monkeypatch, "campaign", "run", "--profile", "x", "--target", "1") == 2
    assert "Is `assay up` running?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [("campaign", "run", "--profile", "x", "--target", "1"), ("host", "list")]
)
def test_another_machine_needs_a_token(
    appliance: Appliance,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("ASSAY_URL", "http://elsewhere.invalid")
    assert _run(monkeypatch, *command) == 2
    assert "ASSAY_TOKEN" in capsys.readouterr().err


def _target_of(run_id: int) -> int:
    with reading() as session:
        found = session.scalars(select(Participant.target_id).where(Participant.run_id == run_id))
        return found.one() or 0


@pytest.mark.parametrize("wanted", ["1", "b", "web-2:/mnt/a", "web-1/mnt/a", "lab-1/mnt/disk"])
def test_a_target_is_given_by_id_name_or_path(
    appliance: Appliance, port: int, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    hosts = {"web-1": "/mnt/a", "web-2": "/mnt/a", "Lab 1": "/mnt/disk"}
    ids = [appliance.target(appliance.host(name), path) for name, path in hosts.items()]
    appliance.operator.patch(f"/targets/{ids[1]}", {"name": "b"})
    position = {"1": 0, "web-1/mnt/a": 0, "lab-1/mnt/disk": 2}.get(wanted, 1)
    options = ["--profile", "First look", "--target", wanted]
    assert _run(monkeypatch, "campaign", "run", *options) == 0
    launched = appliance.viewer.get("/campaigns/1").json()
    assert launched["parameters"]["target_ids"] == [ids[position]]


@pytest.mark.parametrize(
    ("profile", "target", "said"),
    [
        ("first-look", "/mnt/a", "means several targets: web-1/mnt/a (1), web-2/mnt/a (2)"),
        ("first-look", "web-1/mnt/b", "Did you mean `web-1/mnt/a`"),
        ("first-look", "x", "`assay target list` lists them."),
        ("Frist look", "1", "Did you mean `First look`"),
    ],
)
def test_an_ambiguous_or_unknown_name_is_rejected(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    profile: str,
    target: str,
    said: str,
) -> None:
    for name in ("web-1", "web-2"):
        appliance.target(appliance.host(name), "/mnt/a")
    options = ["--profile", profile, "--target", target]
    assert _run(monkeypatch, "campaign", "run", *options) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_the_obstacle_of_a_queued_run_is_printed() -> None:
    since = "2026-11-03T09:12:44Z"
    obstacle = {"kind": "host", "what": "web-1 is busy with run 41: Write", "since": since}
    queued = examples.summary() | {"state": "queued", "condition": None, "waits_for": obstacle}
    assert doing(RunSummary.model_validate(queued)) == "queued: web-1 is busy with run 41: Write"
    alone = RunSummary.model_validate(queued | {"waits_for": None})
    assert doing(alone) == "queued"


@pytest.mark.parametrize("name", ["", " ", "x" * 101])
def test_an_invalid_token_request_is_rejected(
    configured: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    assert _run(monkeypatch, "token", "create", "--role", "viewer", "--name", name) == 2
    assert "name: must" in capsys.readouterr().err


def test_an_invalid_setting_is_named_in_one_line(
    configured: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as wrong:
        wrong.setenv("ASSAY_PORT", "abc")
        settings.cache_clear()
        assert _run(monkeypatch, "campaign", "run", "--profile", "p", "--target", "t") == 2
    settings.cache_clear()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("assay: ASSAY_PORT: ")


def test_campaigns_are_listed_by_host_verdict_and_order(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with writing() as session:
        runs = [seed_run(session)[0] for _ in range(3)]
        for run in runs:
            session.get_one(Campaign, run.campaign_id).name = f"Campaign {run.id}"
        runs[0].state = "failed"
        session.execute(update(Target).values(facts=FOUND))
    monkeypatch.setenv("ASSAY_TOKEN", appliance.viewer.token or "")
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setattr(output, "width", 80)

    def listed(*options: str) -> str:
        assert _run(monkeypatch, "campaign", "list", *options) == 0
        return capsys.readouterr().out

    every = listed("--sort", "created_at")
    assert all(len(line) <= 80 for line in every.splitlines())
    assert every.index("Campaign 1") < every.index("Campaign 2") < every.index("Campaign 3")
    failed = listed("--state", "failed")
    assert "Campaign 1" in failed and "Campaign 2" not in failed
    there = listed("--host", "host-2", "--kind", "matrix")
    assert "Campaign 2" in there and "Campaign 1" not in there
    assert "Campaign" not in listed("--verdict", "fail")
    labels = {"labels": {"rack": "b7"}}
    appliance.operator.patch(f"/campaigns/{runs[1].campaign_id}", labels)
    labeled = listed("--label", "rack=b7")
    assert "Campaign 2" in labeled and "Campaign 1" not in labeled
    assert "Campaign" not in listed("--label", "rack=b8")
    for target in ("host-3/mnt/a", "host-3:/mnt/a", str(_target_of(runs[2].id))):
        (only,) = json.loads(listed("--target", target, "--json"))
        assert only["name"] == "Campaign 3"
    assert len(json.loads(listed("--json", "--limit", "2"))) == 2


def test_a_wrong_filter_is_named_with_what_is_possible(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ASSAY_TOKEN", appliance.viewer.token or "")
    monkeypatch.setenv("ASSAY_URL", f"http://127.0.0.1:{port}")
    appliance.host("somewhere")
    assert _run(monkeypatch, "campaign", "list", "--host", "somwhere") == 2
    assert "Did you mean `somewhere`?" in capsys.readouterr().err
    assert _run(monkeypatch, "campaign", "list", "--sort", "size") == 2
    assert "Choose one of" in capsys.readouterr().err


def test_a_campaign_is_renamed_labeled_and_noted(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    with writing() as session:
        campaign = str(seed_ended_run(session).campaign_id)
    path = f"/campaigns/{campaign}"
    assert _run(monkeypatch, "campaign", "rename", campaign, "vault [2]") == 0
    assert capsys.readouterr().out == f"campaign {campaign}: renamed: vault [2]\n"
    label = ("campaign", "label", campaign)
    assert _run(monkeypatch, *label, "rack=b7", "note=a=b", "--reference", "CHG-3310") == 0
    assert capsys.readouterr().out == "note=a=b\nrack=b7\nreference: CHG-3310\n"
    assert _run(monkeypatch, *label, "rack-", "--reference", "") == 0
    assert capsys.readouterr().out == "note=a=b\n"
    found = appliance.viewer.get(path).json()
    assert (found["name"], found["labels"]) == ("vault [2]", {"note": "a=b"})
    assert found["reference"] is None
    for wrong, reason in (("rack-", "no label 'rack'"), ("rack", "Use KEY=VALUE or KEY-")):
        assert _run(monkeypatch, *label, wrong) == 2
        assert reason in capsys.readouterr().err
    (tmp_path / "notes.md").write_text("# Controller\n\nReplaced.\n")
    assert (
        _run(monkeypatch, "campaign", "note", campaign, "--file", str(tmp_path / "notes.md")) == 0
    )
    assert capsys.readouterr().out == ""
    assert _run(monkeypatch, "campaign", "note", campaign) == 0
    assert capsys.readouterr().out == "# Controller\n\nReplaced.\n"
    assert _run(monkeypatch, "campaign", "note", campaign, "x", "--file", "-") == 2
    assert "not both" in capsys.readouterr().err
    assert _run(monkeypatch, "campaign", "note", campaign, "--file", str(tmp_path)) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_campaign_is_deleted_and_restored(
    appliance: Appliance,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with writing() as session:
        ended = str(seed_ended_run(session).campaign_id)
        active = str(seed_run(session)[0].campaign_id)
    assert _run(monkeypatch, "campaign", "delete", ended) == 0
    assert capsys.readouterr().out == (
        f"campaign {ended}: deleted: Campaign\n"
        f"undo within a minute: assay campaign undelete {ended}\n"
    )
    assert appliance.viewer.get(f"/campaigns/{ended}").status_code == 404
    assert _run(monkeypatch, "campaign", "undelete", ended) == 0
    assert capsys.readouterr().out == f"campaign {ended}: restored: Campaign\n"
    assert appliance.viewer.get(f"/campaigns/{ended}").status_code == 200
    assert _run(monkeypatch, "campaign", "delete", active) == 2
    assert "cancel=true" in capsys.readouterr().err
    assert _run(monkeypatch, "campaign", "delete", active, "--cancel") == 0
    assert _run(monkeypatch, "campaign", "delete", active) == 2
    assert "may have been deleted" in capsys.readouterr().err
