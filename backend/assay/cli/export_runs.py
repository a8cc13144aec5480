"""`assay export-runs`: trials or samples of many runs, or a comparison, as one table."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.analysis.words import count
from assay.cli import downloads
from assay.cli.client import connected
from assay.cli.console import CommandError, output, print_json
from assay.cli.filters import OF_RUNS, filtered
from assay.client import parsed
from assay.exports.schemas import ExportSize


@filtered("campaign", *OF_RUNS, ordered=False)
def command(  # noqa: PLR0917 (options, each given by name)
    query: dict[str, Any],
    file: downloads.Output = None,
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
            downloads.write(assay.download(path, **query, **shape), file)


def _format(file: Path | None) -> str:
    return "parquet" if file is not None and file.suffix == ".parquet" else "csv"


def _refuse_binary(shape: dict[str, str | None], file: Path | None) -> None:
    if file is None and shape["format"] == "parquet" and sys.stdout.isatty():
        raise CommandError("Parquet is no text for a terminal. Give a file with --output.")


def _print_size(size: ExportSize, *, as_json: bool) -> None:
    if as_json:
        print_json(size)
        return
    counts = [count(size.runs, "run"), count(size.trials, "trial"), count(size.samples, "sample")]
    output.print(f"{', '.join(counts)}; formats: {', '.join(size.formats)}", highlight=False)
