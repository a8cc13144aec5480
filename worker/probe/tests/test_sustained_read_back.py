"""A write trial whose files are read back and verified after its final sync."""

import pytest
from probe_driver import Probe, of
from sustained_driver import BLOCK, STRACE, result_of, sustained

RING = {"layout": "ring", "files": 3, "file_bytes": 4 * BLOCK}


SLOW_DROP = (*STRACE, "-e", "inject=fadvise64:delay_enter=3000000")
"""Dropping a file from the page cache takes three seconds, so reading back does."""


def read_back(events: list[dict]) -> dict:
    (found,) = of(events, "readback")
    return found


@pytest.mark.parametrize("cache", ["page", "direct"])
@pytest.mark.parametrize(
    ("layout", "left"),
    [
        ({"layout": "one"}, 67),
        ({"layout": "sequence", "file_bytes": 4 * BLOCK}, 67),
        (RING, 24),
        (RING | {"file_bytes": 100 * BLOCK}, 67),
    ],
    ids=["one", "sequence", "ring", "unfinished ring"],
)
def test_every_byte_that_is_left_is_verified(
    probe: Probe, layout: dict, left: int, cache: str
) -> None:
    trial = {"length_bytes": 67 * BLOCK, "streams": 2, "cache": cache, "read_back": 1}
    events = sustained(probe, trial | layout)
    assert probe.problems() == []
    found, result = read_back(events), result_of(events)
    assert (found["whole"], found["error"], found["bytes"]) == (True, None, left * BLOCK)
    assert (found["errors"], found["first_offset_bytes"], found["first_stream"]) == (0, None, None)
    assert found["ns"] > 0
    assert (found["resident_checked"] > 0, found["resident_pages"]) == (True, 0)
    assert (result["bytes"], result["verify_errors"]) == (67 * BLOCK, 0)
    assert result["durable_ns"] is not None
    assert result["seq"] < found["seq"]


def test_a_probe_killed_while_reading_back_keeps_the_result(
    shipped: Probe,
) -> None:
    """The next segment repeats nothing; the result itself says that nothing was verified."""
    plan = shipped.plan({"length_bytes": 200 * BLOCK, "read_back": 1}, {}, job="sustained")
    shipped.start_traced(plan, SLOW_DROP)
    shipped.wait_for("result")
    shipped.kill()
    shipped.start(plan)
    shipped.follow()
    assert shipped.problems() == []
    events = shipped.events()
    assert [(one["trial"], one["attempt"]) for one in of(events, "trial")] == [(0, 1), (1, 1)]
    first, _ = of(events, "result")
    assert (first["status"], first["bytes"], first["sync"]) == (
        "complete",
        200 * BLOCK,
        "complete",
    )
    found = first["detail"]["read_back"]
    assert (found["whole"], found["bytes"], found["error"]) == (False, 0, None)
    assert of(events, "readback") == []


def test_a_stop_while_reading_back_says_how_far_it_came(shipped: Probe) -> None:
    plan = shipped.plan({"length_bytes": 200 * BLOCK, "read_back": 1}, job="sustained")
    shipped.start_traced(plan, SLOW_DROP)
    shipped.wait_for("result")
    shipped.stop()
    events = shipped.events()
    assert shipped.problems() == []
    assert (result_of(events)["status"], of(events, "end")[-1]["status"]) == (
        "complete",
        "stopped",
    )
    found = read_back(events)
    assert (found["whole"], found["error"]) == (False, None)
    assert found["bytes"] == 0


def test_it_is_not_done_unless_asked(probe: Probe) -> None:
    events = sustained(probe, {})
    assert result_of(events)["detail"]["read_back"] is None
    assert of(events, "readback") == []


def test_wrong_data_is_found_with_its_place(probe: Probe) -> None:
    """The file is overwritten while the last block of a paced trial is awaited."""
    slow = {"pace": "rate", "rate_bytes_per_s": 8 * BLOCK, "length_bytes": 16 * BLOCK}
    probe.start(probe.plan(slow | {"streams": 2, "read_back": 1}, job="sustained"))
    probe.wait_for("mark", count=2)
    files = sorted(probe.test_files(), key=lambda path: path.stat().st_ino)
    with files[1].open("r+b") as file:
        file.seek(BLOCK + 512)
        file.write(b"x" * 1024)
    probe.follow()
    events = probe.events()
    found, result = read_back(events), result_of(events)
    assert (found["whole"], found["errors"], result["verify_errors"]) == (True, 2, 0)
    assert found["first_offset_bytes"] == BLOCK + 512
    assert found["first_stream"] in (0, 1)
    (notice,) = [one for one in of(events, "notice") if one["code"] == "verification_failed"]
    assert notice["corrupt"] == 2


def test_reading_back_tells_as_many_errors_as_the_reads_of_the_trial(probe: Probe) -> None:
    """Every block is read once, and then once more: the same one is wrong."""
    reads = {"operation": "mixed", "read_percent": 100, "access": "random", "idle_ms": 1000}
    trial = reads | {"file_bytes": 16 * BLOCK, "length_bytes": 16 * BLOCK, "read_back": 1}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("notice", 2)  # prepared
    (file,) = probe.test_files()
    with file.open("r+b") as opened:
        opened.seek(BLOCK + 512)
        opened.write(b"x" * 512)
    probe.follow()
    events = probe.events()
    assert (result_of(events)["verify_errors"], read_back(events)["errors"]) == (1, 1)
    told = [one for one in of(events, "notice") if one["code"] == "verification_failed"]
    assert [one["corrupt"] for one in told] == [1, 1]


def test_a_read_is_not_read_back(probe: Probe) -> None:
    refused = probe.verb(
        "start",
        probe.run_dir,
        stdin=probe.plan({"operation": "read", "read_back": 1}, job="sustained"),
        check=False,
    )
    assert refused.returncode == 3
    assert b"read_back=1" in refused.stderr
