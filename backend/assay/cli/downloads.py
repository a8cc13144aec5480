"""Files of the API: `assay run download`, `assay campaign report` and `assay export-runs`.

One is written to standard output, or to a file that appears when it is complete.
"""

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import typer

from assay.base.words import count
from assay.cli.connection import connected
from assay.cli.console import CommandError, errors, say, shown
from assay.cli.nouns import CampaignId, RunId
from assay.cli.options import filtered
from assay.client import parsed
from assay.client.runs import RunListFilter
from assay.history.exports.schemas import ExportSize

FILES = {
    "result.csv": "result.csv",
    "result.md": "result.md",
    "result.svg": "result.svg",
    "conditions.csv": "conditions.csv",
    "events.ndjson": "events",
}
"""The files of a run, and where the API has them."""

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write to this file instead of standard output"),
]


def of_run(
    run: RunId,
    file: Annotated[
        Literal["result.csv", "result.md", "result.svg", "conditions.csv", "events.ndjson"],
        typer.Argument(help="The result, the conditions of its hosts, or the probe's events"),
    ],
    output: Output = None,
) -> None:
    """Write a file of a run: its result as CSV, Markdown or a picture, conditions or events."""
    with connected("viewer") as assay:
        write(assay.download(f"/runs/{run}/{FILES[file]}"), output)


def report(
    campaign: CampaignId,
    file: Output = None,
    hide_identifiers: Annotated[
        bool,
        typer.Option(
            "--hide-identifiers",
            help="Replace host names, paths, addresses and serial numbers, also in texts",
        ),
    ] = False,
) -> None:
    """Write a campaign's report: one HTML file that opens without a network."""
    how = {"hide_identifiers": "true"} if hide_identifiers else {}
    with connected("viewer") as assay:
        write(assay.download(f"/campaigns/{campaign}/report.html", **how), file)


@filtered(RunListFilter, ordered=False)
def export_runs(  # noqa: PLR0917 (options, each given by name)
    query: dict[str, Any],
    file: Output = None,
    rows: Annotated[
        str | None,
        typer.Option(help="trials or samples; of a comparison also figures or conditions"),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="csv or parquet; default: by the file's name")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(help="Ids of runs to compare, the base first: 1,2")
    ] = None,
    size: Annotated[
        bool, typer.Option("--size", help="Print how many rows it would have, and export nothing")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --size, print JSON")] = False,
) -> None:
    """Export trials or samples of the selected runs as a table, the oldest first."""
    if compare is not None and query:
        raise CommandError(
            "--compare and filters exclude each other. Give the runs, or the filters."
        )
    if as_json and not size:
        raise CommandError("--json is only for --size: an export is CSV or Parquet.")
    if compare is not None:
        query["runs"] = compare
    path = "/runs/export" if compare is None else "/compare/export"
    with connected("viewer") as assay:
        if size:
            _print_size(parsed(ExportSize, assay.get(f"{path}/size", **query)), as_json=as_json)
        else:
            shape = {"format": format_ or _format(file), "rows": rows}
            _refuse_binary(shape, file)
            write(assay.download(path, **query, **shape), file)


def _format(file: Path | None) -> str:
    return "parquet" if file is not None and file.suffix == ".parquet" else "csv"


def _refuse_binary(shape: dict[str, str | None], file: Path | None) -> None:
    if file is None and shape["format"] == "parquet" and sys.stdout.isatty():
        raise CommandError("Parquet is no text for a terminal. Give a file with --output.")


def _print_size(size: ExportSize, *, as_json: bool) -> None:
    counts = [count(size.runs, "run"), count(size.trials, "trial"), count(size.samples, "sample")]
    said = f"{', '.join(counts)}; formats: {', '.join(size.formats)}"
    say(size, said, as_json=as_json)


def write(parts: Iterable[bytes], file: Path | None) -> None:
    """Write a download; raises CommandError."""
    if file is None or str(file) == "-":
        _copy(parts, sys.stdout.buffer)
        return
    with _complete(file) as out:
        _copy(parts, out)
    errors.print(shown(f"{file}: {file.stat().st_size} bytes"), highlight=False)


@contextmanager
def _complete(file: Path) -> Generator[IO[bytes]]:
    """Provide a file that gets its name at the end of the block."""
    partial = file.with_name(f"{file.name}.part")
    try:
        with partial.open("wb") as out:
            yield out
        partial.replace(file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"--output: {file} cannot be written: {reason}.") from error
    finally:
        partial.unlink(missing_ok=True)


def _copy(parts: Iterable[bytes], out: IO[bytes]) -> None:
    for part in parts:
        out.write(part)
    out.flush()
