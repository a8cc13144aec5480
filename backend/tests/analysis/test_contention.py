"""Attribution of the bytes that a device moved during a trial."""

from dataclasses import replace
from typing import Any

import pytest
from assay.analysis import flags
from assay.analysis.contention import Contention, Traffic, judge

GB = 10**9

ALONE: dict[str, Any] = {
    "own_read_bytes": 0,
    "own_write_bytes": GB,
    "dev_read_bytes": 0,
    "dev_write_bytes": GB,
    "quiet_ns": 200_000_000,
    "quiet_read_bytes": 0,
    "quiet_write_bytes": 0,
    "others_read_bytes": 0,
    "others_write_bytes": 0,
    "sees_all": False,
    "busiest": None,
}


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
