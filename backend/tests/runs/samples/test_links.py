"""Links: the counters of a transfer's streams and pipeline as a course over time."""

import json
from pathlib import Path
from typing import Any

import pytest
from assay.analysis.streams import STREAM_COLUMNS
from assay.kinds.transfer.links import LinkRow, reduced
from assay.runs.recording.ingest import ingest
from assay.runs.recording.record import rebuild_blocks
from assay.runs.samples.links import link_series, of_attempt
from assay.tables.runs import Attempt, RawChunk
from assay.tables.samples import LinkBlock
from sqlalchemy import Engine, delete, select
from sqlalchemy.orm import Session
from testing.seeds import seed_run

GOOD = Path(__file__).resolve().parents[4] / "worker/probe/contract/good"

SECOND = 10**9


def stream(number: int, **changed: int | None) -> list[int | None]:
    """A row of `streams` with zeros for what is not given."""
    row: dict[str, int | None] = dict.fromkeys(STREAM_COLUMNS, 0)
    return list((row | {"stream": number} | changed).values())


def stage(**counted: int) -> dict[str, Any]:
    return {"name": "send", "threads": 1, "bytes": 0, "call_ns": 0, "full_ns": 0, "empty_ns": 0} | (
        counted
    )


def link(end_s: int, streams: list[list[int | None]], **more: Any) -> LinkRow:
    return reduced({"end_ns": end_s * SECOND, "streams": streams, "stages": []} | more)


def test_counters_become_what_happened_in_each_interval() -> None:
    links = [
        link(1, [stream(0, retransmits=2), stream(1, retransmits=1)], card_tx_bytes=10**9),
        link(3, [stream(0, retransmits=7), stream(1, retransmits=1)], card_tx_bytes=5 * 10**9),
    ]
    found = link_series(links, 10)
    assert found.t_ns == [SECOND, 3 * SECOND]
    assert found.dt_ns == [SECOND, 2 * SECOND]
    assert found.retransmits == [3, 5]
    assert found.card_tx_bytes_per_s == [10**9, 2 * 10**9]


def test_three_stages_have_no_ring_whose_waits_count() -> None:
    row = link(1, [stream(0)], stages=[stage(full_ns=5), stage(), stage(empty_ns=5)])
    assert (row.full_ns, row.empty_ns) == (None, None)
    row = link(1, [stream(0)], stages=[stage(full_ns=5), stage(empty_ns=7)])
    assert (row.full_ns, row.empty_ns) == (5, 7)


def test_round_trips_are_those_of_all_streams_and_keep_their_extremes() -> None:
    links = [
        link(n, [stream(0, rtt_ns=1000), stream(1, rtt_ns=9000 if n == 2 else 3000)])
        for n in (1, 2, 3, 4)
    ]
    found = link_series(links, 2)
    assert found.t_ns == [2 * SECOND, 4 * SECOND]
    assert (found.rtt_min_ns, found.rtt_max_ns) == ([1000, 1000], [9000, 3000])
    assert found.rtt_mean_ns == [3500, 2000]


def test_shares_are_of_all_streams_and_all_threads() -> None:
    limited = [stream(0, rwnd_limited_ns=SECOND), stream(1)]
    stages = [stage(threads=2, full_ns=SECOND), stage(empty_ns=SECOND // 4)]
    found = link_series([link(1, limited, stages=stages)], 10)
    assert found.receive_window_limited == [0.5]
    assert (found.ring_full, found.ring_empty) == ([0.5], [0.25])


def test_what_the_kernel_or_the_leg_does_not_have_is_null() -> None:
    unknown = [stream(0, rwnd_limited_ns=None), stream(1, rwnd_limited_ns=5)]
    found = link_series([link(1, unknown, stages=[stage()], card_rx_dropped=None)], 10)
    assert found.receive_window_limited == [None]
    assert found.ring_full == found.ring_empty == [None]
    assert found.card_dropped == found.softnet_dropped == found.card_rx_bytes_per_s == [None]
    alone = link_series([link(1, [])], 10)
    assert alone.rtt_mean_ns == alone.retransmits == alone.cwnd_bytes == [None]


def test_a_window_keeps_the_intervals_that_overlap_it() -> None:
    links = [link(n, [stream(0, retransmits=n * n)]) for n in (1, 2, 3, 4)]
    found = link_series(links, 10, (2 * SECOND, 3 * SECOND))
    assert (found.t_ns, found.retransmits) == ([3 * SECOND], [5])
    assert link_series([], 10).t_ns == []


def recorded() -> tuple[bytes, list[LinkRow]]:
    """Return the log of a real probe, and the links of its trial over the network."""
    log = (GOOD / "path-sender.ndjson").read_bytes()
    events = [json.loads(line) for line in log.splitlines()]
    found = [one for one in events if one["ev"] == "link" and one["trial"] == 1]
    assert len(found) > 1
    return log, [reduced(one) for one in found]


def ingested(session: Session, log: bytes, step: int) -> tuple[int, Attempt]:
    """Store a log in batches of so many bytes; return the run's id and the trial's attempt."""
    run, participant, trials = seed_run(session, repeats=8)
    start = 0
    while start < len(log):
        stored = ingest(session, participant.id, 1, start, log[start : start + step])
        if not stored.consumed:
            step *= 2
        start += stored.consumed
    attempt = select(Attempt).where(Attempt.trial_id == trials[1].id)
    return run.id, session.scalars(attempt).one()


@pytest.mark.parametrize("step", [4096, 1 << 20])
def test_the_links_of_an_ended_attempt_are_in_blocks_however_they_arrived(
    database: Engine, step: int
) -> None:
    log, expected = recorded()
    with Session(database) as session, session.begin():
        run_id, attempt = ingested(session, log, step)
        assert of_attempt(session, run_id, attempt) == expected
        session.execute(delete(RawChunk))
        assert of_attempt(session, run_id, attempt) == expected


def test_the_links_of_an_attempt_in_progress_are_read_from_its_part_of_the_log(
    database: Engine,
) -> None:
    log, expected = recorded()
    lines = log.splitlines(keepends=True)
    ends = [n for n, line in enumerate(lines) if b'"link"' in line and b'"trial":1' in line]
    with Session(database) as session, session.begin():
        run_id, attempt = ingested(session, b"".join(lines[: ends[-1]]), 4096)
        assert attempt.status == "running"
        assert of_attempt(session, run_id, attempt) == expected[:-1]


def test_rebuilt_blocks_have_the_same_links(database: Engine) -> None:
    log, expected = recorded()
    with Session(database) as session, session.begin():
        run_id, attempt = ingested(session, log, 4096)
        session.execute(delete(LinkBlock))
        assert of_attempt(session, run_id, attempt) == []
        rebuild_blocks(session, run_id)
        assert of_attempt(session, run_id, attempt) == expected
