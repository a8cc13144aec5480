"""Write trials: file content, both rates, samples, layouts, modes, limits."""

import ctypes
import itertools
import mmap
import re
import subprocess
import zlib
from pathlib import Path

import pytest
from probe_driver import LONG, Probe, moments, of, samples
from test_disks import on_disk
from testdata import sectors_of, stamp_of


def only_result(events: list[dict]) -> dict:
    results = of(events, "result")
    assert len(results) == 1
    return results[0]


@pytest.mark.parametrize(
    ("layout", "cache", "mode"),
    [
        *itertools.product(["fresh", "preallocated", "overwrite"], ["page", "direct"], ["rw"]),
        ("fresh", "page", "rwd"),
        ("fresh", "page", "rws"),
        ("fresh", "direct", "rwd"),
    ],
)
def test_every_layout_cache_and_open_mode_writes_all_data(
    probe: Probe, layout: str, cache: str, mode: str
) -> None:
    trial = {"layout": layout, "cache": cache, "open": mode, "file_size": 1 << 20, "threads": 2}
    events = probe.run(trial)
    result = only_result(events)
    assert (result["status"], result["bytes"], result["ops"]) == ("complete", 1 << 20, 16)
    assert result["sync"] == "complete"
    assert (
        result["durable_ns"]
        >= result["app_ns"]
        >= result["last_done_ns"]
        >= result["first_done_ns"]
        > 0
    )
    assert of(events, "end")[0] | {"t": 0, "seq": 0} == {
        "v": 2,
        "seq": 0,
        "t": 0,
        "ev": "end",
        "status": "done",
        "reason": None,
        "cleaned": True,
        "trials_complete": 1,
    }


@pytest.mark.parametrize("layout", ["fresh", "overwrite"])
@pytest.mark.parametrize(("mode", "flag"), [("rw", None), ("rwd", "O_DSYNC"), ("rws", "O_SYNC")])
def test_each_open_mode_opens_the_files_with_its_flag(
    shipped: Probe, strace: str, layout: str, mode: str, flag: str | None
) -> None:
    trace = shipped.home / "trace"
    tracing = (strace, "-f", "-qq", "-o", trace, "-e", "trace=openat,open")
    trial = {"layout": layout, "open": mode, "file_size": 1 << 20}
    shipped.start(shipped.plan(trial), prefix=tracing)
    shipped.follow()
    assert only_result(shipped.events())["status"] == "complete"
    of_data = re.findall(r"^.*\b(?:O_WRONLY|O_RDWR)\b.*$", trace.read_text(), re.MULTILINE)
    found = {word for line in of_data for word in re.findall(r"\bO_D?SYNC\b", line)}
    assert found == ({flag} if flag else set())


@pytest.mark.parametrize("threads,files", [(1, 1), (2, 1), (3, 2), (4, 4), (2, 8), (16, 3)])
def test_threads_and_files_write_each_file_exactly_once(
    probe: Probe, threads: int, files: int
) -> None:
    events = probe.run({"threads": threads, "files": files, "file_size": 300_000, "block": 4096})
    trial, result = of(events, "trial")[0], only_result(events)
    used = min(threads, files)
    assert (trial["parameters"]["files"], trial["parameters"]["file_size"]) == (used, 300_000)
    assert result["bytes"] == trial["total_bytes"] == used * 74 * 4096
    assert result["status"] == "complete"


def test_threads_that_find_no_block_left_do_not_lengthen_the_trial(memory_target: Probe) -> None:
    result = only_result(memory_target.run({"threads": 256, "file_size": 512, "block": 512}))
    assert result["ops"] == 1
    assert result["first_done_ns"] == result["last_done_ns"] == result["app_ns"]


@pytest.mark.parametrize("block", [512, 520, 1000, 4096, 100_000, 1 << 20, 8 << 20])
def test_odd_and_large_blocks_work(probe: Probe, block: int) -> None:
    result = only_result(probe.run({"block": block, "file_size": 500_000, "threads": 2}))
    assert result["status"] == "complete"
    assert result["bytes"] == -(-500_000 // block) * block


def test_written_data_can_be_neither_compressed_nor_deduplicated(probe: Probe) -> None:
    probe.start(probe.plan({"file_size": 2 << 30}, LONG))
    for _ in moments():
        found = probe.test_files()
        if found and found[0].stat().st_size > 16 << 20:
            break
    with found[0].open("rb") as file:
        data = file.read(16 << 20)
    assert probe.stop() == "stopped"
    assert len(zlib.compress(data, 1)) > 0.98 * len(data)
    sectors = sectors_of(data)
    assert len(set(sectors)) == len(sectors)


def test_every_sector_carries_its_run_file_pass_and_offset(probe: Probe) -> None:
    kept = {"layout": "overwrite", "file_size": 1 << 20, "threads": 2, "files": 2}
    probe.start(probe.plan(kept | {"block": 7000}, LONG, kept))
    probe.wait_for("result")
    stamps = []
    for number in range(2):
        data = probe.test_files()[number].read_bytes()
        stamps.append([stamp_of(sector) for sector in sectors_of(data)])
    assert probe.stop() == "stopped"
    for number, found in enumerate(stamps):
        assert all(stamp.intact for stamp in found)
        assert {(stamp.file, stamp.pass_number) for stamp in found} == {(number, 2)}
        assert [stamp.offset for stamp in found] == list(range(0, 512 * len(found), 512))
    assert len({stamp.run for found in stamps for stamp in found}) == 1


def resident_pages(path: Path) -> int:
    """Return the number of a file's pages in the page cache, by mincore(2)."""
    size = path.stat().st_size
    with path.open("rb") as file, mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ) as mapped:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        states = (ctypes.c_ubyte * (len(mapped) // mmap.PAGESIZE))()
        assert libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(size), states) == 0
        libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(size))
        return sum(state & 1 for state in states)


def test_an_overwriting_trial_finds_none_of_its_files_in_the_page_cache(probe: Probe) -> None:
    kept = {"layout": "overwrite", "file_size": 64 << 20}
    probe.start(probe.plan(kept | {"block": 1 << 20}, kept | {"block": 512, "open": "rws"}))
    probe.wait_for("trial", count=2)
    probe.wait_for("sample", count=len(of(probe.events(), "sample")) + 1)
    resident = resident_pages(probe.test_files()[0])
    assert probe.stop() == "stopped"
    assert resident < (64 << 20) // mmap.PAGESIZE // 2
    assert "start_resident" not in {notice["code"] for notice in of(probe.events(), "notice")}


def test_a_file_system_that_keeps_overwritten_files_in_memory_is_reported(
    memory_target: Probe,
) -> None:
    events = memory_target.run({"layout": "overwrite"})
    notice = of(events, "notice")[-1]
    assert notice["code"] == "start_resident"
    assert notice["resident_pages"] == notice["resident_checked"] == (1 << 20) // mmap.PAGESIZE


def test_a_trial_begins_after_earlier_deletions_are_committed(shipped: Probe, strace: str) -> None:
    trace = shipped.home / "trace"
    calls = ["-f", "-qq", "-o", trace, "-e", "trace=fsync,openat"]
    shipped.start(shipped.plan({"file_size": 32 << 20}, {}, {}), prefix=(strace, *calls))
    shipped.follow()
    lines = [line for line in trace.read_text().splitlines() if "unfinished" not in line]
    committing = [at for at, line in enumerate(lines) if '"settle"' in line and "O_CREAT" in line]
    _, second, third = [at for at, line in enumerate(lines) if "O_TMPFILE" in line][-3:]
    assert len(committing) == 1, "a small file is not worth waiting for"
    assert any("fsync(" in line for line in lines[committing[0] : second])
    assert committing[0] < second < third


@pytest.mark.parametrize(
    ("option", "looks"), [("discard", range(2, 20)), ("nodiscard", range(20, 21))]
)
def test_a_wait_for_discards_ends_once_all_deletions_are_discarded(
    shipped: Probe, strace: str, tmp_path: Path, option: str, looks: range
) -> None:
    trace = shipped.home / "trace"
    calls = ["-f", "-qq", "-o", trace, "-e", "trace=openat,nanosleep,clock_nanosleep"]
    with on_disk(shipped, tmp_path, "ext4") as point:
        subprocess.check_call(["mount", "-o", f"remount,{option}", point])
        shipped.start(shipped.plan({"file_size": 32 << 20}, {}), prefix=(strace, *calls))
        shipped.follow()
    lines = [line for line in trace.read_text().splitlines() if "resumed" not in line]
    (begun,) = [at for at, line in enumerate(lines) if '"settle"' in line and "O_CREAT" in line]
    thread = lines[begun].split()[0]
    own = [line for line in lines[begun:] if line.startswith(f"{thread} ")]
    ended = next(at for at, line in enumerate(own) if "O_TMPFILE" in line)
    assert sum("nanosleep" in line for line in own[:ended]) in looks


def test_files_of_an_interrupted_run_are_closed_before_its_end_event(
    shipped: Probe, strace: str
) -> None:
    """An unnamed file is freed when it is closed: the next run must not find its disk so busy."""
    trace = shipped.home / "trace"
    calls = ["-f", "-qq", "-s", "64", "-o", trace, "-e", "trace=openat,close,write"]
    kept = {"layout": "overwrite", "file_size": 1 << 20}
    shipped.start(shipped.plan(kept, LONG, kept, watch_ms=1000), prefix=(strace, *calls))
    assert of(shipped.events(), "end")[0]["status"] == "deadline"
    lines = trace.read_text().splitlines()
    # the first is to see whether the file system can do it, the last is the long trial's own
    _, made, _ = [at for at, line in enumerate(lines) if "O_TMPFILE" in line and " = " in line]
    closing = f" close({lines[made].split()[-1]})"
    closed = next(at for at, line in enumerate(lines) if at > made and closing in line)
    assert closed < next(at for at, line in enumerate(lines) if '"ev\\":\\"end' in line)


def test_a_trial_that_opened_no_file_closes_none(shipped: Probe, strace: str) -> None:
    trace = shipped.home / "trace"
    calls = ["-f", "-qq", "-o", trace, "-e", "trace=close,openat"]
    kept = {"layout": "overwrite", "file_size": 1 << 20}
    misaligned = {"cache": "direct", "block": 1000, "file_size": 100_000}
    shipped.start(shipped.plan(kept, misaligned, misaligned, kept), prefix=(strace, *calls))
    shipped.follow()
    statuses = [result["status"] for result in of(shipped.events(), "result")]
    assert statuses == ["complete", "failed", "failed", "complete"]
    lines = trace.read_text().splitlines()
    begun = next(at for at, line in enumerate(lines) if "O_TMPFILE" in line)
    assert not [line for line in lines[begun:] if " close(0)" in line]


def test_no_trial_repeats_data_of_an_earlier_one(probe: Probe) -> None:
    """An array that deduplicates must not find a repeat's data in what it already has."""
    kept = {"layout": "overwrite", "file_size": 1 << 20}
    pause = LONG | {"timeout_ms": 700}
    probe.start(probe.plan(kept, pause, kept | {"block": 4096}, pause, kept))
    versions = []
    for results in (1, 3):
        probe.wait_for("result", count=results)
        versions.append(probe.test_files()[0].read_bytes())
    probe.follow()
    first, second = ({data[at : at + 512] for at in range(0, 1 << 20, 512)} for data in versions)
    assert len(first) == len(second) == 2048
    assert first & second == set()


def test_samples_cover_the_trial_and_contain_host_counters(probe: Probe) -> None:
    events = probe.run(LONG | {"timeout_ms": 1000})
    seen = samples(events)
    writing = [sample for sample in seen if sample["phase"] == 0]
    assert len(writing) >= 4  # ten on an idle machine
    for sample in [sample for sample in writing if sample["ops"] > 0]:
        assert sample["mem_available_bytes"] > 0
        assert sample["fs_free_bytes"] > 0
        assert sample["lat_min_ns"] <= sample["lat_sum_ns"] / sample["ops"] <= sample["lat_max_ns"]
    ticks = sum(
        sample["cpu_user_ns"]
        + sample["cpu_system_ns"]
        + sample["cpu_idle_ns"]
        + sample["cpu_iowait_ns"]
        for sample in writing
    )
    assert ticks > 0
    assert [sample["phase"] for sample in seen] == sorted(sample["phase"] for sample in seen)


def test_a_timed_out_trial_keeps_its_bytes_and_syncs(probe: Probe) -> None:
    result = only_result(probe.run(LONG | {"timeout_ms": 300}))
    assert result["status"] == "timed_out"
    assert result["bytes"] > 0
    assert result["app_ns"] >= 300e6
    assert result["sync"] == "complete"


def test_device_bytes_follow_direct_writes_on_a_local_disk(probe: Probe) -> None:
    events = probe.run({"file_size": 32 << 20, "block": 1 << 20, "cache": "direct"})
    result = only_result(events)
    if events[0]["device"] is None:
        assert result["dev_app_bytes"] is result["dev_durable_bytes"] is None
        assert samples(events)[0]["dev_write_bytes"] is None
    else:
        assert result["dev_durable_bytes"] >= result["dev_app_bytes"] >= 32 << 20
    assert result["resident_checked"] > 0
    assert result["resident_pages"] == 0


def test_misaligned_direct_blocks_fail_only_that_trial(probe: Probe) -> None:
    events = probe.run({"block": 1000, "cache": "direct"}, {})
    failed, good = of(events, "result")
    error = of(events, "error")[0]
    assert (failed["status"], failed["reason"]) == ("failed", "misaligned")
    assert (error["code"], error["trial"]) == ("misaligned", 0)
    assert "block=1000" in error["message"]
    assert good["status"] == "complete"
    assert of(events, "end")[0]["status"] == "done"


def test_buffers_over_the_limit_fail_only_that_trial(probe: Probe) -> None:
    events = probe.run({"block": 8 << 20, "threads": 4}, {}, max_buffer_bytes=16 << 20)
    failed, good = of(events, "result")
    assert (failed["status"], failed["reason"]) == ("failed", "memory")
    assert good["status"] == "complete"


def test_a_pool_is_reduced_under_the_limit_with_a_notice(probe: Probe) -> None:
    events = probe.run({"file_size": 64 << 20, "threads": 4, "files": 4}, max_buffer_bytes=1 << 20)
    assert [notice["code"] for notice in of(events, "notice")] == ["buffers_capped"]
    assert only_result(events)["status"] == "complete"


def test_buffers_of_earlier_trials_count_towards_the_limit(shipped: Probe) -> None:
    large = {"block": 64 << 20, "file_size": 64 << 20, "cache": "page"}
    shipped.start(shipped.plan(large, LONG | {"threads": 16}, max_buffer_bytes=64 << 20))
    shipped.wait_for("trial", count=2)
    shipped.wait_for("sample", count=len(of(shipped.events(), "sample")) + 2)
    status = Path(f"/proc/{shipped.pid()}/status").read_text()
    anonymous = int(status.partition("RssAnon:")[2].split()[0]) * 1024
    assert shipped.stop() == "stopped"
    assert anonymous < (64 + 8) << 20  # histograms and stacks too


@pytest.mark.parametrize(("file_size", "reserve"), [(1 << 50, 0), (1 << 20, 1 << 50)])
def test_a_trial_that_exceeds_the_reserve_is_rejected_before_the_first_byte(
    probe: Probe, file_size: int, reserve: int
) -> None:
    probe.start(probe.plan({"file_size": file_size}, {}, reserve_bytes=reserve))
    probe.follow()
    events = probe.events()
    assert (of(events, "error")[0]["code"], of(events, "error")[0]["errno"]) == (
        "no_space",
        "ENOSPC",
    )
    assert [result["bytes"] for result in of(events, "result")] == [0]
    assert (of(events, "end")[0]["status"], of(events, "end")[0]["reason"]) == (
        "failed",
        "no_space",
    )


def test_gaps_between_trials_of_small_files_are_short(shipped: Probe) -> None:
    events = shipped.run(*[{"file_size": 1_000_000, "block": 65536}] * 10)
    results = of(events, "result")
    gaps = [
        after["started_ns"] - (before["started_ns"] + before["durable_ns"])
        for before, after in itertools.pairwise(results)
    ]
    assert len(gaps) == 9
    assert min(gaps) > 0
    assert min(gaps) < 100e6  # a pause of the probe's own would be in each of them


def test_a_memory_file_system_is_reported_as_cached_after_writes(memory_target: Probe) -> None:
    events = memory_target.run(
        {"file_size": 8 << 20, "block": 4096}, {"cache": "direct", "file_size": 8 << 20}
    )
    page, direct = of(events, "result")
    assert events[0]["device"] is None
    assert page["status"] == "complete"
    assert page["dev_app_bytes"] is None
    if direct["status"] == "complete":  # tmpfs takes O_DIRECT since Linux 6.6, and buffers it
        assert direct["resident_pages"] == direct["resident_checked"] > 0
        assert [notice["code"] for notice in of(events, "notice")] == ["direct_buffered"]
    else:
        assert direct["reason"] == "direct_refused"


def test_trials_with_many_threads_run_in_order(probe: Probe) -> None:
    trials = [
        {"threads": threads, "block": block, "file_size": 1 << 20}
        for threads in (1, 2, 64, 256)
        for block in (4096, 65536)
    ]
    events = probe.run(*trials)
    assert [result["trial"] for result in of(events, "result")] == list(range(8))
    assert {result["status"] for result in of(events, "result")} == {"complete"}


def test_the_test_directory_is_private_and_named_after_the_run(probe: Probe) -> None:
    probe.start(probe.plan(LONG, run="r 9/ü"))
    hello = probe.wait_for("hello")
    probe.wait_for("sample")
    made = list(probe.target.iterdir())
    assert [path.name for path in made] == [hello["workdir"]]
    assert hello["workdir"].startswith(".assay-r-9")
    assert made[0].stat().st_mode & 0o777 == 0o700
    assert Path(f"/proc/{probe.pid()}/oom_score_adj").read_text().strip() == "1000"
    assert Path(f"/proc/{probe.pid()}/cwd").resolve() == Path("/")
    assert probe.stop() == "stopped"
