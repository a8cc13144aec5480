"""Waiting for the end of a campaign: its progress, then results, verdict and reports."""

import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from assay.cli import verdicts
from assay.cli.arguments import seconds_of
from assay.cli.console import AsJson, CommandError, errors, print_json, shown
from assay.cli.options import Command, Option, flag, text, with_options
from assay.cli.results import doing, named, show, write
from assay.cli.verdicts import ERROR
from assay.client import Assay, AssayError, WaitTimeoutError
from assay.kinds.registry import KINDS
from assay.runs.campaigns.lifecycle import FINAL
from assay.runs.campaigns.schemas import CampaignOut

POLL_S = 0.5
"""How often a terminal shows the progress."""

LONGEST_POLL_S = 60.0

INTERRUPTED = 130
"""Exit code after Ctrl-C or SIGTERM, as shells use it."""

_JUNIT = typer.Option(help="With --wait, write the verdict as JUnit XML to this file")
_MARKDOWN = typer.Option(help="With --wait, write verdict and results to this file")

OPTIONS: Mapping[str, Option] = {
    "timeout": text('With --wait, at most so long, such as "2 h"; the campaign continues'),
    "cancel_on_interrupt": flag(
        "--cancel-on-interrupt", "With --wait, cancel it at Ctrl-C or SIGTERM"
    ),
    "junit": (Annotated[Path | None, _JUNIT], None),
    "markdown": (Annotated[Path | None, _MARKDOWN], None),
    "as_json": (AsJson, False),
}
"""The options of waiting."""


@dataclass(frozen=True)
class Waiting:
    """How to wait for a campaign, and what to write at its end."""

    timeout: str | None
    cancel_on_interrupt: bool
    junit: Path | None
    markdown: Path | None
    as_json: bool

    def check(self, *, wait: bool = True) -> None:
        """Raise CommandError, before anything starts, for what cannot be done or is useless."""
        names = ("timeout", "cancel_on_interrupt", "junit", "markdown")
        given = [f"--{name.replace('_', '-')}" for name in names if getattr(self, name)]
        if given and not wait:
            raise CommandError(f"{given[0]} is only for --wait. Add --wait, or leave it out.")
        for option, file in (("--junit", self.junit), ("--markdown", self.markdown)):
            if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
                raise CommandError(
                    f"{option}: {file} cannot be written. Name a file in a directory."
                )
        self.seconds()

    def seconds(self) -> float | None:
        """Return the longest wait; raises CommandError."""
        return None if self.timeout is None else seconds_of("--timeout", self.timeout)


def watching(command: Command) -> Command:
    """Give a command that waits these options; it gets them as `waiting`."""

    def called(**given: Any) -> None:
        waiting = Waiting(**{name: given.pop(name) for name in OPTIONS})
        waiting.check()
        command(waiting=waiting, **given)

    return with_options(called, command, OPTIONS, without="waiting")


def follow(assay: Assay, campaign_id: int, how: Waiting) -> None:
    """Wait for the end of a campaign, print and write its results, and exit by its verdict."""
    try:
        with _interruptible(assay, campaign_id, cancels=how.cancel_on_interrupt):
            ended = _watch(assay, campaign_id, how.seconds())
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
        show(assay, ended, verdict, found)
    write(how.junit, how.markdown, ended, verdict, found)
    _exit(ended)


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


def _exit(ended: CampaignOut) -> None:
    """Raise CommandError unless an ended campaign passed."""
    outcome = ended.verdict and ended.verdict.outcome
    if outcome != "fail" and ended.state != "done":
        raise CommandError(f"campaign {ended.id} is {ended.state}", exit_code=ERROR)
    verdicts.exit_by(ended.id, outcome)
