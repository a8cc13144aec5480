"""Each operation of the API has a command that requests it; all print tables and JSON."""

import json
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer
from assay import cli
from assay.api.app import PREFIX
from assay.cli import lazy, profiles, webhook
from assay.cli.console import output
from assay.cli.lazy import Commands
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.targets import Target
from sqlalchemy import update
from testing.api import FOUND, Appliance
from testing.command_line import run
from testing.furnished import OPERATIONS, Furnished
from testing.seeds import seed_ended_run
from typer.core import TyperCommand, TyperGroup

BROWSERS = {
    "POST /session": "a password opens a session of a browser; a command has a token",
    "GET /session": "of a browser; `assay whoami` shows what a token may do",
    "DELETE /session": "of a browser",
    "POST /setup": "logs a browser in; `assay user add` makes the first administrator as well",
    "POST /tokens": "refuses tokens; `assay token create` uses the local database",
    "GET /views": "views are addresses of pages in the browser, and belong to the person there",
    "POST /views": "as above",
    "GET /views/{view_id}": "as above",
    "PATCH /views/{view_id}": "as above",
    "DELETE /views/{view_id}": "as above",
    "GET /campaigns/{campaign_id}/stream": "for live pages; commands wait by `GET ?wait=`",
    "GET /schemas/qualification.json": "`assay apply --schema` prints it without a server",
}
"""Operations without a command, and why."""

WITHOUT_JSON = {
    "campaign report": "writes HTML",
    "completion": "prints a script",
    "export": "writes YAML",
    "run download": "writes files",
    "up": "runs until it is stopped",
}
"""Commands without `--json`, and why."""

COMMANDS = {
    "GET /health": "health",
    "GET /me": "whoami",
    "GET /overview": "overview",
    "GET /search": "search matrix",
    "GET /audit": "audit --actor ada --words host",
    "GET /metrics": "criterion metrics",
    "POST /criteria/check": 'criterion check "durable.mean >= 4 MB/s"',
    "GET /export": "export",
    "POST /apply": "apply -f {qualification} --dry-run",
    "GET /arrays": "array list",
    "POST /arrays": "array add spare",
    "GET /arrays/{array_id}": "array show {array_id}",
    "PATCH /arrays/{array_id}": "array change {array_id} model=S24",
    "GET /arrays/{array_id}/history": "array history {array_id}",
    "GET /arrays/{array_id}/notes": "array note {array_id}",
    "PUT /arrays/{array_id}/notes": 'array note {array_id} "Fan replaced"',
    "DELETE /arrays/{array_id}": "array delete spare",
    "GET /hosts": "host list --state ready",
    "POST /hosts": "host add spare-host",
    "GET /hosts/{host_id}": "host show {host_id}",
    "PATCH /hosts/{host_id}": "host change {host_id} reference=C-1",
    "POST /hosts/{host_id}/check": "host check {host_id}",
    "GET /hosts/{host_id}/host-key": "host key {host_id}",
    "POST /hosts/{host_id}/host-key": "host approve {host_id} SHA256:x",
    "GET /hosts/{host_id}/inventory": "host inventory {host_id}",
    "GET /hosts/{host_id}/inventories": "host inventories {host_id}",
    "DELETE /hosts/{host_id}": "host delete spare-host",
    "GET /targets": "target list",
    "POST /targets": "target add {host_id} /mnt/spare --root-consent",
    "GET /targets/{target_id}": "target show {target_id}",
    "PATCH /targets/{target_id}": "target change {target_id} reference=C-1",
    "POST /targets/{target_id}/check": "target check {target_id}",
    "GET /matches": "matches",
    **{
        f"{method} /{noun}s/{{{noun}_id}}/matches/{{{earlier}}}": (
            f"{noun} {command} {{{noun}_id}} {{{earlier}}} {option}"
        )
        for noun, earlier in (
            ("target", "earlier_id"),
            ("host", "earlier_host_id"),
            ("array", "earlier_array_id"),
        )
        for method, command, option in (("PUT", "match", "--different"), ("DELETE", "unmatch", ""))
    },
    "DELETE /targets/{target_id}": "target delete /mnt/spare",
    "GET /profiles": "profile list --own",
    "POST /profiles": "profile save {profile}",
    "GET /profiles/{profile_id}": "profile show {profile_id}",
    "POST /profiles/{profile_id}/copy": "profile copy {profile_id} copied",
    "PUT /profiles/{profile_id}": "profile save {profile} --replace spare-profile",
    "DELETE /profiles/{profile_id}": "profile delete copied",
    "GET /credentials": "credential list --kind generated",
    "POST /credentials": "credential add name=spare kind=generated",
    "GET /credentials/{credential_id}": "credential show spare",
    "PUT /credentials/{credential_id}/certificate": "credential renew {credential_id} --remove",
    "DELETE /credentials/{credential_id}": "credential delete spare",
    "GET /host-authorities": "authority list",
    "POST /host-authorities": 'authority add spare {public_key} --pattern "*.lan"',
    "GET /host-authorities/{authority_id}": "authority show spare",
    "PATCH /host-authorities/{authority_id}": "authority change spare 'patterns=[\"*.spare\"]'",
    "DELETE /host-authorities/{authority_id}": "authority delete spare",
    "GET /users": "user list --role operator",
    "POST /users": "user add name=spare role=viewer password=@{password}",
    "GET /users/{user_id}": "user show spare",
    "PATCH /users/{user_id}": "user change spare role=operator",
    "DELETE /users/{user_id}": "user delete spare",
    "GET /tokens": "token list --role operator",
    "GET /tokens/{token_id}": "token show {token_id}",
    "DELETE /tokens/{token_id}": "token delete {token_id}",
    "GET /tools": "tool list",
    "POST /tools": "tool define {tool}",
    "PUT /tools/{tool_id}": "tool define {tool}",
    "GET /tools/{tool_id}": "tool show spare-tool",
    "POST /tools/{tool_id}/check": "tool check spare-tool --source {host_id} --sink {host_id}",
    "DELETE /tools/{tool_id}": "tool delete spare-tool",
    "GET /webhooks": "webhook list --enabled",
    "POST /webhooks": "webhook add spare https://ci.example.com/hook",
    "GET /webhooks/{webhook_id}": "webhook show spare",
    "PATCH /webhooks/{webhook_id}": "webhook change spare enabled=true",
    "POST /webhooks/{webhook_id}/secret": "webhook secret spare",
    "POST /webhooks/{webhook_id}/test": "webhook test spare",
    "GET /webhooks/{webhook_id}/deliveries": "webhook deliveries {webhook_id} --state pending",
    "GET /webhooks/{webhook_id}/deliveries/{delivery_id}": (
        "webhook delivery {webhook_id} {delivery_id}"
    ),
    "POST /webhooks/{webhook_id}/deliveries/{delivery_id}/resend": (
        "webhook resend {webhook_id} {delivery_id}"
    ),
    "DELETE /webhooks/{webhook_id}": "webhook delete spare",
    "GET /schedules": "schedule list",
    "POST /schedules": 'schedule add spare --cron "0 3 * * *" --plan {plan}',
    "POST /schedules/preview": 'schedule preview --cron "0 3 * * *" --zone Europe/Berlin',
    "GET /schedules/{schedule_id}": "schedule show spare",
    "PATCH /schedules/{schedule_id}": "schedule change spare grace_s=60",
    "POST /schedules/{schedule_id}/pause": "schedule pause spare",
    "POST /schedules/{schedule_id}/resume": "schedule resume spare",
    "POST /schedules/{schedule_id}/run": "schedule run spare",
    "GET /schedules/{schedule_id}/firings": "schedule firings spare",
    "DELETE /schedules/{schedule_id}": "schedule delete spare",
    "GET /campaigns": "campaign list --state done",
    "POST /campaigns/estimate": "campaign launch {plan} --estimate",
    "POST /campaigns": "campaign launch {plan}",
    "GET /campaigns/{campaign_id}": "campaign wait {campaign_id}",
    "PATCH /campaigns/{campaign_id}": "campaign rename {campaign_id} vault",
    "POST /campaigns/{campaign_id}/cancel": "campaign cancel {campaign_id}",
    "GET /campaigns/{campaign_id}/plan": "campaign plan {campaign_id}",
    "POST /campaigns/{campaign_id}/profile": "campaign save-profile {campaign_id} saved",
    "GET /campaigns/{campaign_id}/mesh": "campaign mesh {campaign_id}",
    "GET /campaigns/{campaign_id}/mesh.csv": "campaign mesh {campaign_id} --format csv",
    "GET /campaigns/{campaign_id}/scale-out": "campaign scale-out {campaign_id}",
    "GET /campaigns/{campaign_id}/scale-out.csv": "campaign scale-out {campaign_id} --format csv",
    "GET /campaigns/{campaign_id}/report.html": "campaign report {campaign_id} -o {out}",
    "GET /campaigns/{campaign_id}/notes": "campaign note {campaign_id}",
    "PUT /campaigns/{campaign_id}/notes": 'campaign note {campaign_id} "Fan replaced"',
    "GET /campaigns/{campaign_id}/shares": "campaign shares {campaign_id}",
    "POST /campaigns/{campaign_id}/shares": "campaign share {campaign_id} --days 1",
    "GET /campaigns/{campaign_id}/shares/{share_id}": (
        "campaign show-share {campaign_id} {share_id}"
    ),
    "DELETE /campaigns/{campaign_id}/shares/{share_id}": (
        "campaign unshare {campaign_id} {share_id}"
    ),
    "GET /campaigns/{campaign_id}/verdict": "campaign verdict {campaign_id}",
    "POST /campaigns/{campaign_id}/verdicts": 'campaign judge {campaign_id} "stall.max < 1 h"',
    "POST /campaigns/{campaign_id}/waivers": (
        "campaign waive {campaign_id} 1 --reason agreed --until {tomorrow}"
    ),
    "GET /runs": "run list --verdict fail",
    "GET /runs/{run_id}": "run show {run_id}",
    "GET /runs/{run_id}/result": "run result {run_id}",
    "GET /runs/{run_id}/figures": "run figures {run_id} --metric durable.mean",
    "GET /runs/{run_id}/result.csv": "run download {run_id} result.csv",
    "GET /runs/{run_id}/result.md": "run download {run_id} result.md",
    "GET /runs/{run_id}/result.svg": "run download {run_id} result.svg",
    "GET /runs/{run_id}/conditions.csv": "run download {run_id} conditions.csv",
    "GET /runs/{run_id}/events": "run download {run_id} events.ndjson",
    "GET /runs/{run_id}/notes": "run note {run_id}",
    "PUT /runs/{run_id}/notes": 'run note {run_id} "Fan replaced"',
    "GET /runs/{run_id}/trials": "run trials {run_id}",
    "GET /runs/{run_id}/verdict": "run verdict {run_id}",
    "POST /runs/{run_id}/waivers": "run waive {run_id} 0 --reason agreed --until {tomorrow}",
    "GET /runs/export": "export-runs --state done",
    "GET /runs/export/size": "export-runs --size",
    "GET /compare": "compare {run_id} {other_id}",
    "GET /compare/candidates": "run comparable {run_id} --words matrix",
    "GET /compare/suggestions": "run comparable {run_id}",
    "GET /compare/export": "export-runs --compare {run_id},{other_id}",
    "GET /compare/export/size": "export-runs --compare {run_id},{other_id} --size",
    "GET /trials/{trial_id}": "trial show {trial_id}",
    "GET /trials/{trial_id}/samples": "trial samples {trial_id} --points 10",
    "GET /trials/{trial_id}/marks": "trial marks {trial_id}",
    "GET /trials/{trial_id}/links": "trial links {trial_id}",
    "GET /retention": "retention show",
    "PUT /retention": "retention set samples 3650",
    "POST /retention/preview": "retention preview --samples 30",
    "POST /retention/run": "retention run",
    "POST /campaigns/{campaign_id}/seen": "campaign seen {campaign_id}",
    "DELETE /campaigns/{campaign_id}/seen": "campaign unseen {campaign_id}",
    "DELETE /campaigns/{campaign_id}": "campaign delete {campaign_id}",
    "POST /campaigns/{campaign_id}/undelete": "campaign undelete {campaign_id}",
}
"""A command for each operation, in an order in which they can be run."""

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "cli.md"

ELSEWHERE = {
    "q": "words",
    "from": "since",
    "to": "until",
    "beside": "runs",
    "campaign_id": "campaign",
    "limit": "most",
}
"""Parameters of the API whose options have another name."""

OF_PROGRAMS = {"cursor", "fields"}
"""Commands read all pages, and print whole objects."""

REFUSED = 409
"""What the state of this appliance does not allow was requested all the same."""


def test_each_operation_has_a_command_or_a_reason() -> None:
    assert set(COMMANDS) | set(BROWSERS) == set(OPERATIONS)
    assert not set(COMMANDS) & set(BROWSERS)


def commands() -> Iterator[tuple[str, TyperCommand]]:
    """Yield each command with its name."""

    def below(group: TyperGroup, path: str) -> Iterator[tuple[str, TyperCommand]]:
        for name, one in group.commands.items():
            if isinstance(one, TyperGroup):
                yield from below(one, f"{path}{name} ")
            elif isinstance(one, TyperCommand):
                yield f"{path}{name}", one

    top = typer.main.get_command(cli.app)
    assert isinstance(top, Commands)
    for name in lazy.COMMANDS:
        top.load(name)
    return below(top, "")


def test_each_command_prints_json() -> None:
    without = {name for name, one in commands() if "--json" not in options(one)}
    assert without == set(WITHOUT_JSON)


def test_the_documentation_has_each_command() -> None:
    rows = re.findall(r"^\| `assay( \w+)?` \| (.*) \|$", DOCUMENTATION.read_text(), re.MULTILINE)
    documented = [
        f"{of} {name}".strip() for of, row in rows for name in re.findall(r"`([^`]+)`", row)
    ]
    assert sorted(documented) == sorted(name for name, _ in commands())


def options(command: TyperCommand) -> set[str]:
    """Return the options of a command."""
    return {option for one in command.params for option in one.opts}


LISTS = [
    name
    for name in COMMANDS
    if "cursor" in {one["name"] for one in OPERATIONS[name].get("parameters", [])}
]


def test_each_filter_of_a_list_is_an_option() -> None:
    assert len(LISTS) > 15
    missing: list[str] = []
    for operation in LISTS:
        line = COMMANDS[operation]
        (command,) = [one for name, one in commands() if f"{line} ".startswith(f"{name} ")]
        known = {one.name for one in command.params}
        missing += [
            f"{line} has no option for {one['name']}"
            for one in OPERATIONS[operation]["parameters"]
            if one["in"] == "query"
            and one["name"] not in OF_PROGRAMS
            and ELSEWHERE.get(one["name"], one["name"].removesuffix("_id")) not in known
        ]
    assert not missing, "\n".join(missing)


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch, port: int) -> dict[str, int]:
    """The operations that were requested over the network, each with its last status."""
    seen: dict[str, int] = {}
    send = httpx.Client.send

    def sent(client: httpx.Client, request: httpx.Request, **how: Any) -> httpx.Response:
        answer = send(client, request, **how)
        if request.url.port == port:
            seen[operation_of(request)] = answer.status_code
        return answer

    monkeypatch.setattr(httpx.Client, "send", sent)
    return seen


def operation_of(request: httpx.Request) -> str:
    """Return the operation of a request: that of a literal path before one with ids."""
    path = request.url.raw_path.decode().partition("?")[0].removeprefix(PREFIX)
    for operation in sorted(OPERATIONS, key=lambda one: one.count("{")):
        method, _, template = operation.partition(" ")
        if method == request.method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path):
            return operation
    raise AssertionError(f"{request.method} {path} is no operation")


@pytest.fixture
def words(appliance: Appliance, tmp_path: Path) -> dict[str, object]:
    """Ids and files for the placeholders of `COMMANDS`, of a furnished appliance."""
    furnished = Furnished(appliance)
    with writing() as session:
        other = seed_ended_run(session).id
        session.execute(update(Target).values(facts=FOUND))
        campaign = session.get_one(Campaign, furnished.ids["campaign_id"])
        campaign.criteria = [*campaign.criteria, {"criterion": "path.rate >= 1 GB/s"}]
    example = furnished.body("POST /tools")
    profile = appliance.viewer.get(f"/profiles/{furnished.ids['profile_id']}").json()
    texts = {
        "plan": json.dumps(furnished.body("POST /campaigns")),
        "tool": json.dumps(example | {"name": "spare-tool"}),
        "profile": json.dumps({"name": "Spare profile", "body": profile["body"]}),
        "qualification": "name: lab\n",
        "public_key": furnished.body("POST /host-authorities")["public_key"],
        "password": "correct horse battery staple",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = {name: tmp_path / name for name in (*texts, "out")}
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    return {**furnished.ids, **files, "other_id": other, "tomorrow": tomorrow.date()}


def test_each_command_requests_its_operation(
    appliance: Appliance,
    requested: dict[str, int],
    words: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(output, "width", 80)
    monkeypatch.setattr(webhook, "WAIT_S", 0.0)
    monkeypatch.setattr(profiles, "WAIT_S", 10)
    failed: dict[str, str] = {}
    with appliance.answering(FOUND):
        for operation, line in COMMANDS.items():
            requested.clear()
            run(monkeypatch, *shlex.split(line.format(**words)))
            printed = capsys.readouterr()
            status = requested.get(operation)
            if status is None or (status >= 400 and status != REFUSED):
                failed[line] = f"{status}, {printed.err[-400:]} {requested}"
            grid = [row for row in printed.out.splitlines() if set(row) & set("│┃┏├└")]
            if grid and max(map(len, grid)) > 80:
                failed[line] = "a table is wider than 80 columns"
    assert failed == {}
