"""`assay campaign`: launch a profile on targets, wait for it, print its results."""

from collections.abc import Sequence
from typing import Annotated

import typer

from assay.campaigns.pairs import Arrangement
from assay.cli import campaign_list, grids, launching, notes, organize, share, verdicts
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError
from assay.cli.labels import labels_of
from assay.cli.launching import JustEstimate, Key, go
from assay.cli.overrides import OptionOverrides
from assay.cli.waiting import CancelOnInterrupt, JUnit, Markdown, Timeout, Wait, waiting
from assay.client import Assay, AssayError
from assay.http.names import slug

app = typer.Typer(help="Campaigns.", no_args_is_help=True)


app.command("launch")(launching.launch)
app.command("rerun")(launching.rerun)
app.command("plan")(launching.plan)
app.command("save-profile")(launching.save_profile)
app.command("wait")(launching.wait_for)
app.command("verdict")(verdicts.of_campaign)
app.command("judge")(verdicts.judge)
app.command("waive")(verdicts.waive_in_campaign)
grids.add(app, "scale-out", "Print a campaign's aggregate rates over 1, 2, … N targets, or pairs.")
grids.add(
    app, "mesh", "Print the rates of a campaign's mesh: from each source to each destination."
)
app.command("list")(campaign_list.command)
app.command("show")(organize.show)
app.command("cancel")(organize.cancel)
app.command("rename")(organize.rename)
app.command("label")(organize.label)
notes.add(app, "campaign", "/campaigns")
app.command("delete")(organize.delete)
app.command("undelete")(organize.undelete)
app.command("report")(share.report)
app.command("share")(share.share)
app.command("shares")(share.shares)
app.command("show-share")(share.show_share)
app.command("unshare")(share.unshare)


@app.command()
def run(  # noqa: PLR0917 (options, each given by name)
    profile: Annotated[str, typer.Option(help="Name, slug or id")],
    target: Annotated[
        list[str] | None, typer.Option(help="HOST/PATH, path, name or id; repeatable")
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
    estimate: JustEstimate = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Launch a campaign.

    With --wait, exit with 0 if it passed, or is done and has no criteria; with 99 if it failed a
    criterion, with 98 if its verdict is inconclusive, and with 1 if a run failed or was canceled,
    or if it has not ended within --timeout.
    """
    how = waiting(wait, timeout, cancel_on_interrupt, junit, markdown, as_json)
    with connected() as assay:
        chosen = assay.profiles.get(profile)
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
        body = {
            "name": name,
            "labels": labels_of(label),
            "reference": reference,
            "profile_id": chosen.id,
            "targets": target,
            "read_back_target": read_back_at,
            "sources": ends(assay, source or []),
            "sinks": ends(assay, sink or []),
            "arrangement": arrangement,
            "together": together,
            "scale_out": scaling,
            "overrides": implied | overrides.values,
            "criteria": [{"criterion": one} for one in criterion or []],
        }
        try:
            go(assay, body, how, estimate=estimate, key=key, as_json=as_json)
        except AssayError as error:
            raise CommandError(overrides.named(str(error))) from error


def ends(assay: Assay, wanted: Sequence[str]) -> list[dict[str, str]]:
    """Return ends of transfers: hosts with these names, else targets."""
    if not wanted:
        return []
    names = {name for host in assay.hosts.list() for name in (host.name, slug(host.name))}
    return [{"host": one} if one in names else {"target": one} for one in wanted]
