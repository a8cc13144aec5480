"""How a run survives kills, second starts, fencing, the watch deadline, stop and sweep."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import spool_rules
from probe_driver import LONG, Probe, is_gone, moments, of


def started(probe: Probe, *trials: dict, **fields: object) -> dict:
    return json.loads(probe.start(probe.plan(*trials, **fields)).stdout)


def test_start_returns_once_the_run_is_in_progress(probe: Probe) -> None:
    assert started(probe, LONG) == {"state": "started", "segment": 1, "offset": 0}
    assert probe.events()[0]["ev"] == "hello"
    assert probe.stop() == "stopped"


def test_a_second_start_finds_the_run_running_then_done(probe: Probe) -> None:
    started(probe, LONG | {"timeout_ms": 500})
    assert started(probe, LONG | {"timeout_ms": 500})["state"] == "running"
    probe.follow()
    assert started(probe, LONG | {"timeout_ms": 500}) == {
        "state": "done",
        "segment": 1,
        "offset": 0,
    }
    assert len(of(probe.events(), "hello")) == 1


def test_new_attempts_of_a_done_run_use_a_new_segment(probe: Probe) -> None:
    probe.run({}, {})
    before = len(probe.spool())
    assert started(probe, {}, {"attempt": 2}) == {
        "state": "started",
        "segment": 2,
        "offset": before,
    }
    events = [json.loads(line) for line in probe.follow(before).stdout.splitlines()]
    assert [(result["trial"], result["attempt"]) for result in of(events, "result")] == [(1, 2)]
    assert probe.problems() == []


def test_a_killed_probe_is_dead_and_continues_with_the_missing_trials(probe: Probe) -> None:
    started(probe, {}, LONG | {"timeout_ms": 400}, {})
    probe.wait_for("sample", count=3)
    probe.kill()
    assert probe.leftovers() != []
    followed = probe.follow(check=False)
    assert followed.returncode == 10
    assert followed.stdout == probe.spool()[: probe.spool().rfind(b"\n") + 1]
    answer = started(probe, {}, LONG | {"timeout_ms": 400}, {}, generation=2)
    assert (answer["state"], answer["segment"]) == ("started", 2)
    probe.follow(generation=2)
    assert probe.problems() == []
    events = probe.events()
    assert [(event["trial"], event["attempt"]) for event in of(events, "result")] == [
        (0, 1),
        (1, 2),
        (2, 1),
    ]
    assert [notice["code"] for notice in of(events, "notice")] == ["swept", "resumed"]
    assert [hello["segment"] for hello in of(events, "hello")] == [1, 2]


def test_a_torn_tail_is_never_printed_and_is_truncated_by_the_next_segment(probe: Probe) -> None:
    started(probe, LONG)
    probe.wait_for("sample")
    probe.kill()
    whole = probe.spool()
    with (probe.run_dir / "events.ndjson").open("ab") as spool:
        spool.write(b'{"v":2,"seq":99,"t":1,"ev":"sam')
    assert probe.follow(check=False).stdout == whole
    assert started(probe, LONG | {"timeout_ms": 200})["offset"] == len(whole)
    probe.follow()
    assert probe.problems() == []


def test_a_repeatedly_killed_probe_completes_its_run(probe: Probe) -> None:
    trials = [{"file_size": 1 << 20, "block": 4096, "open": "rwd"}] * 3
    for round_number in range(5):
        started(probe, *trials, generation=round_number + 1)
        time.sleep(0.03 * round_number)
        if not (probe.run_dir / "lock").exists():
            continue
        try:
            probe.kill()
        except ProcessLookupError:
            break
    started(probe, *trials, generation=9)
    probe.follow(generation=9)
    events = probe.events()
    assert probe.problems() == []
    assert sorted(event["trial"] for event in of(events, "result")) == [0, 1, 2]
    assert events[-1]["status"] == "done"


def test_follow_resumes_at_any_line_and_exits_after_the_end(probe: Probe) -> None:
    probe.run({}, {})
    spool = probe.spool()
    starts = [0, *(at + 1 for at, byte in enumerate(spool) if byte == 10)]
    for offset in starts:
        assert probe.follow(offset).stdout == spool[offset:]


def test_follow_rejects_an_offset_past_the_spool_of_a_live_probe(probe: Probe) -> None:
    started(probe, LONG)
    refused = probe.follow(1 << 30, check=False)
    assert refused.returncode == 12
    assert b"offset" in refused.stderr
    assert probe.stop() == "stopped"


def test_a_host_that_lost_the_end_of_the_spool_continues_after_the_read_part(probe: Probe) -> None:
    started(probe, {}, LONG | {"timeout_ms": 400}, {})
    probe.wait_for("sample", count=4)
    probe.kill()
    read = b"".join(line + b"\n" for line in spool_rules.complete_lines(probe.spool()))
    kept = read.rindex(b"\n", 0, len(read) // 2) + 1
    (probe.run_dir / "events.ndjson").write_bytes(read[: kept + 20])  # as after a power cut
    refused = probe.follow(len(read), check=False)
    assert (refused.returncode, refused.stdout) == (10, b"")
    trials = [LONG | {"timeout_ms": 400, "position": 1, "attempt": 2}, {"position": 2}]
    known = {"read_bytes": len(read), "read_events": read.count(b"\n")}
    answer = started(probe, *trials, generation=2, **known)
    assert (answer["state"], answer["offset"]) == ("started", len(read))
    rest = probe.follow(len(read), generation=2).stdout
    assert spool_rules.problems(read + rest) == []
    assert probe.follow(len(read), generation=2).stdout == rest
    assert started(probe, *trials, generation=3, **known)["state"] == "done"


def test_each_result_is_synced_before_the_next_trial_begins(shipped: Probe, strace: str) -> None:
    trace = shipped.home / "trace"
    tracing = (strace, "-f", "-qq", "-y", "-s", "200", "-o", trace, "-e", "trace=write,fdatasync")
    shipped.start(shipped.plan({}, {}), prefix=tracing)
    shipped.follow()
    calls = [line for line in trace.read_text().splitlines() if "events.ndjson>" in line]
    after = [new for call, new in itertools.pairwise(calls) if r"\"result\"" in call]
    assert len(after) == 2
    assert all("fdatasync(" in call for call in after)


def test_follow_prints_lines_immediately(probe: Probe) -> None:
    started(probe, LONG)
    follower = subprocess.Popen(
        [probe.binary, "follow", probe.run_dir, "--from", "0", "--generation", "1"],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    kinds = [json.loads(follower.stdout.readline())["ev"] for _ in range(5)]
    assert kinds == ["hello", "conditions", "trial", "sample", "sample"]
    assert probe.stop() == "stopped"
    assert follower.wait(10) == 0
    follower.stdout.close()


def test_follow_exits_when_its_reader_disconnects(probe: Probe) -> None:
    started(probe, LONG, sample_ms=60000)
    follower = subprocess.Popen(
        [probe.binary, "follow", probe.run_dir, "--from", "0", "--generation", "1"],
        stdout=subprocess.PIPE,
    )
    follower.stdout.readline()
    follower.stdout.close()
    assert follower.wait(10) == 0
    assert probe.stop() == "stopped"


def test_a_lower_generation_is_rejected_by_every_verb(probe: Probe) -> None:
    started(probe, LONG, generation=5)
    assert probe.start(probe.plan(LONG, generation=4), check=False).returncode == 4
    assert probe.follow(generation=4, check=False).returncode == 4
    assert probe.verb("stop", probe.run_dir, "--generation", 4, check=False).returncode == 4
    assert started(probe, LONG, generation=6)["state"] == "running"
    assert probe.verb("stop", probe.run_dir, "--generation", 5, check=False).returncode == 4
    assert probe.stop(generation=6) == "stopped"


def test_a_follower_is_fenced_off_by_a_higher_generation(probe: Probe) -> None:
    started(probe, LONG)
    follower = subprocess.Popen(
        [probe.binary, "follow", probe.run_dir, "--from", "0", "--generation", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    probe.wait_for("sample")
    started(probe, LONG, generation=2)
    assert follower.wait(10) == 4
    assert probe.stop(generation=2) == "stopped"


def test_an_unwatched_run_ends_and_continues_later(probe: Probe) -> None:
    started(probe, LONG, {}, watch_ms=500)
    end = probe.wait_for("end")
    assert (end["status"], end["reason"], end["cleaned"]) == ("deadline", "unwatched", True)
    assert [result["status"] for result in of(probe.events(), "result")] == ["stopped"]
    assert probe.leftovers() == []
    answer = started(probe, LONG, {})
    assert (answer["state"], answer["segment"]) == ("started", 2)
    probe.follow(answer["offset"])
    assert [result["trial"] for result in of(probe.events(), "result")] == [0, 1]
    assert probe.problems() == []


def test_a_run_with_a_removed_directory_ends(probe: Probe) -> None:
    started(probe, LONG)
    probe.wait_for("sample")
    pid = probe.pid()
    shutil.rmtree(probe.run_dir)
    for _ in moments(10):
        if is_gone(pid):
            break
    assert is_gone(pid)
    assert probe.leftovers() == []


def test_a_watched_run_outlives_the_watch_deadline(probe: Probe) -> None:
    started(probe, LONG | {"timeout_ms": 3000}, watch_ms=1500, sample_ms=60000)
    probe.follow()
    assert probe.events()[-1]["status"] == "done"


def test_stop_keeps_the_results_and_cleans_up(probe: Probe) -> None:
    started(probe, LONG, {})
    probe.wait_for("sample", count=2)
    pid = probe.pid()
    assert probe.stop() == "stopped"
    events = probe.events()
    result, end = of(events, "result")[0], events[-1]
    assert (result["status"], result["durable_ns"], result["bytes"] > 0) == ("stopped", None, True)
    assert (end["status"], end["reason"], end["cleaned"], end["trials_complete"]) == (
        "stopped",
        "asked",
        True,
        0,
    )
    assert probe.leftovers() == []
    assert is_gone(pid)
    assert probe.problems() == []


def test_a_stop_is_final_for_its_generation_only(probe: Probe) -> None:
    started(probe, LONG, {})
    probe.wait_for("sample")
    assert probe.stop() == "stopped"
    assert started(probe, LONG, {})["state"] == "done"
    assert started(probe, LONG, {}, generation=2)["state"] == "started"
    probe.follow(generation=2)
    assert [result["trial"] for result in of(probe.events(), "result")] == [0, 1]


def test_stop_reports_the_state_of_the_run(probe: Probe) -> None:
    assert probe.stop() == "absent"
    probe.run({})
    assert probe.stop() == "done"
    started(probe, {"attempt": 2}, LONG)
    probe.wait_for("sample", count=2)
    probe.kill()
    assert probe.stop() == "dead"
    assert probe.leftovers() == []


def test_a_termination_signal_stops_and_cleans_up(probe: Probe) -> None:
    started(probe, LONG)
    probe.wait_for("sample")
    os.kill(probe.pid(), signal.SIGTERM)
    end = probe.wait_for("end")
    assert (end["status"], end["reason"]) == ("stopped", "signal")
    assert probe.leftovers() == []


def test_the_run_outlives_the_session_that_started_it(probe: Probe) -> None:
    started(probe, LONG)
    process = Path(f"/proc/{probe.pid()}")
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    assert int(fields[3]) != os.getsid(0)
    for number in range(3):
        assert (process / f"fd/{number}").readlink() == Path("/dev/null")
    os.kill(probe.pid(), signal.SIGHUP)
    probe.wait_for("sample", count=len(of(probe.events(), "sample")) + 2)
    assert probe.stop() == "stopped"


def test_a_start_without_a_usable_run_directory_fails_with_the_reason(probe: Probe) -> None:
    (probe.home / "file").write_text("")
    refused = probe.verb("start", probe.home / "file/run", stdin=probe.plan({}), check=False)
    assert refused.returncode == 11
    assert b"cannot be created" in refused.stderr
    assert (
        probe.verb(
            "follow", probe.home / "no", "--from", 0, "--generation", 1, check=False
        ).returncode
        == 11
    )


def test_sweep_removes_only_leftovers_of_dead_runs(probe: Probe) -> None:
    precious = probe.target / "precious"
    precious.write_text("data")
    started(probe, LONG)
    probe.wait_for("sample")
    runs = probe.run_dir.parent
    assert probe.answer("sweep", runs) == {"removed": [], "kept": ["run"], "failed": []}
    workdir = str(probe.target / probe.events()[0]["workdir"])
    probe.kill()
    answer = probe.answer("sweep", runs)
    assert [(found["run_dir"], found["workdir"]) for found in answer["removed"]] == [
        ("run", workdir)
    ]
    assert probe.spool() != b""
    assert probe.leftovers() == ["precious"]
    assert probe.answer("sweep", runs, "--forget", "run") == {
        "removed": [],
        "kept": [],
        "failed": [],
    }
    assert list(runs.iterdir()) == []
    assert probe.answer("sweep", probe.home / "never") == {"removed": [], "kept": [], "failed": []}
    precious.unlink()


def test_leftovers_of_a_killed_verb_in_a_run_directory_are_removed(probe: Probe) -> None:
    probe.run({})
    (probe.run_dir / ".generation.4711").write_text("2")
    assert probe.answer("sweep", probe.run_dir.parent, "--forget", "run")["failed"] == []
    assert not probe.run_dir.exists()


def test_a_directory_with_foreign_files_is_not_removed(probe: Probe) -> None:
    probe.run({})
    (probe.run_dir / "precious").write_text("data")
    failed = probe.answer("sweep", probe.run_dir.parent, "--forget", "run")["failed"]
    assert [found["run_dir"] for found in failed] == ["run"]
    (probe.run_dir / "precious").unlink()


def test_sweep_keeps_a_directory_other_than_the_recorded_one(probe: Probe) -> None:
    started(probe, LONG)
    probe.wait_for("sample")
    probe.kill()
    workdir = next(probe.target.iterdir())
    moved = probe.target / "moved"
    workdir.rename(moved)
    workdir.mkdir()
    (workdir / "someone-elses").write_text("data")
    answer = probe.answer("sweep", probe.run_dir.parent)
    assert "not the one" in answer["failed"][0]["reason"]
    assert (workdir / "someone-elses").read_text() == "data"
    refused = probe.start(probe.plan(LONG), check=False)
    assert refused.returncode == 12
    assert b"cannot be removed" in refused.stderr
    (workdir / "someone-elses").unlink()
    workdir.rmdir()
    moved.rename(workdir)
    assert len(probe.answer("sweep", probe.run_dir.parent)["removed"]) == 1


def test_two_concurrent_starts_create_one_run(probe: Probe) -> None:
    plan = probe.plan(LONG).encode()
    starts = [
        subprocess.Popen(
            [probe.binary, "start", probe.run_dir], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(6)
    ]
    for start in starts:
        start.stdin.write(plan)
        start.stdin.close()
    states = []
    for start in starts:
        states.append(json.loads(start.stdout.read())["state"])
        start.stdout.close()
        assert start.wait(30) == 0
    assert sorted(states) == ["running"] * 5 + ["started"]
    for _ in moments():
        if of(probe.events(), "hello"):
            break
    assert len(of(probe.events(), "hello")) == 1
    assert probe.stop() == "stopped"


def test_a_run_that_needs_longer_is_stopping_not_stuck(probe: Probe) -> None:
    started(probe, LONG)
    probe.wait_for("sample")
    os.kill(probe.pid(), signal.SIGSTOP)
    assert probe.stop(wait_ms=200) == "stopping"
    os.kill(probe.pid(), signal.SIGCONT)
    assert probe.stop() == "stopped"
