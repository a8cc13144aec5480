"""Read trials: prepared once, verified, and never served by unwritten data."""

import os
from collections.abc import Callable

from probe_driver import LONG, Probe, of, samples

READ = {"operation": "read", "file_size": 3_000_000, "block": 65536}


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


def test_the_first_read_of_a_region_is_distinguished_from_later_ones(probe: Probe) -> None:
    read = READ | {"block": 1 << 20, "threads": 2, "files": 2}
    results = of(probe.run(READ, READ | {"threads": 2}, read, read, {}), "result")
    small, large = results[0]["bytes"], results[2]["bytes"]
    told = [result["first_read_bytes"] for result in results]
    assert told == [small, 0, large - small, 0, None]


def test_each_size_and_layout_has_its_own_set_that_is_removed_when_done(probe: Probe) -> None:
    events = probe.run(
        READ,
        READ | {"layout": "preallocated"},
        READ | {"layout": "overwrite"},
        READ | {"file_size": 99},
    )
    assert len([notice for notice in of(events, "notice") if notice["code"] == "prepared"]) == 4
    assert {result["status"] for result in of(events, "result")} == {"complete"}
    assert {result["unwritten"] for result in of(events, "result")} <= {"none", "unsupported"}


def test_blocks_that_are_not_whole_sectors_are_verified(probe: Probe) -> None:
    events = probe.run(
        READ | {"block": 1000}, READ | {"block": 520, "threads": 3}, READ | {"block": 77_777}
    )
    assert [result["verify_errors"] for result in of(events, "result")] == [0, 0, 0]
    assert {result["status"] for result in of(events, "result")} == {"complete"}


def test_a_direct_read_finds_nothing_in_the_page_cache(probe: Probe) -> None:
    result = of(probe.run(READ | {"cache": "direct"}), "result")[0]
    assert result["resident_pages"] == 0
    if result["dev_app_bytes"] is not None:
        assert result["dev_app_bytes"] >= result["bytes"]


def test_a_memory_file_system_is_reported_as_resident(memory_target: Probe) -> None:
    events = memory_target.run(READ)
    result = of(events, "result")[0]
    assert result["status"] == "complete"
    assert result["resident_pages"] == result["resident_checked"] > 0


def spoil(probe: Probe, change: Callable[[bytearray], object]) -> list[dict]:
    """Read a file of 1 MiB twice, and change it in between; return the events."""
    read = READ | {"file_size": 1 << 20}
    hold = LONG | {"timeout_ms": 4000}
    probe.start(probe.plan(read, hold, read, read | {"block": 7000, "threads": 3}))
    probe.wait_for("result")
    path = probe.test_files()[0]
    data = bytearray(path.read_bytes())
    change(data)
    with path.open("r+b") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    assert len(of(probe.events(), "result")) == 1, "the change came too late"
    probe.follow()
    assert probe.problems() == []
    return probe.events()


def test_every_byte_of_a_sector_is_verified(probe: Probe) -> None:
    """One bit in the middle of one sector and in the last byte of another."""

    def flip(data: bytearray) -> None:
        data[100 * 512 + 256] ^= 1
        data[200 * 512 + 511] ^= 128

    events = spoil(probe, flip)
    errors = {result["trial"]: result["verify_errors"] for result in of(events, "result")}
    notice = of(events, "notice")[-2]
    assert errors[0] == 0
    assert errors[2] == 2
    assert notice["code"] == "verification_failed"
    assert (notice["corrupt"], notice["stale"], notice["misplaced"]) == (2, 0, 0)
    assert (notice["trial"], notice["first_offset_bytes"]) == (2, 100 * 512)
    assert errors[3] == 2, "blocks that end inside sectors"


def test_a_misplaced_sector_is_detected(probe: Probe) -> None:
    def swap(data: bytearray) -> None:
        data[0:512], data[4096:4608] = data[4096:4608], data[0:512]

    notice = of(spoil(probe, swap), "notice")[-2]
    assert (notice["corrupt"], notice["stale"], notice["misplaced"]) == (0, 0, 2)


def test_a_lost_write_leaves_stale_sectors_that_are_detected(shipped: Probe, strace: str) -> None:
    """The second pass over a file to be read after overwriting never reaches the storage."""
    read = READ | {"layout": "overwrite", "file_size": 12 << 20, "block": 1 << 20}
    inject = ["-f", "-qq", "-o", shipped.home / "trace", "-e", "trace=pwrite64"]
    inject += ["-e", f"inject=pwrite64:retval={4 << 20}:when=4..6"]  # of the preparing thread
    shipped.start(shipped.plan(read), prefix=(strace, *inject))
    shipped.follow()
    notice = of(shipped.events(), "notice")[-1]
    assert of(shipped.events(), "result")[0]["verify_errors"] == (12 << 20) // 512
    assert (notice["corrupt"], notice["stale"], notice["misplaced"]) == (0, (12 << 20) // 512, 0)


def test_large_blocks_are_verified_in_parallel(probe: Probe) -> None:
    """Two files, a thread each: a data thread verifies while the I/O thread continues reading."""
    read = {"operation": "read", "file_size": 24 << 20, "block": 1 << 20, "threads": 2, "files": 2}
    hold = LONG | {"timeout_ms": 4000}
    probe.start(probe.plan(read, hold, read))
    probe.wait_for("result")
    for number in range(2):
        with probe.test_files()[number].open("r+b") as file:
            for sector in range(0, (24 << 20) // 512, 1000):
                file.seek(sector * 512 + 77)
                byte = file.read(1)
                file.seek(sector * 512 + 77)
                file.write(bytes([byte[0] ^ 4]))
            file.flush()
            os.fsync(file.fileno())
    probe.follow()
    first, *_, second = of(probe.events(), "result")
    assert (first["verify_errors"], second["verify_errors"]) == (0, 2 * 50)
    assert second["data_ns"] >= 0


def test_extents_that_were_never_written_fail_the_trial(shipped: Probe, strace: str) -> None:
    """Writes that only report success during preparation leave the allocated file unwritten."""
    plan = shipped.plan(
        READ | {"layout": "preallocated", "file_size": 20 << 20, "block": 4 << 20},
        {"file_size": 65536},
    )
    inject = ["-f", "-qq", "-o", shipped.home / "trace", "-e", "trace=pwrite64"]
    inject += ["-e", f"inject=pwrite64:retval={4 << 20}:when=5"]  # no other thread makes so many
    shipped.start(plan, prefix=(strace, *inject))
    shipped.follow()
    unwritten, good = of(shipped.events(), "result")
    assert (unwritten["status"], unwritten["reason"]) == ("failed", "unwritten_extents")
    assert unwritten["unwritten"] == "found"
    assert good["status"] == "complete"
