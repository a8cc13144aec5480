"""A delay of known length, and blocks that take long by themselves: which of them is a stall."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from assay.analysis.cells import Percentiles
from assay.database import reading
from assay.runs.matrix import matrix
from assay.runs.models import Run
from assay.samples.models import samples
from installation import MB, Installation
from lab import GIB, MIB, Disk, Fault, Host, Lab
from sqlalchemy import Row, select

pytestmark = pytest.mark.alone

CLOSE_NS = 5 * 10**6
READING, WRITING = 2, 0


def latency_of(run_id: int) -> Percentiles:
    """What the matrix says of the latencies of a run's only cell."""
    with reading() as session:
        (cell,) = matrix(session, session.get_one(Run, run_id)).cells
    assert cell.latency is not None
    return cell.latency


def samples_of(attempt_id: int) -> list[Row[Any]]:
    """The samples of the operations themselves, not those of the final sync."""
    moving = samples.c.phase.in_((READING, WRITING))
    with reading() as session:
        found = select(samples).where(samples.c.attempt_id == attempt_id, moving)
        return list(session.execute(found.order_by(samples.c.number)).all())


@pytest.mark.parametrize("delay_s", [0.5, 1.0, 5.0])
def test_an_injected_delay_is_found_wherever_one_may_look(
    installation: Installation,
    lab: Lab,
    target_on: Callable[[Host, Disk], int],
    delay_s: float,
) -> None:
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    target_id = target_on(host, disk)
    host.fault(Fault("pwrite64", when=30, delay_s=delay_s))
    run_id = installation.launch(target_id, file_size=20 * MB, cache="direct")
    installation.drive_to_the_end(run_id)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete"
    (took_s,) = host.faults.delays_s
    assert took_s >= delay_s
    found = attempt.lat_max_ns
    assert found == pytest.approx(took_s * 1e9, abs=CLOSE_NS)
    assert latency_of(run_id).max == latency_of(run_id).stall == found

    seen = samples_of(attempt.id)
    (ended,) = [sample for sample in seen if sample.lat_max_ns == found]
    meanwhile = [s for s in seen if ended.end_ns - found < s.end_ns < ended.end_ns]
    ages = [sample.oldest_ns for sample in meanwhile]
    began = [sample.end_ns - sample.oldest_ns for sample in meanwhile]
    assert len(meanwhile) >= 2
    assert [sample.ops for sample in meanwhile[1:]] == [0] * (len(meanwhile) - 1)
    assert [sample.bytes for sample in meanwhile[1:]] == [0] * (len(meanwhile) - 1)
    assert all(younger < older for younger, older in pairwise(ages))
    assert max(began) - min(began) < CLOSE_NS
    ends = began[0] + found
    assert ended.end_ns - ended.dt_ns - CLOSE_NS < ends < ended.end_ns + CLOSE_NS


def test_large_blocks_on_a_slow_disk_show_no_stall(
    installation: Installation, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> None:
    disk = lab.disk("a", 1 * GIB, write=40 * MIB)
    host = lab.host("slow", disk)
    block = 64 * MIB
    run_id = installation.launch(
        target_on(host, disk), block=[block], file_size=3 * block, cache="direct"
    )
    installation.drive_to_the_end(run_id)
    (attempt,) = installation.attempts(run_id)
    assert attempt.status == "complete"
    assert attempt.lat_max_ns is not None and attempt.lat_max_ns > 1.4e9
    assert [sample for sample in samples_of(attempt.id) if sample.ops == 0], "nothing ended"
    assert latency_of(run_id).stall is None
