"""Random and mixed access: each block once in a pass, and what is read is what was written."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import spool_rules
from probe_driver import Probe, of, samples
from sustained_driver import result_of, sustained

BLOCK = 4096
WORKING_SET = 64 * BLOCK
RANDOM = {
    "access": "random",
    "file_bytes": WORKING_SET,
    "block": BLOCK,
    "mark_bytes": 16 * BLOCK,
    "length_bytes": 2 * WORKING_SET,
}
ENGINES = [
    pytest.param({}, id="threads"),
    pytest.param({"engine": "io_uring", "queue_depth": 8}, id="io_uring"),
]


def test_a_pass_visits_each_block_once_and_reads_find_what_was_written_last(
    access_checker: Path,
) -> None:
    checked = subprocess.run(
        [access_checker], capture_output=True, text=True, timeout=60, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cache", ["page", "direct"])
@pytest.mark.parametrize(
    "operation",
    [
        {"operation": "write", "read_back": 1},
        {"operation": "read"},
        {"operation": "mixed", "read_percent": 70, "read_back": 1},
    ],
    ids=lambda operation: operation["operation"],
)
@pytest.mark.parametrize("block", [BLOCK, 32 * BLOCK], ids=["inline", "data thread"])
def test_random_access_moves_every_byte_and_verifies_it(
    probe: Probe, operation: dict, cache: str, engine: dict, block: int
) -> None:
    shape = {
        "block": block,
        "file_bytes": 20 * block,
        "mark_bytes": 4 * block,
        "length_bytes": 75 * block,
    }
    events = sustained(probe, RANDOM | shape | operation | engine | {"cache": cache, "streams": 2})
    result = result_of(events)
    assert result["status"] == "complete", result
    assert (result["bytes"], result["ops"]) == (75 * block, 75)
    assert result["verify_errors"] == 0
    assert result["working_set_bytes"] == 2 * 20 * block
    if "read_back" in operation:
        (read_back,) = of(events, "readback")
        assert (read_back["whole"], read_back["bytes"]) == (True, 2 * 20 * block)
        assert read_back["errors"] == 0
    offsets = {(stream, offset) for _, _, offset, stream in result["detail"]["slowest"]}
    assert len(offsets) == 2 * 20


def test_a_mixed_trial_reads_its_share_and_tells_both_directions_apart(probe: Probe) -> None:
    trial = RANDOM | {"operation": "mixed", "read_percent": 30, "length_bytes": 1000 * BLOCK}
    events = sustained(probe, trial | {"engine": "io_uring", "queue_depth": 4})
    result = result_of(events)
    directions = result["detail"]["directions"]
    assert (directions["read"]["ops"], directions["write"]["ops"]) == (300, 700)
    assert directions["read"]["bytes"] == 300 * BLOCK
    for one in directions.values():
        assert 0 < one["lat_min_ns"] <= one["lat_sum_ns"] / one["ops"] <= one["lat_max_ns"]
        assert one["due_hist"] is one["due_max_ns"] is None
    assert sum(sample["read_ops"] for sample in samples(events)) == 300
    assert {sample["phase"] for sample in samples(events)} == {0, 1}
    assert of(events, "trial")[0]["parameters"]["read_percent"] == 30
    assert result["sync"] == "complete"


def test_a_mixed_trial_by_a_rate_has_due_times_of_both_directions(probe: Probe) -> None:
    trial = RANDOM | {"operation": "mixed", "read_percent": 50, "length_bytes": 200 * BLOCK}
    rate = {"pace": "rate", "rate_bytes_per_s": 1000 * BLOCK}
    detail = result_of(sustained(probe, trial | rate))["detail"]
    for one in detail["directions"].values():
        assert sum(count for _, count in one["due_hist"]) == 100
        assert one["due_max_ns"] <= detail["due_max_ns"]
    assert detail["frames"] is None


def test_what_one_trial_wrote_is_not_taken_for_what_the_next_one_wrote(probe: Probe) -> None:
    """Passes have numbers of their own in the stamps, also of the trials that follow."""
    trial = RANDOM | {"operation": "mixed", "read_percent": 50, "length_bytes": 7 * WORKING_SET}
    results = of(sustained(probe, trial, trial | {"seed": 5}, trial), "result")
    counted = [result for result in results if result["status"] == "complete"]
    assert [result["verify_errors"] for result in counted] == [0, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("operation", ["read", "mixed"])
def test_a_block_that_changed_behind_the_trial_is_an_error(
    probe: Probe, operation: str, engine: dict
) -> None:
    share = {"read_percent": 90} if operation == "mixed" else {}
    trial = RANDOM | engine | share | {"operation": operation, "idle_ms": 1000, "cache": "direct"}
    probe.start(probe.plan(trial, job="sustained"))
    probe.wait_for("notice", 2)  # prepared
    (file,) = probe.test_files()
    with file.open("r+b", buffering=0) as opened:
        for number in range(64):
            os.pwrite(opened.fileno(), b"!" * 16, number * BLOCK)
        os.fsync(opened.fileno())
    result = probe.wait_for("result")
    assert result["verify_errors"] > 0
    assert probe.wait_for("end")["ev"] == "end"
    notices = [one for one in probe.events() if one.get("code") == "verification_failed"]
    assert notices[-1]["corrupt"] == result["verify_errors"]


def test_the_seed_determines_the_order(shipped: Probe, strace: str) -> None:
    def places(seed: int, name: str) -> list[str]:
        trace = shipped.home / name
        shipped.run_dir = shipped.home / "runs" / name
        plan = shipped.plan(RANDOM | {"operation": "read", "seed": seed}, job="sustained")
        prefix = (strace, "-f", "-qq", "-e", "trace=pread64", "-o", trace)
        shipped.start_traced(plan, prefix)
        shipped.wait_for("end")
        return re.findall(rf"pread64.*, {BLOCK}, (\d+)\) += {BLOCK}", trace.read_text())

    first, again, other = places(1, "a"), places(1, "b"), places(2, "c")
    assert first == again
    assert first != other
    assert (
        sorted(first[:64]) == sorted(first[64:]) == sorted(map(str, range(0, WORKING_SET, BLOCK)))
    )
    assert first[:64] != first[64:]


def test_a_random_write_overwrites_blocks_that_are_on_the_device(probe: Probe) -> None:
    trial = RANDOM | {"operation": "write", "precondition_passes": 1, "cache": "direct"}
    events = sustained(probe, trial)
    said = [event["code"] for event in of(events, "notice")]
    assert said.index("prepared") < said.index("preconditioned")
    result = result_of(events)
    assert result["unwritten"] == "none"
    assert result["detail"]["preparation"]["precondition_bytes"] == WORKING_SET


def test_a_random_read_of_the_page_cache_drops_it_before_each_pass(probe: Probe) -> None:
    result = result_of(
        sustained(probe, RANDOM | {"operation": "read", "length_bytes": 4 * WORKING_SET})
    )
    assert result["dev_app_bytes"] is None or result["dev_app_bytes"] >= 3 * WORKING_SET
    assert result["first_read_bytes"] == WORKING_SET


def test_pages_that_stay_in_memory_before_random_writes_are_reported(memory_target: Probe) -> None:
    events = sustained(memory_target, RANDOM | {"operation": "write"})
    (said,) = [one for one in of(events, "notice") if one["code"] == "start_resident"]
    assert said["resident_pages"] == said["resident_checked"] == 64
    assert result_of(events)["resident_checked"] == 0


def test_direct_random_writes_are_not_found_in_the_page_cache(probe: Probe) -> None:
    trial = RANDOM | {"operation": "write", "cache": "direct", "file_bytes": 4 << 20}
    result = result_of(sustained(probe, trial | {"length_bytes": 1 << 20}))
    assert result["resident_checked"] == (1 << 20) // os.sysconf("SC_PAGESIZE")
    assert result["resident_pages"] == 0


REFUSED = [
    (
        {"operation": "mixed", "access": "sequential", "file_bytes": 0, "read_percent": 5},
        "operation=mixed",
    ),
    ({"operation": "mixed"}, "read_percent: is missing"),
    ({"read_percent": 50}, "read_percent=50"),
    ({"operation": "mixed", "read_percent": 101}, "read_percent=101"),
    ({"layout": "ring", "files": 2}, "layout=ring"),
    ({"layout": "sequence"}, "layout=sequence"),
    ({"file_bytes": 0}, "file_bytes=0"),
    ({"file_bytes": BLOCK + 1}, f"file_bytes={BLOCK + 1}"),
    ({"file_bytes": 1 << 60, "streams": 2}, f"file_bytes={1 << 60}"),
    ({"access": "sequential", "file_bytes": 0, "seed": 1}, "seed=1"),
    ({"seed": 1 << 63}, f"seed={1 << 63}"),
    ({"queue_depth": 2}, "queue_depth=2"),
    ({"queue_depth": 257, "engine": "io_uring"}, "queue_depth=257"),
    ({"queue_depth": 0, "engine": "io_uring"}, "queue_depth=0"),
    ({"queue_depth": 65, "engine": "io_uring"}, "queue_depth=65"),
    ({"operation": "read", "read_back": 1}, "read_back=1"),
    ({"operation": "read", "precondition_passes": 1}, "precondition_passes=1"),
]


@pytest.mark.parametrize(("fields", "named"), REFUSED, ids=[named for _, named in REFUSED])
def test_a_contradiction_is_refused_with_the_field(probe: Probe, fields: dict, named: str) -> None:
    refused = probe.start(probe.plan(RANDOM | fields, job="sustained"), check=False)
    assert refused.returncode == 3
    assert named.encode() in refused.stderr
    assert probe.leftovers() == []


def test_the_largest_seed_is_taken_and_told(probe: Probe) -> None:
    events = sustained(probe, RANDOM | {"seed": (1 << 63) - 1})
    assert of(events, "trial")[0]["parameters"]["seed"] == (1 << 63) - 1
    assert spool_rules.problems(probe.spool()) == []
