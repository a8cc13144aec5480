"""A delay of known length, and blocks that take long by themselves: which of them is a stall?"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from assay.kinds.matrix.cells import Percentiles
from assay.runs.results import judge
from assay.runs.samples import stored
from assay.tables.database import reading
from assay.tables.runs import Attempt, Run
from lab import GIB, MIB, Disk, Fault, FileFault, Host, Lab
from testing.installation import MB, Installation

pytestmark = pytest.mark.alone

CLOSE_NS = 5 * 10**6
WRITING, SYNCING, READING = 0, 1, 2
DELAY_S = 2.0
LATE_S = 1.0
"""How much longer a delay may take than it was set to, on a busy machine."""


def latency_of(run_id: int) -> Percentiles:
    """Return the latencies of a run's only cell."""
    with reading() as session:
        (cell,) = judge(session, session.get_one(Run, run_id)).cells
    assert cell.latency is not None
    return cell.latency


def samples_of(attempt_id: int, *phases: int) -> list[SimpleNamespace]:
    """Return the samples of some phases; by default those of the operations."""
    with reading() as session:
        rows = stored.rows(session, session.get_one(Attempt, attempt_id))
    return [
        SimpleNamespace(**row) for row in rows if row["phase"] in (phases or (READING, WRITING))
    ]


@pytest.mark.parametrize(
    "delay_s",
    [1.0, *(pytest.param(delay_s, marks=pytest.mark.nightly) for delay_s in (0.5, 5.0))],
)
def test_an_injected_delay_is_visible_in_every_figure(
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
    assert latency_of(run_id).max_ns == latency_of(run_id).stall_ns == found

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


@dataclass
class SlowStorage:
    """A host with a file system that can be slowed down, and its target."""

    installation: Installation
    host: Host
    target_id: int

    def measure(self, fault: FileFault, **parameters: Any) -> tuple[int, Attempt]:
        """Run with the fault injected; return the only attempt."""
        run_id = self.installation.launch(self.target_id, **parameters)
        self.host.fault_file_system("nas", fault)
        self.installation.drive_to_the_end(run_id)
        (attempt,) = self.installation.attempts(run_id)
        assert attempt.status == "complete", attempt.reason
        return run_id, attempt


@pytest.fixture
def slow_storage(installation: Installation, lab: Lab) -> SlowStorage:
    host = lab.host("one", lab.disk("a", 1 * GIB))
    folder = host.mount_faulty("nas")
    host_id = installation.ssh_host(host, name=host.name, address=host.address)
    return SlowStorage(installation, host, installation.known_target(host_id, folder))


def test_a_delayed_read_is_a_stall_of_that_length(slow_storage: SlowStorage) -> None:
    run_id, attempt = slow_storage.measure(
        FileFault("read", when=40, times=1, delay_s=DELAY_S),
        operation="read",
        file_size=20 * MB,
        block=[65536],
        cache="direct",
    )
    found = attempt.lat_max_ns
    assert found is not None and DELAY_S * 1e9 <= found < (DELAY_S + LATE_S) * 1e9
    assert latency_of(run_id).stall_ns == found
    seen = samples_of(attempt.id)
    assert {sample.phase for sample in seen} == {READING}
    (ended,) = [sample for sample in seen if sample.lat_max_ns == found]
    meanwhile = [s for s in seen if ended.end_ns - found < s.end_ns < ended.end_ns]
    assert max(sample.oldest_ns for sample in meanwhile) > found / 2


def test_a_delayed_sync_lengthens_only_the_durable_time(
    slow_storage: SlowStorage,
) -> None:
    run_id, attempt = slow_storage.measure(
        FileFault("fsync", delay_s=DELAY_S), file_size=20 * MB, cache="page"
    )
    assert attempt.app_ns is not None and attempt.durable_ns is not None
    took_ns = attempt.durable_ns - attempt.app_ns
    assert DELAY_S * 1e9 <= took_ns < (DELAY_S + LATE_S) * 1e9
    assert attempt.lat_max_ns is not None and attempt.lat_max_ns < DELAY_S * 1e9
    assert latency_of(run_id).stall_ns is None
    syncing = samples_of(attempt.id, SYNCING)
    assert max(sample.oldest_ns for sample in syncing) > DELAY_S * 1e9 / 2
    assert sum(sample.ops for sample in syncing) == 0


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
    assert latency_of(run_id).stall_ns is None
