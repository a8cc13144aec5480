"""`assay campaign`: launch a profile on targets, wait for it, print its results."""

import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from assay.analysis.words import span
from assay.campaigns.pairs import Arrangement
from assay.cli import campaign_list, mesh, organize, scale_out
from assay.cli.client import Client, connected
from assay.cli.console import CommandError, output, shown
from assay.cli.overrides import OptionOverrides
from assay.http.names import slug
from assay.http.suggestions import did_you_mean
from assay.kinds.registry import KINDS
from assay.runs.lifecycle import FINAL
from assay.verdicts import words

POLL_S = 0.5

ERROR, INCONCLUSIVE, FAIL = 1, 98, 99
"""Exit codes; 0 is a pass, and 2 a command that did not start its work."""

app = typer.Typer(help="Campaigns.", no_args_is_help=True)


app.command("scale-out")(scale_out.command)
app.command("mesh")(mesh.command)
app.command("list")(campaign_list.command)
app.command("rename")(organize.rename)
app.command("label")(organize.label)
app.command("note")(organize.note)
app.command("delete")(organize.delete)
app.command("undelete")(organize.undelete)


@app.command()
def run(  # noqa: PLR0917 (options, each given by name)
    profile: Annotated[str, typer.Option(help="Name, slug or id")],
    target: Annotated[
        list[str] | None, typer.Option(help="Id, path, name or HOST/PATH; repeatable")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a transfer: a target, or a host's name for the memory of that host; repeatable"
        ),
    ] = None,
    sink: Annotated[
        list[str] | None,
        typer.Option(help="Of a transfer: a target or a host, as for --source; repeatable"),
    ] = None,
    arrangement: Annotated[
        Arrangement,
        typer.Option(
            help="together: all sources and sinks in one run; mesh: from each source to each other "
            "one, a run for each direction, without --sink"
        ),
    ] = "together",
    together: Annotated[
        bool, typer.Option("--together", help="All targets at the same time")
    ] = False,
    scaling: Annotated[
        bool,
        typer.Option(
            "--scale-out",
            help="The first target, or source and sink, then the first two together, … all",
        ),
    ] = False,
    read_back_at: Annotated[
        str | None,
        typer.Option(
            help="The target as another host sees it, which reads the files of tests with "
            'read_back "other_host" back'
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait, then print the results")] = False,
    name: Annotated[str | None, typer.Option(help="Campaign name")] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")] = None,
    reference: Annotated[str | None, typer.Option(help="Such as a ticket or an order")] = None,
    file_size: Annotated[
        str | None, typer.Option(help="Bytes or an expression; overrides the profile")
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(help="Bytes, an expression or a duration; overrides the profile"),
    ] = None,
    duration: Annotated[
        str | None, typer.Option(help='Such as "90 min"; overrides the length of the profile')
    ] = None,
    rate: Annotated[
        str | None, typer.Option(help='Such as "125 MB/s"; paces writes, overrides the profile')
    ] = None,
    queue_depth: Annotated[
        list[int] | None,
        typer.Option(help="Operations in flight by io_uring; repeatable, overrides the profile"),
    ] = None,
    cache: Annotated[
        list[str] | None,
        typer.Option(
            help="page, direct or direct_if_real; two are compared by sustained tests, overrides "
            "the profile"
        ),
    ] = None,
    priority: Annotated[
        list[str] | None,
        typer.Option(
            help="CPU priority: normal, high, fifo or rr; several are compared, overrides the "
            "profile"
        ),
    ] = None,
    io_priority: Annotated[
        list[str] | None,
        typer.Option(
            help="default, real_time, high, low or idle; several are compared, overrides the "
            "profile"
        ),
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Overrides the profile")] = None,
    assignment: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Any other field of the profile's tests, named as in the API, such as "
            "full_duplex=true, streams=1,4, source_cpus=0-3 or threads_per_device=2; repeatable, "
            "overrides the profile",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help='Such as "durable.mean >= 1 GB/s", beside the profile\'s; repeatable'),
    ] = None,
) -> None:
    """Launch a campaign.

    With --wait, exit with 0 if it passed, or is done and has no criteria; with 99 if it failed a
    criterion, with 98 if its verdict is inconclusive, and with 1 if a run failed or was canceled.
    """
    with connected() as client:
        chosen = find_profile(client.all("/profiles"), profile)
        overrides = OptionOverrides(chosen)
        overrides.size("--file-size", "file_size", file_size)
        overrides.size("--length", "length", length)
        overrides.duration("--duration", "length", duration)
        overrides.rate("--rate", "rate_bytes_per_s", rate)
        overrides.counts("--queue-depth", "queue_depth", queue_depth)
        overrides.words("--cache", "cache", cache)
        overrides.words("--priority", "priority", priority)
        overrides.words("--io-priority", "io_priority", io_priority)
        overrides.count("--repeats", "repeats", repeats)
        overrides.assign(assignment)
        implied = {"pace": "rate"} if rate is not None else {}
        implied |= {"engine": "io_uring"} if queue_depth else {}
        targets = client.all("/targets")
        body = {
            "name": name,
            "labels": organize.changed({}, label or []),
            "reference": reference,
            "profile_id": chosen["id"],
            "target_ids": [find_target(targets, one) for one in target or []],
            "read_back_target_id": find_target(targets, read_back_at) if read_back_at else None,
            "sources": find_ends(client, source or []),
            "sinks": find_ends(client, sink or []),
            "arrangement": arrangement,
            "together": together,
            "scale_out": scaling,
            "overrides": implied | overrides.values,
            "criteria": [{"criterion": one} for one in criterion or []],
        }
        try:
            campaign = _launch(client, body)
        except CommandError as error:
            raise CommandError(overrides.named(str(error)), error.exit_code) from error
        if wait:
            _follow(client, campaign)


@app.command()
def rerun(
    campaign_id: Annotated[int, typer.Argument(metavar="CAMPAIGN")],
    only_run: Annotated[
        int | None,
        typer.Option("--run", help="Id of one of its runs: launch only what this run measured"),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Campaign name; by default the same")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait, then print the results")] = False,
) -> None:
    """Launch a campaign again: the same profile version, targets, parameters and criteria.

    Exit codes are those of `assay campaign run`.
    """
    with connected() as client:
        chosen = {} if only_run is None else {"run_id": only_run}
        plan = client.get(f"/campaigns/{campaign_id}/plan", **chosen)
        campaign = _launch(client, plan | ({} if name is None else {"name": name}))
        if wait:
            _follow(client, campaign)


def _launch(client: Client, plan: dict[str, Any]) -> dict[str, Any]:
    """Print how long a campaign will take, if that is known, and launch it."""
    expected = client.post("/campaigns/estimate", plan)["expected"]
    campaign = client.post("/campaigns", plan)
    output.print(f"campaign {campaign['id']}: {shown(campaign['name'])}", highlight=False)
    if expected is not None:
        output.print(f"expected duration: {expected_words(expected)}", highlight=False)
    return campaign


def expected_words(expected: dict[str, Any]) -> str:
    """Return an expected duration with its source: `about 37.0 min, from 4 runs since …`."""
    runs = len(expected["run_ids"])
    since = expected["since"].partition("T")[0]
    source = f"{runs} runs since {since}" if runs > 1 else f"a run of {since}"
    return f"about {span(1_000_000_000 * round(expected['seconds']))}, from {source}"


def _follow(client: Client, campaign: dict[str, Any]) -> None:
    """Wait for the end of a campaign, print its results, and exit by its verdict."""
    ended = _watch(client, campaign["id"])
    for one in ended["runs"]:
        _show(client, one)
    if ended["parameters"].get("scale_out"):
        scale_out.show(client, ended["id"])
    if ended["parameters"].get("arrangement") == "mesh":
        mesh.show(client, ended["id"])
    _judge(client, ended)


def find_profile(profiles: Sequence[dict[str, Any]], wanted: str) -> dict[str, Any]:
    """Return the profile with this name, slug or id; raises CommandError."""
    for profile in profiles:
        if wanted in (profile["name"], profile["slug"], str(profile["id"])):
            return profile
    names = [name for profile in profiles for name in (profile["name"], profile["slug"])]
    known = ", ".join(repr(profile["name"]) for profile in profiles)
    remedy = did_you_mean(wanted, names) or f"Known profiles: {known}."
    raise CommandError(f"Unknown profile {wanted!r}. {remedy}")


def find_ends(client: Client, wanted: Sequence[str]) -> list[dict[str, int]]:
    """Return ends of transfers: hosts with these names, else targets; raises CommandError."""
    if not wanted:
        return []
    hosts = {host["name"]: host["id"] for host in client.all("/hosts")}
    targets = client.all("/targets")
    return [
        {"host_id": hosts[one]} if one in hosts else {"target_id": find_target(targets, one)}
        for one in wanted
    ]


def find_target(targets: Sequence[dict[str, Any]], wanted: str) -> int:
    """Return the id of the target with this id, path or name; raises CommandError.

    `HOST/PATH` and `HOST:PATH` name it as well, with the name or the slug of its host.
    """
    found = [target for target in targets if wanted in _names(target)]
    if len(found) == 1:
        return found[0]["id"]
    known = ", ".join(f"{t['id']} ({t['host_name']}:{t['path']})" for t in found or targets)
    if found:
        raise CommandError(f"{wanted!r} matches several targets: {known}. Use the id.")
    names = [name for target in targets for name in _names(target)]
    remedy = did_you_mean(wanted, names) or f"Known targets: {known or 'none'}."
    raise CommandError(f"Unknown target {wanted!r}. {remedy}")


def _names(target: dict[str, Any]) -> tuple[str, ...]:
    host, path = target["host_name"], target["path"]
    full = (f"{one}{path}" for one in (host, slug(host)))
    return str(target["id"]), path, target["name"], *full, f"{host}:{path}"


def _watch(client: Client, campaign_id: int) -> dict[str, Any]:
    """Show a progress bar for each run until all have ended; return the campaign."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Progress(*columns, console=output) as progress:
        bars: dict[int, Any] = {}
        while True:
            campaign = client.get(f"/campaigns/{campaign_id}")
            for one in campaign["runs"]:
                if one["id"] not in bars:
                    bars[one["id"]] = progress.add_task(
                        shown(named(one)), total=one["trials_total"], now=""
                    )
                bar = bars[one["id"]]
                progress.update(bar, completed=one["trials_done"], now=shown(doing(one)))
            if all(one["state"] in FINAL for one in campaign["runs"]):
                return campaign
            time.sleep(POLL_S)


def named(one: dict[str, Any]) -> str:
    """Return the title of a run with its hosts and targets."""
    where = " + ".join(map(_place, one["participants"]))
    return f"{one['title']} on {where}"


def _place(part: dict[str, Any]) -> str:
    """Return a participant's host, with the path of its target if it has one."""
    target: dict[str, Any] | None = part["target"]
    return f"{part['host']['name']} {target['path']}" if target else part["host"]["name"]


def doing(one: dict[str, Any]) -> str:
    """Return the current activity of a run."""
    if one["state"] == "queued":
        obstacle: dict[str, Any] | None = one["waits_for"]
        return f"queued: {obstacle['what']}" if obstacle else "queued"
    if one["condition"] is not None:
        return f"{one['state']}, {one['condition']}: {one['state_reason']}"
    current = one["current"]
    if one["state"] != "running" or current is None:
        return one["state"]
    parts = [KINDS[one["kind"]].trial_words(current["parameters"])]
    if current["rate_bytes_per_s"]:
        parts.append(f"{current['rate_bytes_per_s'] / 1e6:.0f} MB/s")
    if one["eta_s"] is not None:
        parts.append(f"{one['eta_s']:.0f} s left")
    return ", ".join(parts)


def _judge(client: Client, ended: dict[str, Any]) -> None:
    """Print the verdict of an ended campaign; raises CommandError unless it passed."""
    verdict = ended["verdict"]
    if verdict:
        _show_verdict(client.get(f"/campaigns/{ended['id']}/verdict"))
    outcome = verdict and verdict["outcome"]
    if outcome == "fail":
        raise CommandError(f"campaign {ended['id']} failed its criteria", exit_code=FAIL)
    if ended["state"] != "done":
        raise CommandError(f"campaign {ended['id']} is {ended['state']}", exit_code=ERROR)
    if outcome == "inconclusive":
        raise CommandError(
            f"the verdict on campaign {ended['id']} is inconclusive", exit_code=INCONCLUSIVE
        )


def _show_verdict(verdict: dict[str, Any]) -> None:
    """Print a row for each criterion and run, and why some are inconclusive."""
    judged = [
        (f"run {one['run_id']}", f"{one['run_id']} {one['title']}", one["rows"])
        for one in verdict["runs"]
    ]
    judged.append(("no run", "none", verdict["unjudged"]))
    table = Table("run", title=f"verdict: {verdict['outcome']}")
    table.add_column("criterion", overflow="fold")
    for column in ("measured", "margin", "outcome"):
        table.add_column(column, justify="right")
    for _, title, rows in judged:
        for row in rows:
            table.add_row(
                shown(title),
                shown(row["criterion"]),
                words.measured(row["measured"], row["dimension"], row["criterion"]),
                words.margin(row["margin"]),
                row["outcome"],
            )
    output.print(table)
    for run_words, _, rows in judged:
        for row in rows:
            evidence = row["evidence"]
            for said in (
                words.judged_cell(evidence["cell"], row["of_cells"]),
                words.judged_participant(evidence["participant"]),
            ):
                if said:
                    output.print(shown(f"{run_words}, {row['criterion']}: {said}"), highlight=False)
            for doubt in row["doubts"] if row["judged"] == "inconclusive" else ():
                why = f"{run_words}, {row['criterion']}: {doubt['message']}"
                output.print(shown(why), highlight=False)


def _show(client: Client, one: dict[str, Any]) -> None:
    """Print a run's result as a table, and its warnings."""
    report = KINDS[one["kind"]].report(client.get(f"/runs/{one['id']}/result"))
    first, *others = report.columns
    table = Table(first, title=shown(f"{named(one)}: {report.title}"))
    for column in others:
        table.add_column(column, justify="right")
    for row in report.rows:
        table.add_row(*row)
    output.print(table)
    if one["error"]:
        output.print(shown(f"{one['error']['title']}: {one['error']['detail']}"))
    for sentence in report.sentences:
        output.print(shown(sentence), highlight=False)
