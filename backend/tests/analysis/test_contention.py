"""Attribution of the bytes that a device moved during a trial."""

from dataclasses import replace
from typing import Any

import pytest
from analysis.simulated import ALONE, GB
from assay.analysis import flags
from assay.analysis.contention import Contention, Traffic, judge
from assay.analysis.excess import DeviceCourse

MB = 10**6


def judged(kind: str = "write", unseen: str | None = None, **readings: Any) -> Contention:
    traffic = Traffic("write", GB, 5 * GB, ALONE | readings, unseen)
    return judge(replace(traffic, kind="read") if kind == "read" else traffic)


def test_a_trial_alone_on_its_device_is_not_contended() -> None:
    found = judged()
    assert (found.state, found.others_bytes) == ("none", 0)


def test_both_copies_of_a_mirror_belong_to_the_trial() -> None:
    mirrored = Traffic("write", GB, 5 * GB, ALONE | {"dev_write_bytes": 2 * GB}, copies=2)
    found = judge(mirrored)
    assert (found.state, found.others_bytes) == ("none", 0)


def test_io_of_siblings_on_the_device_is_not_contention() -> None:
    together = Traffic("write", GB, 5 * GB, ALONE | {"dev_write_bytes": 3 * GB})
    assert judge(together).state != "none"
    found = judge(replace(together, siblings_bytes=2 * GB))
    assert (found.state, found.others_bytes) == ("none", 0)
    readings = {**ALONE, "dev_write_bytes": 3 * GB, "others_write_bytes": 2 * GB}
    others = replace(together, siblings_bytes=GB, siblings_host_bytes=GB, readings=readings)
    assert (judge(others).state, judge(others).others_bytes) == ("contended", GB)
    journal = replace(others, readings=readings | {"others_write_bytes": GB})
    assert judge(journal).state == "others_or_amplification"


def test_a_sibling_on_another_device_of_the_host_does_not_explain_an_excess() -> None:
    """Its process moved as much as the trial, but a journal moved the device's excess."""
    readings = {**ALONE, "dev_write_bytes": GB + GB // 10, "others_write_bytes": GB}
    beside = Traffic("write", GB, 5 * GB, readings | {"sees_all": True})
    assert judge(beside).reason == "other_processes"
    found = judge(replace(beside, siblings_host_bytes=GB))
    assert (found.state, found.reason) == ("none", "amplified")


def test_reads_during_a_write_are_contention() -> None:
    found = judged(dev_read_bytes=GB // 2, busiest="fio (process 7)")
    assert (found.state, found.others_bytes) == ("contended", GB // 2)
    assert "Other reads on the device during this write: 500 MB" in found.evidence
    assert "fio (process 7)" in found.evidence


def test_writes_during_a_read_are_contention() -> None:
    found = judged(
        "read", own_read_bytes=GB, own_write_bytes=0, dev_read_bytes=GB, dev_write_bytes=GB // 5
    )
    assert (found.state, found.others_bytes) == ("contended", GB // 5)


def test_a_device_that_is_busy_while_the_probe_is_idle_is_contended() -> None:
    found = judged(dev_write_bytes=2 * GB, quiet_write_bytes=20_000_000)
    assert (found.state, found.others_bytes) == ("contended", GB)
    assert "100 MB/s just after the trial" in found.evidence


def test_other_processes_that_caused_the_excess_are_contention() -> None:
    found = judged(dev_write_bytes=2 * GB, others_write_bytes=GB)
    assert (found.state, found.others_bytes) == ("contended", GB)


def test_other_processes_on_other_devices_are_not_contention() -> None:
    assert judged(others_write_bytes=GB).state == "none"


def test_what_assays_own_processes_moved_is_named_and_is_not_that_of_others() -> None:
    stack = {"dev_write_bytes": GB + 134 * MB, "appliance_write_bytes": 134 * MB}
    found = judged(**stack)
    assert (found.state, found.reason, found.others_bytes) == ("contended", "appliance", 0)
    assert found.figures["appliance_bytes"] == 134 * MB
    assert "Assay's own database, queue and logs transferred 134 MB" in found.evidence
    assert "ther I/O" not in found.evidence


def test_little_io_of_assays_own_processes_is_only_a_figure() -> None:
    stack = {"dev_write_bytes": GB + 20 * MB, "appliance_write_bytes": 20 * MB}
    found = judged(**stack)
    assert (found.state, found.reason) == ("none", "under_threshold")
    assert found.figures["appliance_bytes"] == 20 * MB


def test_assays_own_processes_do_not_hide_others() -> None:
    moved = {"appliance_write_bytes": 134 * MB, "others_write_bytes": 200 * MB}
    found = judged(dev_write_bytes=GB + 334 * MB, **moved)
    assert (found.reason, found.others_bytes) == ("other_processes", 200 * MB)
    assert found.figures["appliance_bytes"] == 134 * MB
    assert "134 MB beside that" in found.evidence


def test_what_may_be_that_of_others_is_not_called_assays_own() -> None:
    moved = {"appliance_write_bytes": 500 * MB, "others_write_bytes": 200 * MB}
    found = judged(dev_write_bytes=GB + 200 * MB, **moved)
    assert (found.reason, found.others_bytes) == ("other_processes", 200 * MB)
    assert "appliance_bytes" not in found.figures


def test_a_mirror_has_two_copies_of_what_assay_writes() -> None:
    readings = {"dev_write_bytes": 2 * (GB + 134 * MB), "appliance_write_bytes": 134 * MB}
    found = judge(Traffic("write", GB, 5 * GB, ALONE | readings, copies=2))
    assert (found.reason, found.figures["appliance_bytes"]) == ("appliance", 2 * 134 * MB)


def test_assays_own_files_on_another_partition_are_no_neighbors() -> None:
    readings = {"neighbor_read_bytes": 0, "neighbor_write_bytes": 134 * MB}

    def judged(**more: int) -> Contention:
        return judge(Traffic("write", GB, 5 * GB, ALONE | readings | more, disks=["sda"]))

    found = judged(appliance_write_bytes=134 * MB)
    assert (found.reason, found.figures["appliance_bytes"]) == ("appliance", 134 * MB)
    found = judged(appliance_write_bytes=34 * MB)
    assert (found.reason, found.figures["neighbors_bytes"]) == ("neighbors", 100 * MB)


def test_assays_own_io_has_a_time() -> None:
    own, interval = [50 * MB] * 40, GB // 4
    device = [size + (17 * MB if 12 <= at < 20 else 0) for at, size in enumerate(own)]
    ends = [(at + 1) * interval for at in range(40)]
    course = DeviceCourse(ends, [interval] * 40, own, device, [0] * 40)
    moved = {"own_write_bytes": 2 * GB, "dev_write_bytes": sum(device)}
    readings = ALONE | moved | {"appliance_write_bytes": 136 * MB}
    found = judge(Traffic("write", 2 * GB, 10 * GB, readings, course=course))
    assert found.reason == "appliance"
    assert found.coincides(4 * GB) and not found.coincides(8 * GB)
    assert "From 3.0 to 5.0 s Assay's own I/O moved" in found.evidence


def test_assays_own_processes_on_other_disks_explain_nothing() -> None:
    assert judged(appliance_write_bytes=500 * MB) == judged()


def test_an_unexplained_excess_is_other_io_or_amplification() -> None:
    found = judged(dev_write_bytes=2 * GB)
    assert (found.state, found.others_bytes) == ("others_or_amplification", GB)
    assert "other I/O or amplification" in found.evidence


def test_an_excess_is_amplification_if_every_other_process_was_idle() -> None:
    found = judged(dev_write_bytes=2 * GB, sees_all=True)
    assert (found.state, found.others_bytes) == ("none", 0)


@pytest.mark.parametrize("readings", [None, ALONE | {"dev_read_bytes": None}])
def test_without_a_counter_contention_is_unknown(readings: dict[str, Any] | None) -> None:
    found = judge(Traffic("write", GB, GB, readings))
    assert (found.state, found.others_bytes) == ("unknown", None)


def test_behind_an_array_contention_is_unknown_unless_it_shows_on_the_host() -> None:
    assert judged(unseen="The array may serve others.").state == "unknown"
    assert judged(unseen="The array may serve others.", dev_read_bytes=GB).state == "contended"


def test_a_contended_trial_is_flagged_and_excluded() -> None:
    readings = flags.Readings(
        status="complete",
        block=2**20,
        threads=1,
        files=1,
        bytes=GB,
        operations=1000,
        app_ns=5 * GB,
        durable_ns=5 * GB,
        contention=judged(dev_read_bytes=GB // 2),
    )
    (flag,) = flags.judge(readings)
    assert flag.code == "contended"
    assert flag.figures["others_bytes"] == GB // 2
    assert flags.excluded([flag], "durable")


ON_SDA: dict[str, Any] = {"neighbor_read_bytes": 0, "neighbor_write_bytes": 0}


@pytest.mark.parametrize("kind", ["write", "read"])
def test_io_of_neighbors_on_the_disk_is_contention(kind: str) -> None:
    own = {"own_read_bytes": GB, "own_write_bytes": 0, "dev_read_bytes": GB, "dev_write_bytes": 0}
    readings = ALONE | ON_SDA | (own if kind == "read" else {})
    traffic = replace(Traffic("write", GB, 5 * GB, readings, disks=["sda"]), kind=kind)
    assert judge(traffic).state == "none"
    found = judge(replace(traffic, readings=readings | {"neighbor_write_bytes": 310_000_000}))
    assert (found.state, found.others_bytes, found.reason) == (
        "contended",
        310_000_000,
        "neighbors",
    )
    assert "transferred 310 MB on the disk sda" in found.evidence
    assert found.figures["neighbors_bytes"] == 310_000_000


def test_io_of_neighbors_adds_to_that_on_the_device() -> None:
    readings = ALONE | ON_SDA | {"neighbor_read_bytes": GB // 4, "dev_read_bytes": GB // 2}
    both = judge(Traffic("write", GB, 5 * GB, readings, disks=["sda"]))
    assert (both.state, both.others_bytes) == ("contended", 3 * GB // 4)
    assert (both.reason, both.figures["neighbors_bytes"]) == ("opposite_direction", GB // 4)


def test_participants_of_the_run_are_no_neighbors() -> None:
    readings = ALONE | ON_SDA | {"neighbor_write_bytes": GB}
    beside = Traffic("write", GB, 5 * GB, readings, disks=["sda"], neighbors_bytes=GB)
    assert judge(beside).state == "none"
    assert judge(replace(beside, neighbors_bytes=GB // 2)).others_bytes == GB // 2
