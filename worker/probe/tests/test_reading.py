"""Read trials: prepared once, verified, and never served by what was not written."""

import os

from probe_driver import Probe, of, samples

READ = {"kind": "read", "file_size": 3_000_000, "block": 65536}


def test_trials_of_one_size_share_one_prepared_set(probe: Probe) -> None:
    events = probe.run(
        READ,
        READ | {"block": 1 << 20, "threads": 2, "files": 2},
        READ | {"cache": "direct", "block": 4096},
    )
    prepared = [notice for notice in of(events, "notice") if notice["code"] == "prepared"]
    assert [(notice["files"], notice["bytes"]) for notice in prepared] == [(2, 2 * 3 * (1 << 20))]
    assert prepared[0]["ns"] > 0
    for trial, result in zip(of(events, "trial"), of(events, "result"), strict=True):
        assert result["status"] == "complete"
        assert result["bytes"] == trial["total_bytes"]
        assert result["verify_errors"] == 0
        assert result["durable_ns"] is None
        assert result["sync"] == "none"
        assert result["resident_checked"] > 0
    assert {sample["phase"] for sample in samples(events)} == {2}


def test_the_first_read_of_a_region_is_told_apart_from_later_ones(probe: Probe) -> None:
    read = READ | {"block": 1 << 20, "threads": 2, "files": 2}
    results = of(probe.run(READ, READ | {"threads": 2}, read, read, {}), "result")
    small, large = results[0]["bytes"], results[2]["bytes"]
    told = [result["first_read"] for result in results]
    assert told == [small, 0, large - small, 0, None]


def test_each_size_and_layout_has_a_set_of_its_own_that_goes_when_done(probe: Probe) -> None:
    events = probe.run(
        READ,
        READ | {"layout": "preallocated"},
        READ | {"layout": "overwrite"},
        READ | {"file_size": 99},
    )
    assert len([notice for notice in of(events, "notice") if notice["code"] == "prepared"]) == 4
    assert {result["status"] for result in of(events, "result")} == {"complete"}
    assert {result["unwritten"] for result in of(events, "result")} <= {"none", "unsupported"}


def test_blocks_that_are_no_sectors_verify_too(probe: Probe) -> None:
    events = probe.run(
        READ | {"block": 1000}, READ | {"block": 520, "threads": 3}, READ | {"block": 77_777}
    )
    assert [result["verify_errors"] for result in of(events, "result")] == [0, 0, 0]
    assert {result["status"] for result in of(events, "result")} == {"complete"}


def test_a_direct_read_finds_nothing_in_the_page_cache(probe: Probe) -> None:
    result = of(probe.run(READ | {"cache": "direct"}), "result")[0]
    assert result["resident_pages"] == 0
    if result["dev_app"] is not None:
        assert result["dev_app"] >= result["bytes"]


def test_a_memory_file_system_shows_that_it_is_resident(memory_target: Probe) -> None:
    events = memory_target.run(READ)
    result = of(events, "result")[0]
    assert result["status"] == "complete"
    assert result["resident_pages"] == result["resident_checked"] > 0


def test_stamps_that_were_overwritten_are_counted(probe: Probe) -> None:
    slow = READ | {"file_size": 64 << 20, "block": 512, "open": "rws"}
    probe.start(probe.plan(READ | {"file_size": 64 << 20}, slow))
    probe.wait_for("result")
    spoiled = next(probe.target.glob(".assay-*/set0-0"))
    with spoiled.open("r+b") as file:
        for block in range(3):
            file.seek((64 << 20) - (block + 1) * 512)
            file.write(b"\0" * 512)
        file.flush()
        os.fsync(file.fileno())
    probe.follow()
    assert [result["verify_errors"] for result in of(probe.events(), "result")] == [0, 3]


def test_extents_that_were_never_written_fail_the_trial(shipped: Probe, strace: str) -> None:
    """Preparing writes that only claim to be done leave the allocated file unwritten."""
    plan = shipped.plan(
        READ | {"layout": "preallocated", "file_size": 4 << 20, "block": 4 << 20},
        {"file_size": 65536},
    )
    inject = ["-f", "-qq", "-o", shipped.home / "trace", "-e", "trace=pwrite64"]
    inject += ["-e", f"inject=pwrite64:retval={4 << 20}:when=2"]  # the first writes the pid
    shipped.start(plan, prefix=(strace, *inject))
    shipped.follow()
    unwritten, good = of(shipped.events(), "result")
    assert (unwritten["status"], unwritten["reason"]) == ("failed", "unwritten_extents")
    assert unwritten["unwritten"] == "found"
    assert good["status"] == "complete"
