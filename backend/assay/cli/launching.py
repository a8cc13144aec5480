"""Launches: from a file or again, their estimates, and `assay campaign plan|save-profile|wait`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from assay.analysis.words import count, size, span
from assay.campaigns.schemas import Estimate, ExpectedDuration, RunEstimate
from assay.cli.client import connected
from assay.cli.console import (
    AsJson,
    CommandError,
    json_only,
    output,
    print_json,
    print_list,
    shown,
)
from assay.cli.files import read_object
from assay.cli.organize import CampaignId
from assay.cli.waiting import (
    CancelOnInterrupt,
    JUnit,
    Markdown,
    Timeout,
    Wait,
    Waiting,
    follow,
    waiting,
)
from assay.client import Assay
from assay.client.campaigns import Plan

JustEstimate = Annotated[
    bool,
    typer.Option(
        "--estimate", help="Print size, duration and problems, and launch nothing; 1 if unfit"
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        help="Idempotency key, such as the id of a pipeline's job: repeated with it, the command "
        "returns to the campaign that it launched before; needs ASSAY_TOKEN"
    ),
]
OfRun = Annotated[
    int | None, typer.Option("--run", help="Id of one of its runs: only what this run measured")
]


def launch(  # noqa: PLR0917 (options, each given by name)
    file: Annotated[
        Path, typer.Argument(help="Plan as JSON, as `campaign plan` prints it; - is standard input")
    ],
    wait: Wait = False,
    timeout: Timeout = None,
    cancel_on_interrupt: CancelOnInterrupt = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    estimate: JustEstimate = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Launch a campaign from a file, with everything that POST /campaigns takes.

    Exit codes are those of `assay campaign run`.
    """
    how = waiting(wait, timeout, cancel_on_interrupt, junit, markdown, as_json)
    body = read_object(file, "It is the body of POST /campaigns.")
    with connected() as assay:
        go(assay, body, how, estimate=estimate, key=key, as_json=as_json)


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
    estimate: JustEstimate = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Launch a campaign again: the same profile version, targets, parameters and criteria.

    Exit codes are those of `assay campaign run`.
    """
    how = waiting(wait, timeout, cancel_on_interrupt, junit, markdown, as_json)
    with connected() as assay:
        plan = assay.campaigns.plan(campaign_id, run_id=only_run)
        if name is not None:
            plan.name = name
        go(assay, plan, how, estimate=estimate, key=key, as_json=as_json)


@json_only
def plan(campaign: CampaignId, run: OfRun = None) -> None:
    """Print what launches a campaign again as JSON, which `launch` takes."""
    with connected("viewer") as assay:
        print_json(assay.get(f"/campaigns/{campaign}/plan", run_id=run))


def save_profile(
    campaign: CampaignId,
    name: Annotated[str, typer.Argument(help="Of the profile")],
    run: OfRun = None,
    as_json: AsJson = False,
) -> None:
    """Save what a campaign launched as a profile."""
    with connected() as assay:
        made = assay.campaigns.save_as_profile(campaign, name, run_id=run)
    if as_json:
        print_json(made)
    else:
        output.print(shown(f"profile {made.id} {made.name}"), highlight=False)


def wait_for(  # noqa: PLR0917 (options, each given by name)
    campaign: CampaignId,
    timeout: Timeout = None,
    cancel_on_interrupt: CancelOnInterrupt = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    as_json: AsJson = False,
) -> None:
    """Wait for the end of a campaign, then print its results.

    Exit codes are those of `assay campaign run`.
    """
    how = waiting(True, timeout, cancel_on_interrupt, junit, markdown, as_json)
    with connected() as assay:
        if how is not None:
            follow(assay, campaign, how)


def go(
    assay: Assay,
    plan: Plan,
    how: Waiting | None,
    *,
    estimate: bool,
    key: str | None,
    as_json: bool,
) -> None:
    """Launch a campaign and wait for it as `how` says, or only print its estimate."""
    if key is not None and not os.environ.get("ASSAY_TOKEN"):
        raise CommandError(
            "--key needs ASSAY_TOKEN: keys belong to a token, and without it each command has a "
            "temporary one. Create a token with `assay token create`."
        )
    expected = assay.campaigns.estimate(plan)
    if estimate:
        _print_estimate(expected, as_json=as_json)
        return
    campaign = assay.campaigns.launch(plan, key=key)
    if not as_json:
        output.print(f"campaign {campaign.id}: {shown(campaign.name)}", highlight=False)
        if expected.expected is not None:
            said = f"expected duration: {expected_words(expected.expected)}"
            output.print(said, highlight=False)
    if how:
        follow(assay, campaign.id, how)
    elif as_json:
        print_json({"campaign": campaign, "verdict": None, "results": []})


def _print_estimate(found: Estimate, *, as_json: bool) -> None:
    """Print an estimate, and exit with 1 unless the campaign fits."""
    if as_json:
        print_json(found)
    else:
        columns = ("test", "target or host", "role", "trials", "writes", "free after")
        print_list(found.runs, columns, _estimated, as_json=False, title="estimate")
        for line in _estimate_lines(found):
            output.print(shown(line), highlight=False)
    if found.fits is not True:
        raise CommandError("the campaign cannot be launched like this", exit_code=1)


def _estimated(one: RunEstimate) -> Sequence[str]:
    place = f"host {one.host_id}" if one.target_id is None else f"target {one.target_id}"
    free = "" if one.free_after_bytes is None else size(one.free_after_bytes)
    return (one.title, place, one.role, str(one.trials), size(one.bytes_written), free)


def _estimate_lines(found: Estimate) -> list[str]:
    lines = [
        f"{count(found.run_count, 'run')}, {count(found.trials, 'trial')}, "
        f"{size(found.bytes_written)} written",
        f"duration: {_seconds(found.shortest_s)} to {_seconds(found.longest_s)}",
    ]
    if found.expected is not None:
        lines.append(f"expected duration: {expected_words(found.expected)}")
    lines += [f"busy: {one.name}, by run {one.run_id}" for one in found.hosts_busy]
    lines += [f"problem: {one.field}: {one.message}. {one.remedy}" for one in found.problems]
    lines += [f"warning: {one.message}" for one in found.warnings]
    return lines


def _seconds(seconds: float) -> str:
    return span(round(seconds * 1_000_000_000))


def expected_words(expected: ExpectedDuration) -> str:
    """Return an expected duration with its source: `about 37.0 min, from 4 runs since …`."""
    runs, since = len(expected.run_ids), f"{expected.since:%Y-%m-%d}"
    source = f"{runs} runs since {since}" if runs > 1 else f"a run of {since}"
    return f"about {span(1_000_000_000 * round(expected.seconds))}, from {source}"
