"""`assay run` and `assay api`: runs with their results, and every other request to the API."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from assay.cli import compare, downloads, notes, verdicts
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, json_only, print_json, print_list
from assay.cli.described import print_object
from assay.cli.files import read
from assay.cli.filters import OF_RUNS, filtered
from assay.cli.verdicts import RunId
from assay.runs.schemas import RunSummary, TrialRow

app = typer.Typer(help="Runs and their results.", no_args_is_help=True)

notes.add(app, "run", "/runs")
app.command("verdict")(verdicts.of_run)
app.command("waive")(verdicts.waive)
app.command("comparable")(compare.comparable)

FILES = {
    "result.csv": "result.csv",
    "result.md": "result.md",
    "result.svg": "result.svg",
    "conditions.csv": "conditions.csv",
    "events.ndjson": "events",
}
"""The files of a run, and where the API has them."""


@app.command("list")
@filtered("campaign", *OF_RUNS, sort="-id", most=50)
def list_runs(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List runs, by default the newest first."""
    with connected("viewer") as assay:
        found = list(assay.runs.list(**query))
    print_list(found, ("id", "campaign", "test", "state", "verdict"), _row, as_json=as_json)


@app.command()
def show(run: RunId, as_json: AsJson = False) -> None:
    """Show a run, its hosts and what happened; --json has everything."""
    with connected("viewer") as assay:
        print_object(assay.runs.get(run), as_json=as_json)


@app.command()
@json_only
def result(run: RunId) -> None:
    """Print the result of a run as JSON; `download` has it in other formats."""
    with connected("viewer") as assay:
        print_json(assay.get(f"/runs/{run}/result"))


@app.command()
def trials(run: RunId, as_json: AsJson = False) -> None:
    """List the trials of a run in the order of measurement."""
    with connected("viewer") as assay:
        found = list(assay.runs.trials(run))
    columns = ("position", "id", "cell", "repeat", "status", "attempts")
    print_list(found, columns, _trial, as_json=as_json)


@app.command()
def download(
    run: RunId,
    file: Annotated[
        Literal["result.csv", "result.md", "result.svg", "conditions.csv", "events.ndjson"],
        typer.Argument(help="The result, the conditions of its hosts, or the probe's events"),
    ],
    output: downloads.Output = None,
) -> None:
    """Write a file of a run: its result as CSV, Markdown or a picture, conditions or events."""
    with connected("viewer") as assay:
        downloads.write(assay.download(f"/runs/{run}/{FILES[file]}"), output)


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


def _row(run: RunSummary) -> Sequence[str]:
    verdict = run.verdict.outcome if run.verdict else ""
    return (str(run.id), str(run.campaign_id), run.title, run.state, verdict)


def _trial(one: TrialRow) -> Sequence[str]:
    about = (str(one.position), str(one.id), one.cell, str(one.repeat))
    return (*about, one.status, str(one.attempts))
