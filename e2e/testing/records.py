"""Records tests of an installation: launched as by the API, and their results."""

from collections.abc import Sequence
from typing import Any

from assay.kinds.records.figures import RecordsTrial
from assay.kinds.records.result import RecordsResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run

from testing.transfers import End, launch_test

TEST: dict[str, Any] = {
    "kind": "records",
    "title": "Records",
    "record_bytes": [1024],
    "batch_records": 1000,
    "warm_up_ms": 300,
    "window_ms": 1500,
    "repeats": 1,
    "sample_ms": 100,
    "order": "given",
}


def launch(senders: Sequence[int], end: End, **test: Any) -> int:
    """Launch a campaign of one test from the memory of these hosts; return its run's id."""
    (run_id,) = launch_test(TEST | test, [{"host_id": one} for one in senders], [end], {})
    return run_id


def records_of(run_id: int) -> RecordsResult:
    """Return the result of a run, in its current state."""
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, RecordsResult)
    return found


def only_trial(run_id: int) -> RecordsTrial:
    """Return the trial of a run that has one."""
    (trial,) = records_of(run_id).trials
    return trial
