"""Endpoints of exports: tidy tables of many runs, streamed in constant memory."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from assay.api.accounts.authentication import may
from assay.api.endpoints.compare import run_ids
from assay.api.http.downloads import content, described, saved_as
from assay.api.http.routes import Route
from assay.base.field_types import Id
from assay.base.identity import Identity
from assay.history.compare.queries import compare
from assay.history.exports import comparison, parquet_file, rows
from assay.history.exports.runs import last_id, layout_of
from assay.history.exports.schemas import EXAMPLE_CSV, ComparedRows, ExportSize, Format, RunRows
from assay.kinds.export import ExportedTrial, Row, TableColumn
from assay.kinds.registry import SHOWN
from assay.runs import csv_text, queries
from assay.runs.selection import RunSelection
from assay.tables.database import reading
from assay.tables.runs import Attempt, Run, Trial
from assay.tables.transactions import Reading

router = APIRouter(route_class=Route)
"""Included before the routers whose paths with an id would take `export` for one."""

FileFormat = Annotated[
    Format,
    Query(alias="format", description="`csv`, safe for spreadsheets, or `parquet`, with types"),
]
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": content("text/csv", EXAMPLE_CSV)
        | content(parquet_file.MEDIA_TYPE, "PAR1…", binary=True)
    }
}


@router.get(
    "/runs/export",
    tags=["runs"],
    summary="Export runs as a tidy table",
    response_class=StreamingResponse,
    responses=_RESPONSES,
)
def export_runs(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    selection: Annotated[RunSelection, Depends()],
    *,
    row: Annotated[
        RunRows, Query(alias="rows", description="A row per trial, or per sample of each attempt")
    ] = "trials",
    format_: FileFormat = "csv",
) -> StreamingResponse:
    """The runs that the same filters select in the list, the oldest first, with all trials.

    Every column names its unit. Its columns are those of the kinds in `kind`, else of the kinds of
    the selected runs; `docs/exports.md` lists them.
    """
    table = _tables(session, selection.chosen(session), row, selection.where.kind)
    return _file(*table, format_, f"assay-runs-{row}")


@router.get("/runs/export/size", tags=["runs"], summary="Show how much an export of runs has")
def show_export_size(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    selection: Annotated[RunSelection, Depends()],
) -> ExportSize:
    """Count the selected runs, their trials and their samples."""
    return _size(session, selection.chosen(session))


def _example_result() -> str:
    shown = SHOWN.examples
    found = SHOWN.result.model_validate(shown.result)
    given = shown.parameters, shown.trial, len(found.participants), found.edition
    trials = {
        one.id: ExportedTrial(one.id, position, one.repeat, shown.cell, *given)
        for position, (_, one) in enumerate(SHOWN.exported(found))
    }
    return csv_text.table(*rows.result_table(SHOWN, found, trials))


@router.get(
    "/runs/{run_id}/result.csv",
    tags=["runs"],
    summary="Download a run's result as CSV",
    response_class=Response,
    responses=described("text/csv", _example_result),
)
def download_result(
    run_id: Id, _who: Annotated[Identity, may("run.read")], session: Reading
) -> Response:
    """One row per cell of a matrix, else per trial, followed by its pairs or senders.

    Names, units and values of columns are those of exports; `docs/exports.md` lists them.
    """
    table = rows.of_result(session, queries.find(session, run_id))
    return Response(
        csv_text.table(*table),
        media_type=csv_text.MEDIA_TYPE,
        headers=saved_as(f"run-{run_id}-result.csv"),
    )


@router.get(
    "/compare/export",
    tags=["compare"],
    summary="Export a comparison as a tidy table",
    response_class=StreamingResponse,
    responses=_RESPONSES,
)
def export_comparison(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    runs: Annotated[str, Query(description="Ids of two or more runs, such as `1,2`")],
    *,
    row: Annotated[
        ComparedRows,
        Query(
            alias="rows",
            description="A row per figure of a run beside that of the first, per differing "
            "condition and run, per trial, or per sample",
        ),
    ] = "figures",
    format_: FileFormat = "csv",
) -> StreamingResponse:
    """What Compare shows of these runs; the first is the base."""
    ids = run_ids("runs", runs, least=2)
    name = f"assay-compare-{'-'.join(map(str, ids))}-{row}"
    if row in ("trials", "samples"):
        return _file(*_tables(session, _compared(session, ids), row), format_, name)
    found = compare(session, ids)
    if row == "figures":
        return _file(comparison.RATIO_COLUMNS, comparison.ratios(found), format_, name)
    return _file(comparison.CONDITION_COLUMNS, comparison.conditions(found), format_, name)


@router.get(
    "/compare/export/size", tags=["compare"], summary="Show how much an export of a comparison has"
)
def show_comparison_export_size(
    _who: Annotated[Identity, may("run.read")],
    session: Reading,
    runs: Annotated[str, Query(description="Ids of two or more runs, such as `1,2`")],
) -> ExportSize:
    """Count the trials and samples of the compared runs."""
    return _size(session, _compared(session, run_ids("runs", runs, least=2)))


def _compared(session: Session, ids: Sequence[int]) -> Select[Run]:
    """Return the runs with these ids; raises NotFound."""
    for run_id in ids:
        queries.find(session, run_id)
    return select(Run).where(Run.id.in_(ids), queries.shown())


def _tables(
    session: Session, chosen: Select[Run], row: str, kinds: Sequence[str] | None = None
) -> tuple[list[TableColumn], rows.Batches]:
    """Return the columns and the rows of trials, or of samples, of these runs."""
    layout, last = layout_of(session, chosen, kinds), last_id(session, chosen)
    if row == "trials":
        return layout.trials(), rows.trials(reading, chosen, last, layout)
    return layout.samples(), rows.samples(reading, chosen, last, layout)


def _file(
    columns: Sequence[TableColumn], batches: Iterator[Sequence[Row]], format_: Format, name: str
) -> StreamingResponse:
    """Return the file as a download; raises NoParquet."""
    if format_ == "parquet" and not parquet_file.is_available():
        raise parquet_file.NoParquet
    module = parquet_file if format_ == "parquet" else csv_text
    return StreamingResponse(
        module.written(columns, batches),
        media_type=module.MEDIA_TYPE,
        headers=saved_as(f"{name}.{format_}"),
    )


def _size(session: Session, chosen: Select[Run]) -> ExportSize:
    runs = chosen.subquery()
    ids = select(runs.c.id)
    samples = (
        select(func.coalesce(func.sum(Attempt.sample_count), 0))
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Trial.run_id.in_(ids.where(runs.c.samples_removed_at.is_(None))))
    )
    return ExportSize(
        runs=session.scalar(select(func.count()).select_from(runs)) or 0,
        trials=session.scalar(select(func.count(Trial.id)).where(Trial.run_id.in_(ids))) or 0,
        samples=session.scalar(samples) or 0,
        formats=["csv", "parquet"] if parquet_file.is_available() else ["csv"],
    )
