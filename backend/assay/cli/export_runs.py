"""`assay export-runs`: trials or samples of many runs, or a comparison, as one table."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import filters
from assay.cli.client import connected
from assay.cli.console import CommandError, errors, shown
from assay.cli.nouns import placed
from assay.client.transport import Transport


def command(  # noqa: PLR0917 (options, each given by name)
    file: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file instead of standard output"),
    ] = None,
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
    campaign: filters.Campaign = None,
    host: filters.Host = None,
    array: filters.Array = None,
    target: filters.Target = None,
    profile: filters.Profile = None,
    kind: filters.Kinds = None,
    state: filters.States = None,
    verdict: filters.Verdicts = None,
    label: filters.Labels = None,
    since: filters.Since = None,
    until: filters.Until = None,
    words: filters.Words = None,
) -> None:
    """Export trials or samples of the selected runs as a table, the oldest first."""
    if format_ is None:
        format_ = "parquet" if file is not None and file.suffix == ".parquet" else "csv"
    with connected("viewer") as assay:
        selected = {
            "campaign_id": campaign,
            **placed(host, array, target),
            "profile": profile,
            "kind": kind,
            "state": state,
            "verdict": verdict,
            "label": label,
            "from": since,
            "to": until,
            "q": words,
        }
        given = {name: value for name, value in selected.items() if value is not None}
        if compare is not None and given:
            names = "--compare and filters"
            raise CommandError(f"{names} exclude each other. Give the runs, or the filters.")
        query: dict[str, Any] = {"format": format_, **given}
        if rows is not None:
            query["rows"] = rows
        if compare is not None:
            query["runs"] = compare
        _write(assay, "/runs/export" if compare is None else "/compare/export", query, file)


def _write(client: Transport, path: str, query: dict[str, Any], file: Path | None) -> None:
    """Write the download to a file, which appears when it is complete, or to standard output."""
    parts = client.download(path, **query)
    if file is None:
        if query["format"] == "parquet" and sys.stdout.isatty():
            raise CommandError("Parquet is no text for a terminal. Give a file with --output.")
        _copy(parts, sys.stdout.buffer)
        return
    partial = file.with_name(f"{file.name}.part")
    try:
        with partial.open("wb") as out:
            _copy(parts, out)
        partial.replace(file)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    errors.print(shown(f"{file}: {file.stat().st_size} bytes"), highlight=False)


def _copy(parts: Iterable[bytes], out: Any) -> None:
    for part in parts:
        out.write(part)
    out.flush()
