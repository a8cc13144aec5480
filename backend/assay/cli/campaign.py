"""`assay campaign`: launch a profile on targets, wait for it, print its results."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.analysis.words import span
from assay.campaigns.pairs import Arrangement
from assay.cli import campaign_list, mesh, organize, scale_out
from assay.cli.client import Client, connected
from assay.cli.console import CommandError, output, shown
from assay.cli.overrides import OptionOverrides
from assay.cli.waiting import (
    CancelOnInterrupt,
    JUnit,
    Markdown,
    Timeout,
    Wait,
    follow,
    waiting,
)
from assay.http.names import slug
from assay.http.suggestions import did_you_mean

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
    wait: Wait = False,
    timeout: Timeout = None,
    cancel_on_interrupt: CancelOnInterrupt = False,
    junit: JUnit = None,
    markdown: Markdown = None,
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
    criterion, with 98 if its verdict is inconclusive, and with 1 if a run failed or was canceled,
    or if it has not ended within --timeout.
    """
    how = waiting(wait, timeout, cancel_on_interrupt, junit, markdown)
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
        if how:
            follow(client, campaign["id"], how)


@app.command()
def rerun(  # noqa: PLR0917 (options, each given by name)
    campaign_id: Annotated[int, typer.Argument(metavar="CAMPAIGN")],
    only_run: Annotated[
        int | None,
        typer.Option("--run", help="Id of one of its runs: launch only what this run measured"),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Campaign name; by default the same")] = None,
    wait: Wait = False,
    timeout: Timeout = None,
    cancel_on_interrupt: CancelOnInterrupt = False,
    junit: JUnit = None,
    markdown: Markdown = None,
) -> None:
    """Launch a campaign again: the same profile version, targets, parameters and criteria.

    Exit codes are those of `assay campaign run`.
    """
    how = waiting(wait, timeout, cancel_on_interrupt, junit, markdown)
    with connected() as client:
        chosen = {} if only_run is None else {"run_id": only_run}
        plan = client.get(f"/campaigns/{campaign_id}/plan", **chosen)
        campaign = _launch(client, plan | ({} if name is None else {"name": name}))
        if how:
            follow(client, campaign["id"], how)


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
