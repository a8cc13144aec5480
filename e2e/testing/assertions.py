"""Assertions on a run's end: every trial once, a complete record, no process."""

from pathlib import Path

from assay.runs.samples.raw import raw_log
from assay.tables.database import reading

from testing.installation import Installation, files_below, probes_of, wait_until


def assert_complete(installation: Installation, run_id: int) -> None:
    """Assert: done, each trial measured once, no event lost or duplicated, nothing left."""
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None)
    finished = [a for a in installation.attempts(run_id) if a.status in ("complete", "timed_out")]
    assert len({a.trial_id for a in finished}) == len(finished) == run.trials_total
    assert run.trials_done == run.trials_total
    assert sum(a.sample_count for a in installation.attempts(run_id)) > 0
    assert_record_is_whole(installation, run_id)
    assert installation.reservations(run_id) == []


def assert_record_is_whole(installation: Installation, run_id: int) -> None:
    """Assert that the raw record has no gap, and that every sample in it is stored once."""
    participant = installation.participant(run_id)
    with reading() as session:
        chunks = list(raw_log(session, participant.id))
    position = 0
    for start, data in chunks:
        assert start == position
        position += len(data)
    assert position == participant.offset
    log = b"".join(data for _, data in chunks)
    assert log.count(b"\n") == participant.next_seq
    samples = log.count(b'"ev":"sample"')
    assert samples == installation.sample_count(run_id)
    assert samples == sum(a.sample_count for a in installation.attempts(run_id))


def assert_nothing_stays(tmp_path: Path, target: Path) -> None:
    """Assert that no probe works below `tmp_path`, and no file is left in the target."""
    wait_until(lambda: not probes_of(tmp_path), 5, "a probe stays")
    assert files_below([target]) == []
