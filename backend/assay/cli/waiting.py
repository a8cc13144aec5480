"""Waiting for the end of a campaign: progress, results, verdict and reports."""

import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from assay.cli import mesh, reports, scale_out
from assay.cli.client import Client
from assay.cli.console import CommandError, errors, output, shown
from assay.cli.overrides import seconds_of
from assay.kinds.kind import Report
from assay.kinds.registry import KINDS
from assay.runs.lifecycle import FINAL
from assay.verdicts import words

POLL_S = 0.5

ERROR, INCONCLUSIVE, FAIL = 1, 98, 99
"""Exit codes; 0 is a pass, and 2 a command that did not start its work."""

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


def waiting(
    wait: bool, timeout: str | None, cancels: bool, junit: Path | None, markdown: Path | None
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
    return Waiting(limit_s, cancels, junit, markdown)


def follow(client: Client, campaign_id: int, how: Waiting) -> None:
    """Wait for the end of a campaign, print and write its results, and exit by its verdict."""
    with _interruptible(client, campaign_id, cancels=how.cancels):
        ended = _watch(client, campaign_id, how.timeout_s)
    verdict = client.get(f"/campaigns/{campaign_id}/verdict") if ended["verdict"] else None
    found = [(one, _report(client, one)) for one in ended["runs"]]
    for one, report in found:
        _show_run(one, report)
    if ended["parameters"].get("scale_out"):
        scale_out.show(client, ended["id"])
    if ended["parameters"].get("arrangement") == "mesh":
        mesh.show(client, ended["id"])
    if verdict:
        _show_verdict(verdict)
    if how.junit:
        how.junit.write_bytes(reports.junit(ended, verdict))
    if how.markdown:
        how.markdown.write_text(reports.markdown(ended, verdict, found))
    _exit(ended)


@contextmanager
def _interruptible(client: Client, campaign_id: int, *, cancels: bool) -> Generator[None]:
    """Exit with INTERRUPTED at Ctrl-C or SIGTERM; the campaign is canceled, or continues."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if cancels:
            client.post(f"/campaigns/{campaign_id}/cancel")
        what = "is being canceled" if cancels else "continues"
        raise CommandError(f"interrupted: campaign {campaign_id} {what}", INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _watch(client: Client, campaign_id: int, timeout_s: float | None) -> dict[str, Any]:
    """Return the campaign once all runs have ended; raises CommandError after `timeout_s`.

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
        began = time.monotonic()
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
            if timeout_s is not None and time.monotonic() - began > timeout_s:
                raise CommandError(
                    f"campaign {campaign_id} has not ended within {timeout_s:g} s; it continues",
                    exit_code=ERROR,
                )
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


def _exit(ended: dict[str, Any]) -> None:
    """Raise CommandError unless an ended campaign passed."""
    verdict = ended["verdict"]
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


def _report(client: Client, one: dict[str, Any]) -> Report:
    return KINDS[one["kind"]].report(client.get(f"/runs/{one['id']}/result"))


def _show_run(one: dict[str, Any], report: Report) -> None:
    """Print a run's result as a table, and its warnings."""
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
