"""A write trial whose files another host reads back, on a file system that both share."""

import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from probe_driver import Probe, moments, of
from sustained_driver import BLOCK, named_files, result_of

TRIAL = {"length_bytes": 67 * BLOCK, "streams": 2, "read_back": 2}
LAYOUTS = {
    "one": ({"layout": "one"}, 67),
    "sequence": ({"layout": "sequence", "file_bytes": 4 * BLOCK}, 67),
    "ring": ({"layout": "ring", "files": 3, "file_bytes": 4 * BLOCK}, 24),
    "odd blocks": ({"layout": "one", "block": 800, "mark_bytes": 800}, 67),
}


def hand_over(probe: Probe, trial: dict, *more: dict) -> str:
    """Write and return the manifest of the files, which stay."""
    probe.start(probe.plan(TRIAL | trial, *more, job="sustained"))
    return probe.wait_for("written")["manifest"]


def verify(probe: Probe, manifest: str, target: Path | None = None) -> str:
    """Return the report of another host, which sees the target at another path."""
    lines = probe.verb("verify", target or probe.target, manifest).stdout.splitlines()
    return json.loads(lines[-1])["report"]


def report(probe: Probe, text: str, attempt: int = 1, **options):
    words = ("verified", probe.run_dir, 0, attempt, "--generation", 1)
    return probe.verb(*words, stdin=text, **options)


def read_back(probe: Probe) -> dict:
    probe.follow()
    assert probe.problems() == []
    found = of(probe.events(), "readback")[0]
    assert found["seq"] > result_of(probe.events())["seq"]
    return found


@pytest.mark.parametrize(
    ("layout", "cache"),
    [(layout, cache) for layout in LAYOUTS for cache in ("page", "direct")][:-1],
)  # O_DIRECT needs whole sectors
def test_every_byte_that_is_left_is_verified(
    probe: Probe, tmp_path: Path, layout: str, cache: str
) -> None:
    fields, left = LAYOUTS[layout]
    block = fields.get("block", BLOCK)
    mirror = tmp_path / "mirror"
    mirror.symlink_to(probe.target)
    manifest = hand_over(probe, {"length_bytes": 67 * block, "cache": cache} | fields)
    report(probe, verify(probe, manifest, mirror))
    found = read_back(probe)
    assert (found["whole"], found["elsewhere"], found["error"]) == (True, True, None)
    assert (found["bytes"], found["errors"]) == (left * block, 0)
    assert (found["resident_checked"] > 0, found["resident_pages"]) == (True, 0)
    assert probe.leftovers() == []


def test_the_files_stay_named_until_the_report(probe: Probe) -> None:
    manifest = hand_over(probe, {})
    assert len(named_files(probe)) == 2
    assert of(probe.events(), "readback") == []
    report(probe, verify(probe, manifest))
    probe.follow()
    assert probe.leftovers() == []


def test_a_sweep_forgets_a_run_that_was_read_back_elsewhere(probe: Probe) -> None:
    report(probe, verify(probe, hand_over(probe, {})))
    probe.follow()
    runs, name = probe.run_dir.parent, probe.run_dir.name
    assert probe.answer("sweep", runs, "--forget", name)["failed"] == []
    assert not probe.run_dir.exists()


def test_wrong_data_is_found_with_its_place(probe: Probe) -> None:
    manifest = hand_over(probe, {})
    with sorted(named_files(probe))[1].open("r+b") as file:
        file.seek(BLOCK + 512)
        file.write(b"x" * 1024)
    report(probe, verify(probe, manifest))
    found = read_back(probe)
    assert (found["whole"], found["errors"]) == (True, 2)
    assert (found["first_offset_bytes"], found["first_stream"]) == (BLOCK + 512, 1)
    (notice,) = [
        one for one in of(probe.events(), "notice") if one["code"] == "verification_failed"
    ]
    assert notice["corrupt"] == 2


def test_data_of_an_earlier_pass_is_stale(probe: Probe, tmp_path: Path) -> None:
    """A cache of the other host that still serves what an earlier trial left in the file."""
    manifest = hand_over(probe, {}, TRIAL)
    kept = tmp_path / "kept"
    shutil.copytree(probe.target, kept)
    report(probe, verify(probe, manifest))
    newer = probe.wait_for("written", count=2)["manifest"]
    for old in kept.glob(".assay-*/stream0-*"):
        old.rename(old.with_name(old.name.replace("stream0-", "stream1-", 1)))
    answer = verify(probe, newer, kept)
    assert "whole=1" in answer
    assert f" stale={67 * BLOCK // 512} " in answer
    assert " corrupt=0 " in answer


def test_a_file_that_is_shorter_there_is_no_success(probe: Probe) -> None:
    manifest = hand_over(probe, {})
    os.truncate(named_files(probe)[0], 3 * BLOCK)
    report(probe, verify(probe, manifest))
    found = read_back(probe)
    assert found["whole"] is False
    assert found["error"] == "a file is shorter than what was written to it"


def test_another_directory_is_named_as_the_reason(probe: Probe, tmp_path: Path) -> None:
    manifest = hand_over(probe, {})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    report(probe, verify(probe, manifest, elsewhere))
    found = read_back(probe)
    assert (found["whole"], found["bytes"]) == (False, 0)
    assert "not the same directory of one file system" in found["error"]
    assert result_of(probe.events())["status"] == "complete"


def test_a_target_that_is_missing_there_is_named(probe: Probe, tmp_path: Path) -> None:
    answer = verify(probe, hand_over(probe, {}), tmp_path / "missing")
    assert f"why={tmp_path}/missing%20cannot%20be%20opened%20there" in answer


def test_a_stop_ends_the_wait_and_removes_the_files(probe: Probe) -> None:
    hand_over(probe, {})
    assert probe.stop() == "stopped"
    found = read_back(probe)
    assert (found["whole"], found["error"], found["bytes"]) == (False, None, 0)
    assert probe.leftovers() == []


def test_a_report_of_another_attempt_does_not_count(probe: Probe) -> None:
    manifest = hand_over(probe, {})
    report(probe, "report why=late", attempt=2)
    time.sleep(0.5)
    assert of(probe.events(), "readback") == []
    report(probe, verify(probe, manifest))
    assert read_back(probe)["whole"] is True


def test_a_lower_generation_cannot_report(probe: Probe) -> None:
    hand_over(probe, {})
    probe.verb("release", probe.run_dir, 9, 0, "--generation", 5)
    assert report(probe, "report why=old", check=False).returncode == 4
    assert probe.stop(generation=5) == "stopped"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", b'is not a record "report"'),
        ("report whole=2", b"whole=2: must be from 0 to 1"),
        ("report what=1", b"what=1: is not a field"),
    ],
)
def test_a_broken_report_is_refused(probe: Probe, text: str, said: bytes) -> None:
    hand_over(probe, {})
    refused = report(probe, text, check=False)
    assert refused.returncode == 3
    assert said in refused.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("workdir=.assay", "workdir=../.assay"), b"is not the name of a directory"),
        (("end\n", ""), b"is not a record"),
        (("layout=one", "layout=ring"), b"file_bytes=0"),
        (("block=65536", "block=0"), b"block=0"),
        (("stream file=0", "stream file=x"), b"file=x"),
    ],
)
def test_a_broken_manifest_is_refused(probe: Probe, change: tuple[str, str], said: bytes) -> None:
    manifest = hand_over(probe, {})
    refused = probe.verb("verify", probe.target, manifest.replace(*change), check=False)
    assert refused.returncode == 3
    assert said in refused.stderr


def test_a_report_that_cannot_be_read_is_not_called_long(probe: Probe) -> None:
    words = ("verified", probe.run_dir, 0, 1, "--generation", 1)
    directory = os.open("/", os.O_RDONLY)
    done = subprocess.run(
        [probe.binary, *map(str, words)], stdin=directory, capture_output=True, check=False
    )
    os.close(directory)
    assert b"cannot be read from standard input: Is a directory" in done.stderr
    too_long = report(probe, "report why=" + "x" * 3000, check=False)
    assert b"longer than 2047 bytes" in too_long.stderr


def verifying(probe: Probe, target: Path, manifest: str) -> subprocess.Popen:
    """Start `verify` and return it once its thread runs."""
    process = subprocess.Popen(
        [probe.binary, "verify", target, manifest],
        stdout=subprocess.PIPE,
        text=True,
        env=probe.environment,
    )
    for _ in moments():
        if len(list(Path(f"/proc/{process.pid}/task").iterdir())) > 1:
            return process
    raise AssertionError("its thread did not start")


def hanging(probe: Probe, tmp_path: Path) -> subprocess.Popen:
    """Start `verify` of files that it cannot open: pipes that nobody writes."""
    manifest = hand_over(probe, {})
    (workdir,) = probe.target.glob(".assay-*")
    twin = tmp_path / "twin" / workdir.name
    twin.mkdir(parents=True)
    for file in named_files(probe):
        os.mkfifo(twin / file.name)
    return verifying(probe, twin.parent, manifest)


def test_it_ends_when_nobody_reads_its_progress(probe: Probe, tmp_path: Path) -> None:
    process = hanging(probe, tmp_path)
    process.stdout.close()
    for _ in moments():
        if process.poll() is not None:
            return
    raise AssertionError("it still runs")


def test_it_is_silent_while_a_call_hangs(probe: Probe, tmp_path: Path) -> None:
    with hanging(probe, tmp_path) as process:
        readable, _, _ = select.select([process.stdout], [], [], 2.5)
        still_runs = process.poll() is None
        process.kill()
    assert (readable, still_runs) == ([], True)


def test_a_suspension_leaves_the_rate_of_its_reads_unknown(probe: Probe, tmp_path: Path) -> None:
    """It stops while it waits for the test directory to become visible."""
    manifest = hand_over(probe, {})
    (workdir,) = probe.target.glob(".assay-*")
    with verifying(probe, tmp_path, manifest) as process:
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        shutil.copytree(workdir, tmp_path / workdir.name)
        process.send_signal(signal.SIGCONT)
        answer = process.stdout.read()
    assert "whole=1" in answer
    assert " ns=0 " in answer
