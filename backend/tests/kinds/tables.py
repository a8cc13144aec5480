"""The CSV of results that are made without a database."""

import csv
import io

from assay.history.exports.rows import result_table
from assay.kinds.export import ExportedTrial
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.kinds.run_record import RunRecord
from assay.runs import csv_text


def trials_of(result: BaseResult, run: RunRecord | None = None) -> dict[int, ExportedTrial]:
    """Return the trials of a result by id; without its run, they have no parameters."""
    records = {one.id: one for one in run.trials} if run else {}
    found: dict[int, ExportedTrial] = {}
    for position, (_, trial) in enumerate(KINDS[result.kind].exported(result)):
        record = records.get(trial.id)
        found[trial.id] = ExportedTrial(
            id=trial.id,
            position=list(records).index(trial.id) if record else position,
            repeat=trial.repeat,
            key=record.cell if record else "",
            run=run.parameters if run else {},
            trial=record.parameters if record else {},
            participants=len(result.participants),
            rules="",
        )
    return found


def csv_of(result: BaseResult, run: RunRecord | None = None) -> str:
    """Return a result as CSV; without its run, its parameters are empty."""
    return csv_text.table(*result_table(KINDS[result.kind], result, trials_of(result, run)))


def rows_of(result: BaseResult, run: RunRecord | None = None) -> list[dict[str, str]]:
    """Return the rows of a result's CSV by the names of its columns."""
    return list(csv.DictReader(io.StringIO(csv_of(result, run), newline="")))
