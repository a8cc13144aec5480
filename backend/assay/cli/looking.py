"""`assay search`, `assay overview`, `assay health` and `assay audit`: the appliance as a whole."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.accounts.schemas import AuditOut
from assay.analysis import words as figures
from assay.cli.client import connected
from assay.cli.console import AsJson, minute, output, print_json, print_list, shown
from assay.cli.filters import filtered, widening
from assay.cli.waiting import doing, named
from assay.health.schemas import Health
from assay.overview.schemas import Issue, Overview
from assay.runs.schemas import LatestResult, RunSummary


def search(
    words: Annotated[list[str], typer.Argument(help="All must match; a number is an id")],
    limit: Annotated[int, typer.Option(help="Maximum matches of each type", min=1, max=50)] = 5,
    as_json: AsJson = False,
) -> None:
    """Search hosts, arrays, targets, profiles, campaigns, runs and schedules."""
    with connected("viewer") as assay:
        found = assay.search(" ".join(words), limit=limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (group.type, str(hit.id), hit.name, hit.detail)
        for group in found.groups
        for hit in group.hits
    ]
    print_list(rows, ("type", "id", "name", "detail"), lambda row: row, as_json=False)
    for group in found.groups:
        if group.more:
            output.print(f"{group.type}: there are more; raise --limit", highlight=False)


@filtered("actor", "since", "until", "words", most=50)
def audit(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List changes, by default the newest first: who did what, when and from where."""
    with connected("admin") as assay:
        found = list(assay.audit(**query))
    print_list(found, ("time (UTC)", "actor", "action", "object"), _entry, as_json=as_json)


def _entry(one: AuditOut) -> Sequence[str]:
    return (minute(one.at), one.actor, one.action, one.object)


@widening
def overview(as_json: AsJson = False) -> None:
    """Show active and queued runs, problems and recent results."""
    with connected("viewer") as assay:
        found = assay.overview()
    if as_json:
        print_json(found)
    else:
        _print_overview(found)


def _print_overview(found: Overview) -> None:
    runs = ("run", "test and place", "now")
    for title, active in (("Running", found.running), ("Queued", found.queued)):
        if active:
            print_list(active, runs, _active, as_json=False, title=title)
        else:
            output.print(f"{title}: none", highlight=False)
    if found.issues:
        print_list(found.issues, ("problem",), _issue, as_json=False, title="Needs attention")
    else:
        output.print("Needs attention: nothing", highlight=False)
    results = ("run", "campaign", "test", "rate", "verdict", "ended (UTC)")
    print_list(found.latest, results, _latest, as_json=False, title="Recent results")


def _active(run: RunSummary) -> Sequence[str]:
    return (str(run.id), named(run), doing(run))


def _issue(issue: Issue) -> Sequence[str]:
    return (issue.message,)


def _latest(one: LatestResult) -> Sequence[str]:
    outcome = one.verdict.outcome if one.verdict else ""
    return (str(one.run_id), one.name, one.title, _rate(one), outcome, minute(one.ended_at))


def _rate(one: LatestResult) -> str:
    """Format the headline's rate, or both levels of a cell with a cliff."""
    if one.headline_levels:
        return ", then ".join(figures.rate(level.bytes_per_s) for level in one.headline_levels)
    return "" if one.best_bytes_per_s is None else figures.rate(one.best_bytes_per_s)


def health(as_json: AsJson = False) -> None:
    """Show whether database, disk, queue and workers respond; exit with 1 unless all do."""
    with connected("viewer") as assay:
        found = assay.health()
    if as_json:
        print_json(found)
    else:
        for line in _health_lines(found):
            output.print(shown(line), highlight=False)
    if found.status != "ok":
        raise typer.Exit(1)


def _health_lines(found: Health) -> list[str]:
    database, disk, queue = found.database, found.disk, found.queue
    lines = [
        f"Assay {found.version}: {found.status}",
        _part(f"database ({database.kind})", database.ok, database.detail),
        _part(f"disk {disk.path}", disk.ok, disk.detail or f"{figures.size(disk.free_bytes)} free"),
        _part("queue", queue.ok, queue.detail),
    ]
    if not found.workers:
        lines.append("workers: none has been seen in the last 30 s")
    for worker in found.workers:
        seen = f"last seen {minute(worker.seen_at)} UTC"
        lines.append(_part(f"worker {worker.name}", worker.problem is None, worker.problem or seen))
    return lines


def _part(what: str, ok: bool, detail: str | None) -> str:
    said = f": {detail}" if detail else ""
    return f"{what}: {'ok' if ok else 'failed'}{said}"
