"""Launches: `assay campaign run|launch|rerun|plan|save-profile|wait`, and their estimates."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.base.words import count, size, span
from assay.cli.arguments import read_object
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    CommandError,
    json_only,
    output,
    print_json,
    print_list,
    say,
    shown,
)
from assay.cli.nouns import CampaignId
from assay.cli.options import Command, Option, flag, text, with_options
from assay.cli.plans import Choices, choosing
from assay.cli.waiting import OPTIONS as WAITING
from assay.cli.waiting import Waiting, follow, watching
from assay.client import Assay, AssayError
from assay.client.campaigns import Plan
from assay.runs.campaigns.schemas import Estimate, ExpectedDuration, RunEstimate

OfRun = Annotated[
    int | None, typer.Option("--run", help="Id of one of its runs: only what this run measured")
]

OPTIONS: Mapping[str, Option] = {
    "wait": flag("--wait", "Wait, then print the results"),
    **WAITING,
    "estimate": flag(
        "--estimate", "Print size, duration and problems, and launch nothing; 1 if unfit"
    ),
    "key": text(
        "Idempotency key, such as the id of a pipeline's job: repeated with it, the command "
        "returns to the campaign that it launched before; needs ASSAY_TOKEN"
    ),
}
"""The options of commands that launch."""


@dataclass(frozen=True)
class LaunchOptions:
    """How a plan is launched."""

    wait: bool
    waiting: Waiting
    estimate: bool
    key: str | None

    def of(self, assay: Assay, plan: Plan) -> None:
        """Launch a campaign and wait for it, or only print its estimate."""
        if self.key is not None and not os.environ.get("ASSAY_TOKEN"):
            raise CommandError(
                "--key needs ASSAY_TOKEN: keys belong to a token, and without it each command has "
                "a temporary one. Create a token with `assay token create`."
            )
        expected = assay.campaigns.estimate(plan)
        if self.estimate:
            _print_estimate(expected, as_json=self.waiting.as_json)
            return
        campaign = assay.campaigns.launch(plan, key=self.key)
        if not self.waiting.as_json:
            output.print(f"campaign {campaign.id}: {shown(campaign.name)}", highlight=False)
            if expected.expected is not None:
                said = f"expected duration: {expected_words(expected.expected)}"
                output.print(said, highlight=False)
        if self.wait:
            follow(assay, campaign.id, self.waiting)
        elif self.waiting.as_json:
            print_json({"campaign": campaign, "verdict": None, "results": []})


def launching(command: Command) -> Command:
    """Give a command the options of a launch; it gets them as `launch`."""

    def called(**given: Any) -> None:
        wait, estimate, key = (given.pop(name) for name in ("wait", "estimate", "key"))
        waiting = Waiting(**{name: given.pop(name) for name in WAITING})
        waiting.check(wait=wait)
        command(launch=LaunchOptions(wait, waiting, estimate, key), **given)

    return with_options(called, command, OPTIONS, without="launch")


@choosing
@launching
def run(
    profile: Annotated[str, typer.Option(help="Name, slug or id")],
    choices: Choices,
    launch: LaunchOptions,
    name: Annotated[str | None, typer.Option(help="Campaign name")] = None,
) -> None:
    """Launch a campaign.

    With --wait, exit with 0 if it passed, or is done and has no criteria; with 99 if it failed a
    criterion, with 98 if its verdict is inconclusive, and with 1 if a run failed or was canceled,
    or if it has not ended within --timeout.
    """
    with connected() as assay:
        try:
            launch.of(assay, {"name": name, **choices.plan(assay, profile)})
        except AssayError as error:
            raise choices.explained(error) from error


@launching
def launch(
    file: Annotated[
        Path, typer.Argument(help="Plan as JSON, as `campaign plan` prints it; - is standard input")
    ],
    launch: LaunchOptions,
) -> None:
    """Launch a campaign from a file, with everything that POST /campaigns takes.

    Exit codes are those of `assay campaign run`.
    """
    body = read_object(file, "It is the body of POST /campaigns.")
    with connected() as assay:
        launch.of(assay, body)


@launching
def rerun(
    campaign: CampaignId,
    launch: LaunchOptions,
    only_run: OfRun = None,
    name: Annotated[str | None, typer.Option(help="Campaign name; by default the same")] = None,
) -> None:
    """Launch a campaign again: the same profile version, targets, parameters and criteria.

    Exit codes are those of `assay campaign run`.
    """
    with connected() as assay:
        plan = assay.campaigns.plan(campaign, run_id=only_run)
        if name is not None:
            plan.name = name
        launch.of(assay, plan)


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
    say(made, f"profile {made.id} {made.name}", as_json=as_json)


@watching
def wait_for(campaign: CampaignId, waiting: Waiting) -> None:
    """Wait for the end of a campaign, then print its results.

    Exit codes are those of `assay campaign run`.
    """
    with connected() as assay:
        follow(assay, campaign, waiting)


def _print_estimate(found: Estimate, *, as_json: bool) -> None:
    """Print an estimate, and exit with 1 unless the campaign fits."""
    if as_json:
        print_json(found)
    else:
        columns: Columns = {
            **{"test": "title", "target or host": _place, "role": "role", "trials": "trials"},
            **{"writes": _written, "free after": "free_after_bytes"},
        }
        print_list(found.runs, columns, as_json=False, title="estimate")
        for line in _estimate_lines(found):
            output.print(shown(line), highlight=False)
    if found.fits is not True:
        raise CommandError("the campaign cannot be launched like this", exit_code=1)


def _place(one: RunEstimate) -> str:
    return f"host {one.host_id}" if one.target_id is None else f"target {one.target_id}"


def _written(one: RunEstimate) -> str:
    return size(one.bytes_written)


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
