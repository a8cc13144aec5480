"""Exports of a measured run, compared with its result."""

import csv
import io
from dataclasses import is_dataclass
from typing import Any

import pyarrow.parquet as pq
from assay.history.exports import parquet_file, rows
from assay.history.exports.runs import layout_of
from assay.kinds.registry import KINDS
from assay.runs import csv_text
from assay.runs.stored_results import result
from assay.tables.database import reading
from assay.tables.runs import Attempt, Run, Trial
from sqlalchemy import func, select

FIGURES = 3
"""A trial of each kind has at least as many figures under the names of the result."""


def _is_plain(value: Any) -> bool:
    """Return whether a figure is one value."""
    return not (is_dataclass(value) or isinstance(value, list))


def assert_exported(run_id: int) -> None:
    """Assert that trials and samples of a run are exported, with the figures of its result.

    The CSV of the result has the same.
    """
    chosen = select(Run).where(Run.id == run_id)
    with reading() as session:
        layout = layout_of(session, chosen, None)
        run = session.get_one(Run, run_id)
        places = [
            (trial.id, trial)
            for _, trial in sorted(
                KINDS[run.kind].exported(result(session, run)), key=lambda one: one[1].id
            )
        ]
        names, of_result = rows.of_result(session, run)
        samples = session.scalar(
            select(func.sum(Attempt.sample_count))
            .join(Trial, Trial.id == Attempt.trial_id)
            .where(Trial.run_id == run_id)
        )

    def both(of: Any, columns: Any) -> list[dict[str, Any]]:
        """Return the rows of the Parquet file, which are as many as those of the CSV."""
        parts = csv_text.written(columns, of(reading, chosen, run_id, layout))
        lines = list(csv.reader(io.StringIO(b"".join(parts).decode(), newline="")))
        parts = parquet_file.written(columns, of(reading, chosen, run_id, layout))
        found = pq.read_table(io.BytesIO(b"".join(parts))).to_pylist()
        assert len(found) == len(lines) - 1
        return found

    trials = both(rows.trials, layout.trials())
    assert [row["trial_id"] for row in trials] == [trial_id for trial_id, _ in places]
    own = [one.name for one in KINDS[run.kind].export_columns if not one.is_parameter]
    for row, (_, trial) in zip(trials, places, strict=True):
        assert (row["status"], row["attempts"]) == (trial.status, trial.attempts)
        # those within others, such as the state of a contention, have other paths
        same = [name for name in own if hasattr(trial, name) and _is_plain(getattr(trial, name))]
        assert len(same) >= FIGURES
        for name in same:
            assert row[name] == getattr(trial, name), name
        assert any(row[name] for name in own if name.endswith("bytes_per_s")), row
    for values in of_result:
        row = dict(zip(names, values, strict=True))
        if row.get("part") is None:
            same = {name: row[name] for name in row.keys() & trials[0]}
            assert any(same.items() <= one.items() for one in trials), row
    assert len(both(rows.samples, layout.samples())) == samples
