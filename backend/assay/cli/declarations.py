"""`assay apply` and `assay export`: hosts, targets, arrays and profiles as a YAML file."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.api.declarations.schemas import FilePlan, PlannedChange, schema_document
from assay.cli.arguments import read
from assay.cli.connection import connected
from assay.cli.console import CommandError, output, shown
from assay.client.transport import TIMEOUT_S

SIGNS = {"create": "+", "change": "~", "remove": "-", "keep": "!", "wait": "?", "unchanged": "="}
WORDS = {
    "create": "created",
    "change": "changed",
    "remove": "removed",
    "unchanged": "unchanged",
    "keep": "kept",
    "wait": "waiting",
}
LONGEST_VALUE = 60
INCOMPLETE = 1


def apply(
    file: Annotated[
        Path | None, typer.Option("-f", "--file", help="The file; - is standard input")
    ] = None,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan only")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove what the file created and no longer has")
    ] = False,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Take over objects that the file did not create")
    ] = False,
    wait: Annotated[
        int, typer.Option(help="Seconds to wait for hosts and directories", min=0, max=600)
    ] = 60,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the file, and do nothing")
    ] = False,
) -> None:
    """Create and change what a qualification file describes.

    Exits with 1 if something waits, such as a target of a host that does not respond.
    """
    if schema:
        typer.echo(schema_document(), nl=False)
        return
    if file is None:
        raise CommandError("Name the file: assay apply -f qualification.yaml")
    query = {"dry_run": dry_run, "prune": prune, "adopt": adopt, "wait": wait}
    body, limit_s = {"text": read(file)}, 2 * wait + TIMEOUT_S
    with connected("admin") as assay:
        answer = assay.post("/apply", body, limit_s, key=None, **query)
    plan = FilePlan.model_validate(answer)
    if as_json:
        typer.echo(json.dumps(plan.model_dump(mode="json"), ensure_ascii=False))
    else:
        for line in lines(plan):
            output.print(shown(line), highlight=False, soft_wrap=True)
    if not plan.complete:
        raise typer.Exit(INCOMPLETE)


def export(
    name: Annotated[str, typer.Option(help="The name of the file")] = "export",
    of: Annotated[
        str | None, typer.Option("--of", help="Only what this file manages, under its name")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file instead of printing")
    ] = None,
) -> None:
    """Write a qualification file that describes what exists; secrets are not exported."""
    with connected() as client:
        found: dict[str, Any] = client.get("/export", name=name, file=of)
    if to is None:
        typer.echo(found["text"], nl=False)
        return
    try:
        to.write_text(found["text"], encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{to} cannot be written: {error.strerror}.") from error


def lines(plan: FilePlan) -> list[str]:
    """Return the plan as text: what changes, and counts."""
    found = [line for change in plan.changes for line in _lines(change)]
    counts = [
        f"{count} {word}"
        for action, word in WORDS.items()
        if (count := sum(change.action == action for change in plan.changes))
    ]
    head = "Dry run, nothing was changed: " if plan.dry_run else ""
    return [*found, f"{head}{', '.join(counts) or 'nothing to do'}"]


def _lines(change: PlannedChange) -> list[str]:
    if change.action == "unchanged":
        return [f"  {change.reason}"] if change.reason else []
    found = [f"{SIGNS[change.action]} {change.kind:<8}{change.name}"]
    found += [f"    {one.field}: {_value(one.old)} → {_value(one.new)}" for one in change.fields]
    return [*found, f"    {change.reason}"] if change.reason else found


def _value(value: object) -> str:
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
