"""`assay search|overview|health|audit|api`: the appliance as a whole, and any other request."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from assay.base import words as figures
from assay.cli.arguments import read
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    CommandError,
    in_order,
    json_only,
    minute,
    output,
    print_json,
    print_list,
    say,
)
from assay.cli.options import filtered, widening
from assay.cli.results import doing, named
from assay.client.appliance import AuditFilter
from assay.history.health.schemas import Health
from assay.history.overview.schemas import Overview
from assay.runs.schemas import LatestResult


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
    hits = [
        (group.type, str(hit.id), hit.name, hit.detail)
        for group in found.groups
        for hit in group.hits
    ]
    print_list(hits, in_order("type", "id", "name", "detail"), as_json=False)
    for group in found.groups:
        if group.more:
            output.print(f"{group.type}: there are more; raise --limit", highlight=False)


@filtered(AuditFilter, most=50)
def audit(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List changes, by default the newest first: who did what, when and from where."""
    with connected("admin") as assay:
        found = list(assay.audit(**query))
    columns: Columns = {
        "time (UTC)": "at",
        "actor": "actor",
        "action": "action",
        "object": "object",
    }
    print_list(found, columns, as_json=as_json)


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
    runs: Columns = {
        **{"run": "id", "campaign": "campaign_name"},
        **{"test and place": named, "now": doing},
    }
    for title, active in (("Running", found.running), ("Queued", found.queued)):
        if active:
            print_list(active, runs, as_json=False, title=title)
        else:
            output.print(f"{title}: none", highlight=False)
    if found.issues:
        print_list(found.issues, {"problem": "message"}, as_json=False, title="Needs attention")
    else:
        output.print("Needs attention: nothing", highlight=False)
    arrays: Columns = {
        **{"array": "name", "state": "state", "newest run": "newest.id"},
        **{"verdict": "newest.verdict.outcome", "ended (UTC)": "newest.ended_at"},
    }
    print_list(found.arrays, arrays, as_json=False, title="Arrays")
    results: Columns = {
        **{"run": "run_id", "verdict": "verdict.outcome", "campaign": "name", "test": "title"},
        **{"rate": _rate, "ended (UTC)": "ended_at"},
    }
    print_list(found.latest, results, as_json=False, title="Recent results")


def _rate(one: LatestResult) -> str:
    """Format the headline's rate, or both levels of a cell with a cliff."""
    if one.headline_levels:
        return ", then ".join(figures.rate(level.bytes_per_s) for level in one.headline_levels)
    return "" if one.best_bytes_per_s is None else figures.rate(one.best_bytes_per_s)


def health(as_json: AsJson = False) -> None:
    """Show whether database, disk, queue and workers respond; exit with 1 unless all do."""
    with connected("viewer") as assay:
        found = assay.health()
    say(found, *_health_lines(found), as_json=as_json)
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


@json_only
def api(
    method: Annotated[
        Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
        typer.Argument(case_sensitive=False, help="HTTP method"),
    ],
    path: Annotated[str, typer.Argument(help="Such as /hosts/3/inventory")],
    data: Annotated[str | None, typer.Option(help="JSON body")] = None,
    file: Annotated[
        Path | None, typer.Option(help="Read the body from this file; - is standard input")
    ] = None,
) -> None:
    """Send any request of the API's description, and print the response."""
    if data is not None and file is not None:
        raise CommandError("Give --data or --file, not both.")
    text = read(file) if file is not None else data
    try:
        body = None if text is None else json.loads(text)
    except ValueError as error:
        raise CommandError(f"The body is not JSON: {error}.") from error
    if not path.startswith("/"):
        raise CommandError(f"The path is {path!r}. Begin it with /, as in /hosts.")
    with connected("admin") as assay:
        found = {
            "GET": lambda: assay.get(path),
            "POST": lambda: assay.post(path, body),
            "PUT": lambda: assay.put(path, body or {}),
            "PATCH": lambda: assay.patch(path, body or {}),
            "DELETE": lambda: assay.delete(path),
        }[method]()
    if found is not None:
        print_json(found)
