"""The rows of an export, in batches: of trials, of samples, or of what Compare shows."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import Session

from assay.history.exports import runs as reading_runs
from assay.history.exports.layout import READINGS, ExportLayout
from assay.history.exports.runs import ExportedRun, Open
from assay.kinds.export import ExportedTrial, Row
from assay.kinds.kind import Kind
from assay.kinds.registry import KINDS
from assay.kinds.result import BaseResult
from assay.runs.attempts import continued, deciding
from assay.runs.participants import of_runs
from assay.runs.samples import blocks, raw
from assay.runs.samples.blocks import columns_of
from assay.runs.samples.columns import NAMES
from assay.runs.stored_results import result
from assay.tables.runs import Attempt, Run
from assay.tables.samples import SampleBlock

BLOCKS_AT_ONCE = 8
"""Sample blocks that are read in one snapshot."""

_PHASES = {0: "write", 1: "sync", 2: "read"}

Batches = Iterator[Sequence[Row]]


def trials(open_: Open, chosen: Select[Run], last: int, layout: ExportLayout) -> Batches:
    """Yield the trials of each run; one that is in several cells has a row for each."""

    def of(session: Session, runs: list[Run]) -> list[list[Row]]:
        return [_trials(session, one, layout) for one in reading_runs.described(session, runs)]

    for found in reading_runs.pages(open_, chosen, last, of):
        yield from found


def _trials(session: Session, one: ExportedRun, layout: ExportLayout) -> list[Row]:
    run = one.run
    found, attempts = result(session, run), reading_runs.attempts_of(session, run.id)
    trials = reading_runs.trials_of(session, run, found.edition, one.participants, attempts)
    places: defaultdict[int, list[ExportedTrial]] = defaultdict(list)
    for cell, figures in KINDS[run.kind].exported(found):
        whole = replace(trials[figures.id], cell=cell, figures=figures)
        places[whole.id].append(whole)
    read = reading_runs.reader(layout.of_trials, run.kind)
    before = (*one.cells(), *one.place(*one.participants))
    labels = reading_runs.label_cells(layout.labels, one.labels)
    return [
        (*before, *read(exported), *labels)
        for trial in trials.values()
        for exported in places[trial.id] or [trial]
    ]


def of_result(session: Session, run: Run) -> tuple[list[str], list[Row]]:
    """Return the names of the columns and the rows of a run's result, as its kind shows it."""
    kind, found = KINDS[run.kind], result(session, run)
    participants = of_runs(session, [run.id])[run.id]
    attempts = reading_runs.attempts_of(session, run.id)
    trials = reading_runs.trials_of(session, run, found.edition, participants, attempts)
    return result_table(kind, found, trials)


def result_table(
    kind: Kind, found: BaseResult, trials: Mapping[int, ExportedTrial]
) -> tuple[list[str], list[Row]]:
    """Return the names and rows of a result's table, from its trials by id without figures."""
    columns = kind.csv_columns(found)
    rows = kind.csv_rows(found, trials)
    names = [column.name for column in columns]
    return names, [tuple(column.read(one) for column in columns) for one in rows]


def samples(open_: Open, chosen: Select[Run], last: int, layout: ExportLayout) -> Batches:
    """Yield the samples of each run, attempt by attempt, those of disturbed ones included."""

    def of(session: Session, runs: list[Run]) -> list[tuple[int, dict[int, _Prefix]]]:
        described = reading_runs.described(session, runs)
        return [(one.run.id, _attempts(session, one, layout)) for one in described]

    for found in reading_runs.pages(open_, chosen, last, of):
        for run_id, attempts in found:
            yield from _sealed(open_, run_id, attempts)
            yield from _unsealed(open_, attempts)


class _Prefix:
    """An attempt, and the cells with which the row of each of its samples begins."""

    def __init__(self, attempt: Attempt, cells: Row, *, decides: bool) -> None:
        """Add to the cells those of the attempt; `decides`: the result shows it."""
        self.attempt, self._started_at = attempt, attempt.started_at
        own = (attempt.participant_id, attempt.number, attempt.status, decides)
        self._cells = (*cells, *own)
        self._done_ns = attempt.done_ns

    def rows(self, course: Any) -> list[Row]:
        """Return the row of each sample, from their columns as recorded."""
        sizes, lengths = course["bytes"], course["dt_ns"]
        rates = [
            size * 10**9 / length if length else None
            for size, length in zip(sizes, lengths, strict=True)
        ]
        return [
            (
                *self._cells,
                self._at(end),
                self._done_ns + end,
                _PHASES.get(phase),
                rate,
                *readings,
            )
            for end, phase, rate, readings in zip(
                course["end_ns"],
                course["phase"],
                rates,
                zip(*(course[name] for name in READINGS), strict=True),
                strict=True,
            )
        ]

    def _at(self, end_ns: int) -> datetime | None:
        """Return when a sample ended, by the clock of its host, to the microsecond."""
        return self._started_at and self._started_at + timedelta(microseconds=end_ns // 1000)


def _attempts(session: Session, one: ExportedRun, layout: ExportLayout) -> dict[int, _Prefix]:
    """Return the attempts of a run by id, those that its result shows as deciding."""
    run = one.run
    read = reading_runs.reader(layout.parameters, run.kind)
    labels = reading_runs.label_cells(layout.labels, one.labels)
    participants = {participant.id: participant for participant in one.participants}
    attempts = reading_runs.attempts_of(session, run.id)
    found: dict[int, _Prefix] = {}
    trials = reading_runs.trials_of(session, run, "", one.participants, attempts)
    for trial in trials.values():
        own = attempts.get(trial.id, [])
        shown = _shown(own, list(participants))
        parameters = read(trial)
        for attempt in own:
            place = one.place(participants[attempt.participant_id])
            cells = (*one.cells(), *place, *parameters, *labels)
            found[attempt.id] = _Prefix(attempt, cells, decides=attempt.id in shown)
    return found


def _shown(attempts: Sequence[Attempt], participants: Sequence[int]) -> set[int]:
    """Return the attempts that decide a trial, and those that they continue."""
    decide = [one for one in deciding(attempts, participants) if one is not None]
    chains = (continued(attempts, one) for one in decide)
    return {one.id for one in decide} | {one.id for chain in chains for one in chain}


def _sealed(open_: Open, run_id: int, attempts: dict[int, _Prefix]) -> Batches:
    after = 0, -1
    key = tuple_(SampleBlock.attempt_id, SampleBlock.first)
    while True:
        with open_() as session:
            part = session.execute(
                select(
                    SampleBlock.attempt_id,
                    SampleBlock.first,
                    SampleBlock.format,
                    SampleBlock.samples,
                    SampleBlock.count,
                )
                .where(SampleBlock.run_id == run_id, key > after)
                .order_by(SampleBlock.attempt_id, SampleBlock.first)
                .limit(BLOCKS_AT_ONCE)
            ).all()
        if not part:
            return
        for attempt_id, first, version, packed, count in part:
            after = attempt_id, first
            if attempt_id in attempts:
                yield attempts[attempt_id].rows(blocks.read(version, packed, count, 0, NAMES))


def _unsealed(open_: Open, attempts: dict[int, _Prefix]) -> Batches:
    """Yield the newest samples of running attempts, which are in no block yet."""
    open_ones = [
        one.attempt.id for one in attempts.values() if one.attempt.sealed < one.attempt.sample_count
    ]
    for attempt_id in open_ones:
        with open_() as session:
            rows = [values for _, values in raw.unsealed(session, [attempt_id])[attempt_id]]
        if rows:
            yield attempts[attempt_id].rows(columns_of(rows))
