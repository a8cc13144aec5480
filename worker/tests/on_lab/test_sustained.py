"""Sustained writes and reads on disks of known rates: pacing, stalls, a cache that ends."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from assay.kinds.sustained.figures import SustainedCell, SustainedTrial
from assay.kinds.sustained.result import SustainedResult
from assay.runs.results import judge
from assay.tables.database import reading
from assay.tables.runs import Run
from lab import GIB, MIB, Disk, Fault, FileFault, Host, Lab
from testing.api import Appliance
from testing.installation import MB, Installation, wait_until

pytestmark = pytest.mark.alone

TargetOn = Callable[[Host, Disk], int]
TEST: dict[str, Any] = {"kind": "sustained", "title": "Sustained write", "cache": "direct"}


def launch(api: Appliance, target_ids: list[int], *, together: bool = False, **test: Any) -> int:
    """Launch a campaign of one sustained test; return its run's id."""
    one = TEST | test
    body = {"tests": [one]}
    made = api.operator.post("/profiles", {"name": f"{one['title']} {target_ids}", "body": body})
    assert made.status_code == 201, made.text
    asked = {"profile_id": made.json()["id"], "target_ids": target_ids, "together": together}
    launched = api.operator.post("/campaigns", asked)
    assert launched.status_code == 201, launched.text
    (run,) = launched.json()["runs"]
    return run["id"]


def result_of(run_id: int) -> SustainedResult:
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    return found


def only_cell(run_id: int) -> tuple[SustainedCell, SustainedTrial]:
    (cell,) = result_of(run_id).cells
    (trial,) = cell.trials
    assert trial.status == "complete", (trial.status, trial.reason, trial.flags)
    return cell, trial


@pytest.mark.nightly
def test_a_rate_below_the_disks_is_held_and_leaves_no_backlog(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    disk = lab.disk("a", 1 * GIB, write=100 * MIB)
    target_id = ready(lab.host("one", disk), disk)
    rate = 60 * MB
    run_id = launch(api, [target_id], length="6 s", pace="rate", rate_bytes_per_s=[rate])
    installation.drive_to_the_end(run_id, 60)
    cell, trial = only_cell(run_id)
    print(trial)
    assert trial.application_bytes_per_s is not None
    # one block of the 450 or 0.1 %, whichever is more
    assert trial.bytes == pytest.approx(rate * 6, abs=max(cell.block, rate * 6 / 1000))
    assert trial.backlog_end_bytes == 0
    carried = {one.label: one.carried for one in cell.carry}
    assert carried["OC-3"] in {"yes", "buffered"}
    assert carried["1 Gb/s"] == "not_tested"


def test_a_stall_counts_for_every_write_that_was_due_in_it(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    """100 writes per second for 10 s, one of which takes 1 s."""
    disk = lab.disk("a", 1 * GIB)
    host = lab.host("one", disk)
    target_id = ready(host, disk)
    host.fault(Fault("pwrite64", when=300, delay_s=1.0))
    run_id = launch(
        api,
        [target_id],
        length="10 s",
        block=[4096],
        pace="rate",
        rate_bytes_per_s=[409_600],
        sample_ms=100,
    )
    installation.drive_to_the_end(run_id, 60)
    _, trial = only_cell(run_id)
    (took_s,) = host.faults.delays_s
    print(took_s, trial.due_p99_ns, trial.p99_ns, trial.backlog_most_bytes)
    # writes that were due in the stall waited for the rest of it, 10 ms less each: the tenth
    # longest of 1,000 is the 99th percentile
    assert trial.due_p99_ns == pytest.approx((took_s - 10 * 0.01) * 1e9, rel=0.02)
    assert trial.p99_ns is not None and trial.p99_ns < 0.1e9
    assert trial.peak_ns == pytest.approx(took_s * 1e9, rel=0.02)
    assert trial.backlog_most_bytes == pytest.approx(took_s * 409_600, rel=0.05)


READ_RATE = 80 * MIB


@pytest.mark.parametrize(
    "files",
    [
        {"cache": "direct", "length": 400 * MB},
        pytest.param(
            {"cache": "page", "length": 450 * MB, "file_mode": "ring", "file_size": 75 * MIB},
            marks=pytest.mark.nightly,
        ),
    ],
    ids=["direct", "buffered ring"],
)
def test_the_read_rate_of_a_disk_is_found_although_it_writes_faster(
    installation: Installation,
    api: Appliance,
    lab: Lab,
    ready: TargetOn,
    files: dict[str, Any],
) -> None:
    """The host's memory would hold the files: a ring is read from the disk each time."""
    disk = lab.disk("a", 1 * GIB, read=READ_RATE, in_memory=True)
    target_id = ready(lab.host("one", disk), disk)
    run_id = launch(api, [target_id], operation="read", block=[MIB], sample_ms=100, **files)
    installation.drive_to_the_end(run_id, 90)
    cell, trial = only_cell(run_id)
    print(trial)
    assert trial.application_bytes_per_s == pytest.approx(READ_RATE, rel=0.05)
    assert trial.durable_bytes_per_s is None
    assert trial.verify_errors == 0
    assert cell.served_by and cell.served_by.application
    assert cell.served_by.application.source == "device"
    carried = {one.label: one.carried for one in cell.carry}
    assert carried["OC-3"] in {"yes", "buffered"}
    assert carried["1 Gb/s"] == "no"
    headline = result_of(run_id).headline
    assert headline and headline.operation == "read"


FAST, SLOW = 300 * MIB, 40 * MIB
CACHE, REST = 2 * 10**9, 600 * 10**6


@pytest.mark.parametrize(
    "within", [0.25, pytest.param(0.03, marks=pytest.mark.nightly)], ids=["roughly", "exactly"]
)
def test_a_cache_that_ends_is_found_where_it_ended(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn, within: float
) -> None:
    disk = lab.disk("a", 4 * GIB, write=FAST, in_memory=True)
    target_id = ready(lab.host("one", disk), disk)
    run_id = launch(api, [target_id], length=CACHE + REST, block=[1_000_000], mark_bytes=10**7)
    before = disk.moved.written
    with ThreadPoolExecutor(1) as pool:
        driving = pool.submit(installation.drive_to_the_end, run_id, 90)
        wait_until(lambda: disk.moved.written - before >= CACHE, 60, "the cache's bytes")
        disk.set_rate(write=SLOW)
        driving.result()
    _, trial = only_cell(run_id)
    print(trial.levels)
    assert trial.levels is not None
    fast, slow = trial.levels.held
    assert slow.from_bytes == pytest.approx(CACHE, rel=within)
    assert fast.bytes_per_s == pytest.approx(FAST, rel=within)
    assert slow.bytes_per_s == pytest.approx(SLOW, rel=within)
    found = result_of(run_id).headline
    assert found and found.figure and found.figure.levels and found.figure.bytes_per_s is None


DIP = 40 * MIB
AT, FOR = 700 * 10**6, 200 * 10**6


def test_a_disk_that_recovers_has_three_levels_and_is_not_level(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    disk = lab.disk("a", 2 * GIB, write=DIP * 5, in_memory=True)
    target_id = ready(lab.host("one", disk), disk)
    whole = 2 * AT + FOR
    run_id = launch(api, [target_id], length=whole, block=[1_000_000], mark_bytes=10**7)
    before = disk.moved.written
    with ThreadPoolExecutor(1) as pool:
        driving = pool.submit(installation.drive_to_the_end, run_id, 90)
        for moved, rate in ((AT, DIP), (AT + FOR, DIP * 5)):
            wait_until(lambda moved=moved: disk.moved.written - before >= moved, 60, "a level")
            disk.set_rate(write=rate)
        driving.result()
    _, trial = only_cell(run_id)
    print(trial.levels)
    assert trial.levels is not None
    assert [one.bytes_per_s for one in trial.levels.held] == pytest.approx(
        [DIP * 5, DIP, DIP * 5], rel=0.15
    )
    assert [one.to_bytes for one in trial.levels.held] == pytest.approx(
        [AT, AT + FOR, whole], rel=0.1
    )
    assert trial.shape is None


@pytest.mark.nightly
def test_priorities_hardly_matter_while_the_disk_is_the_limit(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    """Owl's finding in miniature; the probe of an unprivileged user has the capability."""
    disk = lab.disk("a", 2 * GIB, write=100 * MIB, in_memory=True)
    host = lab.host("one", disk)
    target_id = ready(host, disk)
    (probe,) = host.home.glob(".cache/assay/**/assay-probe")
    subprocess.run(["setcap", "cap_sys_nice=ep", probe], check=True)
    priorities = ["normal", "high", "fifo", "rr"]
    run_id = launch(
        api,
        [target_id],
        title="Priorities",
        length=400 * MB,
        priority=priorities,
        io_priority=["real_time"],
    )
    installation.drive_to_the_end(run_id, 120)
    found = result_of(run_id)
    assert [cell.mode.priority for cell in found.cells] == priorities
    assert (found.priority, found.io_priority) == (priorities, ["real_time"])
    notices = api.operator.get(f"/runs/{run_id}").json()["notices"]
    ignored = [one["message"] for one in notices if one["code"] == "io_priority_ignored"]
    assert len(ignored) == len(priorities)
    assert all(f"scheduler of {disk.device.name} is none" in one for one in ignored)
    normal, *others = found.cells
    for cell in others:
        print(cell.mode.priority, cell.contrast)
        assert cell.contrast
        assert cell.contrast.cell == normal.key
        assert cell.contrast.ratio == pytest.approx(1, rel=0.03)


@pytest.mark.nightly
def test_buffered_and_direct_writing_are_cells_of_one_run(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    """The page cache takes what the disk does not, and says so; the direct cell leads."""
    disk = lab.disk("a", 2 * GIB, write=100 * MIB, in_memory=True)
    target_id = ready(lab.host("one", disk), disk)
    run_id = launch(api, [target_id], length=400 * MB, cache=["direct", "page"], order="given")
    installation.drive_to_the_end(run_id, 60)
    found = result_of(run_id)
    direct, page = sorted(found.cells, key=lambda cell: cell.mode.cache or "")
    print(direct.application, page.application, page.durable, page.served_by)
    assert direct.application and page.application
    assert direct.application.mean == pytest.approx(100 * MIB, rel=0.05)
    assert page.application.mean > 1.5 * direct.application.mean
    assert found.headline and found.headline.figure
    assert direct.block == page.block


@pytest.mark.nightly
def test_a_sweep_of_bursts_finds_the_highest_rate_with_short_writes(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    disk = lab.disk("a", 2 * GIB, write=100 * MIB, in_memory=True)
    target_id = ready(lab.host("one", disk), disk)
    bursts = [1, 2, 4, 8, 16]
    run_id = launch(
        api,
        [target_id],
        length="3 s",
        block=[MIB],
        pace="burst",
        burst_blocks=bursts,
        gap_ns=40 * 10**6,
        peak_limit_ns=60 * 10**6,
        order="given",
        sample_ms=100,
    )
    installation.drive_to_the_end(run_id, 90)
    found = result_of(run_id)
    for cell in found.cells:
        print(cell.burst_blocks, cell.application and cell.application.mean, cell.peak_ns)
    spot = found.sweet_spot
    assert spot is not None
    assert spot.burst_blocks in {1, 2, 4}
    assert spot.peak_ns < 60 * 10**6
    slower = [cell for cell in found.cells if (cell.burst_blocks or 0) > (spot.burst_blocks or 0)]
    assert all((cell.peak_ns or 0) >= 60 * 10**6 for cell in slower)


def test_three_hosts_on_one_disk_share_its_rate(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    disks = [lab.disk(name, 1 * GIB, write=60 * MIB, in_memory=True) for name in "abc"]
    disks[2].set_rate(write=20 * MIB)
    targets = [ready(lab.host(f"h-{n}", disk), disk) for n, disk in enumerate(disks)]
    ring = {"file_mode": "ring", "ring_files": 2, "file_size": 100 * MIB}
    run_id = launch(api, targets, together=True, length="5 s", block=[MIB], sample_ms=100, **ring)
    installation.drive_to_the_end(run_id, 90)
    _, trial = only_cell(run_id)
    print(trial)
    assert trial.application_bytes_per_s == pytest.approx(140 * MIB, rel=0.1)
    assert [one.application_bytes_per_s for one in trial.participants] == pytest.approx(
        [60 * MIB, 60 * MIB, 20 * MIB], rel=0.1
    )
    assert trial.slowest_participant_id == trial.participants[2].participant_id
    # Jain's index: (3 + 3 + 1)^2 / (3 x (9 + 9 + 1))
    assert trial.fairness == pytest.approx(49 / 57, rel=0.05)


def test_ingest_and_playout_on_one_disk_have_their_own_rates(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    """Unpaced in both directions, on a disk that limits each: neither takes the other's bytes."""
    disk = lab.disk("a", 1 * GIB, write=60 * MIB, read=30 * MIB, in_memory=True)
    target_id = ready(lab.host("one", disk), disk)
    ring = {"file_mode": "ring", "ring_files": 2, "file_size": 60 * MIB}
    run_id = launch(api, [target_id], operation="both", length="6 s", sample_ms=100, **ring)
    before = disk.moved
    installation.drive_to_the_end(run_id, 90)
    after = disk.moved
    ingest, playout = result_of(run_id).cells
    print(ingest, playout)
    assert (ingest.operation, playout.operation) == ("write", "read")
    for cell, rate in ((ingest, 60 * MIB), (playout, 30 * MIB)):
        (trial,) = cell.trials
        assert trial.status == "complete"
        assert not {flag.code for flag in trial.flags} & {"contended", "short_overlap"}
        assert trial.application_bytes_per_s == pytest.approx(rate, rel=0.05)
        assert cell.served_by and cell.served_by.application
        assert cell.served_by.application.source == "device", cell.served_by
        assert trial.contention and trial.contention.state == "none", trial.contention
    (written,), (read,) = ingest.trials, playout.trials
    prepared = read.footprint_bytes
    assert after.written - before.written == pytest.approx(written.bytes + prepared, rel=0.03)
    assert after.read - before.read == pytest.approx(read.bytes, rel=0.03)
    headline = result_of(run_id).headline
    assert headline and headline.figure and headline.reads
    assert headline.figure.bytes_per_s == pytest.approx(60 * MIB, rel=0.05)
    assert headline.reads.bytes_per_s == pytest.approx(30 * MIB, rel=0.05)


@pytest.mark.nightly
def test_a_cache_that_empties_while_the_disk_rests_recovers_within_the_right_rest(
    installation: Installation, api: Appliance, lab: Lab, ready: TargetOn
) -> None:
    """It takes 300 MiB at 100 MiB/s, then 30 MiB/s, and is empty after 4 s without a write."""
    disk = lab.disk("a", 2 * GIB, write=100 * MIB)
    target_id = ready(lab.host("one", disk), disk)
    disk.slow_after(300 * MIB, 30 * MIB, 4)
    run_id = launch(
        api,
        [target_id],
        block=[MIB],
        length=500 * MIB,
        mark_bytes=5 * MIB,
        sample_ms=100,
        idle_ms=[0, 8000, 1000],
    )
    installation.drive_to_the_end(run_id, 120)
    found = result_of(run_id)
    assert found.recovery is not None, found.warnings
    print(found.recovery)
    assert found.recovery.fast_bytes == pytest.approx(300 * MIB, rel=0.05)
    short, long = found.recovery.rests
    assert (short.share, long.share) == (0, pytest.approx(1, rel=0.1))
    assert found.recovery.beyond_ns == short.rest_ns < 4 * 10**9
    assert found.recovery.within_ns == long.rest_ns >= 8 * 10**9


@pytest.mark.nightly
def test_network_storage_stays_level_and_nothing_on_the_host_proves_its_rate(
    installation: Installation, api: Appliance, lab: Lab
) -> None:
    """A FUSE file system whose writes take as long as a line: this kernel exports no NFS."""
    host = lab.host("one", lab.disk("a", 1 * GIB))
    folder = host.mount_faulty("nas")
    host_id = installation.ssh_host(host, name=host.name, address=host.address)
    target_id = installation.known_target(host_id, folder)
    assert installation.check(host_id).error is None
    host.fault_file_system("nas", FileFault("write", delay_s=0.005))
    length = 800 * MB
    run_id = launch(api, [target_id], cache="direct_if_real", length=length, mark_bytes=MB)
    installation.drive_to_the_end(run_id, 90)
    cell, trial = only_cell(run_id)
    print(trial.application_bytes_per_s, trial.slow_down, trial.shape, cell.served_by)
    assert trial.application_bytes_per_s and trial.application_bytes_per_s < cell.block / 0.005
    assert (trial.levels, trial.shape, trial.no_cliff_within_bytes) == (None, None, trial.bytes)
    assert trial.slow_down and abs(trial.slow_down.share) < 0.15
    assert cell.served_by and cell.served_by.application
    assert cell.served_by.application.source == "unknown"
    assert {one.carried for one in cell.carry if one.bytes_per_s > 160 * MB} == {"no"}
