"""`assay run` and `assay api`: runs with their results, and every other request to the API."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from assay.cli import filters
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, print_json, print_list
from assay.cli.files import read
from assay.cli.nouns import placed
from assay.runs.schemas import RunSummary

app = typer.Typer(help="Runs and their results.", no_args_is_help=True)
RunId = Annotated[int, typer.Argument(help="The run's id", min=1)]


@app.command("list")
def list_runs(  # noqa: PLR0917 (options, each given by name)
    campaign: filters.Campaign = None,
    host: filters.Host = None,
    target: filters.Target = None,
    array: filters.Array = None,
    state: filters.States = None,
    verdict: filters.Verdicts = None,
    label: filters.Labels = None,
    sort: filters.Sort = "-id",
    limit: filters.Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, by default the newest first."""
    query: dict[str, Any] = {
        "campaign_id": campaign,
        **placed(host, array, target),
        "state": state,
        "verdict": verdict,
        "label": label,
        "sort": sort,
    }
    with connected("viewer") as assay:
        found = list(assay.runs.list(most=limit, **query))
    print_list(found, ("id", "campaign", "test", "state", "verdict"), _row, as_json=as_json)


@app.command()
def show(run: RunId) -> None:
    """Print a run with its participants and conditions as JSON."""
    with connected("viewer") as assay:
        print_json(assay.runs.get(run))


@app.command()
def result(run: RunId) -> None:
    """Print the result of a run as JSON."""
    with connected("viewer") as assay:
        print_json(assay.get(f"/runs/{run}/result"))


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
