"""Waiting for the end of a campaign: progress, results, verdict and reports."""

import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from assay.campaigns.lifecycle import FINAL
from assay.campaigns.schemas import CampaignOut
from assay.cli import grids, reports, verdicts
from assay.cli.console import CommandError, errors, output, print_json, shown, table
from assay.cli.overrides import seconds_of
from assay.cli.verdicts import ERROR
from assay.client import Assay, AssayError, WaitTimeoutError
from assay.kinds.registry import KINDS
from assay.kinds.result import Report
from assay.runs.places import places, titled
from assay.runs.schemas import RunSummary
from assay.verdicts.schemas import CampaignVerdict

POLL_S = 0.5
"""How often a terminal shows the progress."""

LONGEST_POLL_S = 60.0

INTERRUPTED = 130
"""Exit code after Ctrl-C or SIGTERM, as shells use it."""

Wait = Annotated[bool, typer.Option("--wait", help="Wait, then print the results")]
Timeout = Annotated[
    str | None,
    typer.Option(help='With --wait, at most so long, such as "2 h"; the campaign continues'),
]
CancelOnInterrupt = Annotated[
    bool,
    typer.Option("--cancel-on-interrupt", help="With --wait, cancel it at Ctrl-C or SIGTERM"),
]
JUnit = Annotated[
    Path | None, typer.Option(help="With --wait, write the verdict as JUnit XML to this file")
]
Markdown = Annotated[
    Path | None, typer.Option(help="With --wait, write verdict and results to this file")
]


@dataclass(frozen=True)
class Waiting:
    """How to wait for a campaign, and what to write at its end."""

    timeout_s: float | None
    cancels: bool
    junit: Path | None
    markdown: Path | None
    as_json: bool


def waiting(  # noqa: PLR0917 (options, in their order)
    wait: bool,
    timeout: str | None,
    cancels: bool,
    junit: Path | None,
    markdown: Path | None,
    as_json: bool,
) -> Waiting | None:
    """Return how to wait, or None without --wait; raises CommandError before anything starts."""
    given = {
        "--timeout": timeout,
        "--cancel-on-interrupt": cancels,
        "--junit": junit,
        "--markdown": markdown,
    }
    if not wait:
        if useless := next((option for option, value in given.items() if value), None):
            raise CommandError(f"{useless} is only for --wait. Add --wait, or leave it out.")
        return None
    for option, file in (("--junit", junit), ("--markdown", markdown)):
        if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
            raise CommandError(f"{option}: {file} cannot be written. Name a file in a directory.")
    limit_s = None if timeout is None else seconds_of("--timeout", timeout)
    return Waiting(limit_s, cancels, junit, markdown, as_json)


def follow(assay: Assay, campaign_id: int, how: Waiting) -> None:
    """Wait for the end of a campaign, print and write its results, and exit by its verdict."""
    try:
        with _interruptible(assay, campaign_id, cancels=how.cancels):
            ended = _watch(assay, campaign_id, how.timeout_s)
        verdict = assay.campaigns.verdict(campaign_id) if ended.verdict else None
        results = [assay.get(f"/runs/{one.id}/result") for one in ended.runs]
    except WaitTimeoutError as error:
        raise CommandError(f"{error}; it continues", ERROR) from error
    except AssayError as error:
        raise CommandError(str(error), ERROR) from error
    found = [
        (run, KINDS[run.kind].report(result))
        for run, result in zip(ended.runs, results, strict=True)
    ]
    if how.as_json:
        print_json({"campaign": ended, "verdict": verdict, "results": results})
    else:
        _show(assay, ended, verdict, found)
    _write(how, ended, verdict, found)
    _exit(ended)


def _show(
    assay: Assay,
    ended: CampaignOut,
    verdict: CampaignVerdict | None,
    found: Sequence[tuple[RunSummary, Report]],
) -> None:
    """Print the results and the verdict of a campaign."""
    for run, report in found:
        _show_run(run, report)
    if ended.parameters.get("scale_out"):
        grids.show(assay, ended.id, "scale-out")
    if ended.parameters.get("arrangement") == "mesh":
        grids.show(assay, ended.id, "mesh")
    if verdict:
        verdicts.print_campaign(verdict)


def _write(
    how: Waiting,
    ended: CampaignOut,
    verdict: CampaignVerdict | None,
    found: Sequence[tuple[RunSummary, Report]],
) -> None:
    """Write the files that were asked for."""
    campaign = ended.model_dump(mode="json")
    judged = verdict and verdict.model_dump(mode="json")
    if how.junit:
        _store(how.junit, reports.junit(campaign, judged))
    if how.markdown:
        results = [(run.model_dump(mode="json"), report) for run, report in found]
        _store(how.markdown, reports.markdown(campaign, judged, results).encode())


def _store(file: Path, content: bytes) -> None:
    """Write a file; raises CommandError."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}.", ERROR) from error


@contextmanager
def _interruptible(assay: Assay, campaign_id: int, *, cancels: bool) -> Generator[None]:
    """Exit with INTERRUPTED at Ctrl-C or SIGTERM; the campaign is canceled, or continues."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if cancels:
            assay.campaigns.cancel(campaign_id)
        what = "is being canceled" if cancels else "continues"
        raise CommandError(f"interrupted: campaign {campaign_id} {what}", INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _watch(assay: Assay, campaign_id: int, timeout_s: float | None) -> CampaignOut:
    """Return the campaign once all runs have ended; raises WaitTimeoutError after `timeout_s`.

    A terminal shows a progress bar for each run, on standard error.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[now]}"),
    )
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as progress:
        bars: dict[int, Any] = {}
        every_s = POLL_S if errors.is_terminal else LONGEST_POLL_S
        for campaign in assay.campaigns.follow(campaign_id, timeout_s, every_s):
            for one in campaign.runs:
                if one.id not in bars:
                    bars[one.id] = progress.add_task(
                        shown(named(one)), total=one.trials_total, now=""
                    )
                now = shown(doing(one))
                progress.update(bars[one.id], completed=one.trials_done, now=now)
            if campaign.state in FINAL:
                return campaign
    raise AssertionError("a campaign is followed to its end")


def named(one: RunSummary) -> str:
    """Return the title of a run with its hosts and targets."""
    return titled(one.title, places(one.participants))


def doing(one: RunSummary) -> str:
    """Return the current activity of a run."""
    if one.state == "queued":
        return f"queued: {one.waits_for.what}" if one.waits_for else "queued"
    if one.condition is not None:
        return f"{one.state}, {one.condition}: {one.state_reason}"
    current = one.current
    if one.state != "running" or current is None:
        return one.state
    parts = [KINDS[one.kind].trial_words(current.parameters.model_dump(mode="json"))]
    if current.rate_bytes_per_s:
        parts.append(f"{current.rate_bytes_per_s / 1e6:.0f} MB/s")
    if one.eta_s is not None:
        parts.append(f"{one.eta_s:.0f} s left")
    return ", ".join(parts)


def _exit(ended: CampaignOut) -> None:
    """Raise CommandError unless an ended campaign passed."""
    outcome = ended.verdict and ended.verdict.outcome
    if outcome != "fail" and ended.state != "done":
        raise CommandError(f"campaign {ended.id} is {ended.state}", exit_code=ERROR)
    verdicts.exit_by(ended.id, outcome)


def _show_run(one: RunSummary, report: Report) -> None:
    """Print a run's result as a table, and its warnings."""
    grid = table(*report.columns, title=f"{named(one)}: {report.title}", numbers=True)
    for row in report.rows:
        grid.add_row(*map(shown, row))
    output.print(grid)
    if one.error:
        output.print(shown(f"{one.error.title}: {one.error.detail}"))
    for sentence in report.sentences:
        output.print(shown(sentence), highlight=False)
