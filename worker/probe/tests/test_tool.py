"""Another program between two real probes: its input, its commands, and what arrived."""

import shlex
import time
from pathlib import Path

import pytest
from machines import Machine
from probe_driver import of, samples
from tool_driver import (
    FILES,
    RECORDS,
    ToolEnds,
    await_no_processes,
    notice,
    processes,
)
from transfer_driver import error


def arrived(result: dict) -> dict:
    found = result["detail"]["arrived"]
    return {name: value for name, value in found.items() if value}


def test_files_that_are_copied_arrive_intact(tools: ToolEnds) -> None:
    sent, received = tools.move(FILES, "cp SOURCE/* SINK/")
    assert (sent["status"], received["status"]) == ("complete", "complete")
    assert arrived(received) == {"intact": 3, "intact_bytes": 3_000_009}
    assert (
        received["bytes"] == 3_000_009 == sum(s["bytes"] for s in samples(tools.receiver.events()))
    )
    assert received["sync"] == "complete"
    assert sent["detail"]["command"]["exit_code"] == 0
    # neither is always first: the receiver looks at its directory from time to time
    assert received["detail"]["arrived_ns"] > 0
    assert received["detail"]["told_ns"] > 0
    assert sent["unwritten"] == "none"
    assert tools.sender.leftovers() == tools.receiver.leftovers() == []


def test_the_source_is_cold_and_its_command_starts_at_the_agreed_time(tools: ToolEnds) -> None:
    tools.start(FILES)
    places = tools.prepare("date +%s%N; sleep 0.3; cp SOURCE/* SINK/")
    tools.release()
    sent, received = tools.complete()
    assert sent["resident_checked"] > 0
    assert sent["resident_pages"] == 0
    assert sent["detail"]["command"]["ns"] >= 300_000_000
    began, grew = sent["start_delay_ns"], received["detail"]["arrived_ns"]
    assert grew + received["start_delay_ns"] >= began + 300_000_000
    assert places.source != places.sink


def test_records_that_are_appended_arrive_intact(tools: ToolEnds) -> None:
    _, received = tools.move(RECORDS, "cat SOURCE/records > SINK/log")
    assert arrived(received) == {"intact": 1000, "intact_bytes": 40_000}


@pytest.mark.parametrize("length", [10, 11, 21])
def test_records_of_any_length_are_lines(tools: ToolEnds, length: int) -> None:
    command = f"awk 'length != {length - 1} {{exit 1}}' SOURCE/records && cp SOURCE/records SINK/"
    sent, received = tools.move(RECORDS | {"record_bytes": length}, command)
    assert sent["status"] == "complete"
    assert arrived(received)["intact"] == 1000


def test_records_may_be_split_over_files_and_out_of_order(tools: ToolEnds) -> None:
    command = "cd SINK && sort -r SOURCE/records | split -l 300 - part"
    _, received = tools.move(RECORDS, command)
    assert arrived(received) == {"intact": 1000, "intact_bytes": 40_000}


def test_lost_changed_and_repeated_records_are_counted(tools: ToolEnds) -> None:
    command = (
        "sed -e '5,14d' -e '20s/$/x/' -e '30s/[A-Za-z0-9_-]$/./' SOURCE/records > SINK/log; "
        "head -n 3 SOURCE/records >> SINK/log; printf 'no newline' >> SINK/log"
    )
    _, received = tools.move(RECORDS, command)
    assert received["status"] == "complete"
    found = arrived(received)
    assert (found["intact"], found["missing"]) == (988, 12)
    assert (found["wrong"], found["duplicate"]) == (3, 3)


def test_a_line_that_never_ends_is_one_wrong_record(tools: ToolEnds) -> None:
    command = "head -c 3000000 /dev/zero | tr '\\0' x > SINK/log; cat SOURCE/records >> SINK/log"
    _, received = tools.move(RECORDS, command)
    assert arrived(received)["wrong"] == 1
    assert arrived(received)["intact"] == 999  # the first record ended that line


def test_missing_short_wrong_and_unknown_files_are_told_apart(tools: ToolEnds) -> None:
    command = (
        "cd SINK && head -c 500000 SOURCE/file-000000 > file-000000 && "
        "tr a b < SOURCE/file-000001 > file-000001 && mkdir deep && echo x > deep/other"
    )
    _, received = tools.move(FILES, command)
    found = arrived(received)
    assert found == {
        "incomplete": 1,
        "wrong": 1,
        "missing": 1,
        "unexpected": 1,
        "unexpected_name": "deep/other",
    }
    assert tools.receiver.leftovers() == []


def test_a_file_that_was_another_trials_is_wrong(tools: ToolEnds) -> None:
    tools.start(FILES, FILES)
    tools.prepare("cp SOURCE/* SINK/ && cp SOURCE/file-000000 /tmp/$PPID.assay-test")
    tools.release()
    sent = tools.sender.wait_for("result")
    tools.receiver.release(0, "finish")
    places = tools.places(1)
    tools.order(tools.receiver, places, 1)
    others = "cp SOURCE/file-000001 SOURCE/file-000002 SINK"
    stolen = f"mv /tmp/$PPID.assay-test SINK/file-000000; {others}"
    tools.order(tools.sender, places, 1, main=stolen)
    tools.release(1)
    tools.sender.wait_for("result", count=2)
    tools.receiver.release(1, "finish")
    _, received = tools.results()
    assert sent["status"] == "complete"
    assert arrived(received) == {"intact": 2, "intact_bytes": 2_000_006, "wrong": 1}


def test_a_file_beside_the_directory_is_no_delivery_and_not_removed(tools: ToolEnds) -> None:
    _, received = tools.move(FILES, "cp SOURCE/file-000000 SINK/../stray")
    assert arrived(received) == {"missing": 3}
    assert not of(tools.receiver.events(), "end")[0]["cleaned"]
    stray = list(tools.receiver.target.rglob("stray"))
    assert [one.name for one in stray] == ["stray"]
    stray[0].unlink()
    assert tools.receiver.answer("sweep", tools.receiver.run_dir.parent)["removed"]


def test_a_command_that_fails_says_why(tools: ToolEnds) -> None:
    sent, received = tools.move(FILES, "echo 'no route to the moon' >&2; exit 7")
    assert (sent["status"], sent["reason"]) == ("failed", "tool_failed")
    assert received["status"] == "stopped"
    assert "exit code 7" in error(tools.sender)["message"]
    assert "no route to the moon" in error(tools.sender)["message"]
    assert sent["detail"]["command"]["exit_code"] == 7
    assert tools.sender.leftovers() == tools.receiver.leftovers() == []


def test_a_command_that_hangs_is_ended_with_all_its_processes(tools: ToolEnds) -> None:
    hang = "setsid sleep 987 & trap '' TERM; sleep 987; sleep 987"
    began = time.monotonic()
    sent, _ = tools.move(FILES | {"own": {"sender": {"timeout_ms": 500}}}, hang)
    assert (sent["status"], sent["reason"]) == ("failed", "tool_timed_out")
    assert "did not end within its time limit" in error(tools.sender)["message"]
    assert time.monotonic() - began < 30
    await_no_processes(tools.sender.run_dir)


def test_a_missing_program_is_found_before_the_trial(tools: ToolEnds) -> None:
    tools.start(FILES)
    places = tools.places()
    tools.order(tools.receiver, places)
    tools.order(tools.sender, places, main="true", check="no-such-program --version")
    sent = tools.sender.wait_for("result")
    tools.receiver.release(0, "abort")
    tools.results()
    assert (sent["status"], sent["reason"]) == ("failed", "tool_missing")
    assert "no-such-program" in error(tools.sender)["message"]


def test_the_clean_up_runs_before_and_after_and_when_the_command_fails(tools: ToolEnds) -> None:
    log = tools.sender.home / "cleaned"
    sink_log = tools.receiver.home / "cleaned at the sink"
    tools.start(FILES)
    tools.prepare(
        "exit 1",
        source={"cleanup": f"echo cleaned >> '{log}'"},
        cleanup=f"echo cleaned >> '{sink_log}'",
    )
    tools.release()
    tools.complete()
    assert log.read_text() == sink_log.read_text() == "cleaned\ncleaned\n"


def test_a_clean_up_that_fails_is_reported(tools: ToolEnds) -> None:
    tools.start(FILES)
    tools.prepare("cp SOURCE/* SINK/", cleanup="echo still mounted >&2; exit 1")
    tools.release()
    _, received = tools.complete()
    assert received["status"] == "complete"
    said = notice(tools.receiver, "tool_cleanup_failed")["message"]
    assert said == "the clean-up ended with exit code 1: still mounted"


SERVE = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("serving")
client, _ = server.accept()
with open(sys.argv[2], "wb") as log:
    while data := client.recv(65536):
        log.write(data)
time.sleep(987)
"""
"""Serves one connection, and stays."""

SERVER = f"exec python3 -u -c '{SERVE}' PORT SINK/log"
CLIENT = "bash -c 'cat < SOURCE/records > /dev/tcp/127.0.0.1/PORT'"


@pytest.mark.parametrize("ready", [{"ready": "port"}, {"ready": "line", "line": "serving"}])
def test_a_daemon_at_the_sink_is_ready_before_and_gone_after(tools: ToolEnds, ready: dict) -> None:
    tools.start(RECORDS)
    places = tools.places()
    own = {"port": places.port} if ready["ready"] == "port" else {}
    tools.order(tools.receiver, places, main=SERVER, **ready, **own)
    tools.order(tools.sender, places, main=CLIENT)
    tools.release()
    sent, received = tools.complete()
    assert (sent["status"], received["status"]) == ("complete", "complete")
    assert arrived(received) == {"intact": 1000, "intact_bytes": 40_000}
    assert received["detail"]["command"]["signal"] == 15
    await_no_processes(tools.receiver.run_dir)


def test_a_daemon_that_dies_at_its_start_says_why(tools: ToolEnds) -> None:
    tools.start(RECORDS)
    places = tools.places()
    own = {"ready": "port", "port": places.port}
    tools.order(tools.receiver, places, main="echo 'bad configuration' >&2; exit 3", **own)
    tools.order(tools.sender, places, main="true")
    received = tools.receiver.wait_for("result")
    tools.sender.release(0, "abort")
    tools.results()
    assert (received["status"], received["reason"]) == ("failed", "tool_failed")
    assert "bad configuration" in error(tools.receiver)["message"]


def test_the_sink_waits_until_nothing_more_arrives(tools: ToolEnds) -> None:
    kept, sent = "SINK/../tool-scratch/kept", "SINK/../tool-scratch/sent"
    late = (
        f"cp SOURCE/records {kept}; while [ ! -e {sent} ]; do sleep 0.1; done; "
        f"sleep 1; cat {kept} > SINK/log; sleep 987"
    )
    _, received = tools.move(RECORDS | {"quiet_ms": 8000}, f"touch {sent}", main=late)
    assert arrived(received) == {"intact": 1000, "intact_bytes": 40_000}
    assert received["detail"]["command"]["signal"] == 15


def test_memory_has_no_input_and_no_check(tools: ToolEnds) -> None:
    sent, received = tools.move({"input": "memory"}, "echo 123456 bytes", targets=False)
    assert (sent["status"], received["status"]) == ("complete", "complete")
    assert received["detail"]["arrived"] is None
    assert sent["detail"]["command"]["output"] == "123456 bytes\n"


def test_a_killed_probe_leaves_processes_and_files_to_the_next_contact(tools: ToolEnds) -> None:
    log = tools.sender.home / "cleaned"
    tools.start(FILES)
    source = {"cleanup": f"echo cleaned >> '{log}'"}
    tools.prepare("cp SOURCE/file-000000 SINK/ && mkdir SOURCE/deep && setsid sleep 987", source)
    tools.release()
    tools.receiver.wait_for("sample")
    for probe in tools:
        probe.kill()
    assert processes(tools.sender.run_dir)
    assert tools.sender.stop() == tools.receiver.stop() == "dead"
    await_no_processes(tools.sender.run_dir)
    assert log.read_text() == "cleaned\ncleaned\n"
    assert tools.sender.leftovers() == tools.receiver.leftovers() == []


@pytest.mark.parametrize("goes_on", ["sleep 987", "yes nonsense"], ids=["silent", "noisy"])
def test_a_stop_ends_the_command_and_removes_everything(tools: ToolEnds, goes_on: str) -> None:
    tools.start(FILES)
    tools.prepare(f"cp SOURCE/* SINK/ && {goes_on}")
    tools.release()
    tools.receiver.wait_for("sample")
    assert {probe.stop() for probe in tools} <= {"stopped", "stopping"}
    tools.results()
    await_no_processes(tools.sender.run_dir)
    assert tools.sender.leftovers() == tools.receiver.leftovers() == []


def test_orders_are_refused_with_the_field(tools: ToolEnds) -> None:
    tools.start(FILES)
    tools.places()
    words = ("order", tools.sender.run_dir, 0, "--generation", 1)
    done = tools.sender.verb(*words, stdin="orders trial=0 attempt=1 shell=x\n", check=False)
    assert done.returncode == 3
    assert b"shell=x" in done.stderr
    for probe in tools:
        probe.stop()
    tools.results()


def test_the_cpu_time_of_the_command_and_the_host_are_told(tools: ToolEnds) -> None:
    burn = "python3 -c 'import time\nwhile time.process_time() < 0.4: pass'"
    sent, _ = tools.move(FILES, f"{burn}; cp SOURCE/* SINK/")
    detail = sent["detail"]
    assert detail["command"]["cpu_ns"] >= 400_000_000
    assert detail["busy_ns"] >= 300_000_000
    assert detail["idle_window_ns"] >= 1_000_000_000
    assert of(tools.sender.events(), "hello")[0]["ncpu"] == detail["cpus"]


ENDLESS = "while :; do echo nonsense; done"
"""Prints as fast as it can, and never ends."""


def test_a_command_that_never_stops_printing_is_ended_at_its_limit(tools: ToolEnds) -> None:
    sent, _ = tools.move(FILES | {"own": {"sender": {"timeout_ms": 500}}}, "yes nonsense")
    assert (sent["status"], sent["reason"]) == ("failed", "tool_timed_out")
    assert "nonsense" in error(tools.sender)["message"]
    assert len(sent["detail"]["command"]["output"]) <= 8192
    await_no_processes(tools.sender.run_dir)


def test_a_daemon_that_never_stops_printing_does_not_delay_the_end(tools: ToolEnds) -> None:
    noisy = f"{{ {ENDLESS}; }} & yes nonsense"
    sent, received = tools.move(FILES, "cp SOURCE/* SINK/", main=noisy)
    assert (sent["status"], received["status"]) == ("complete", "complete")
    assert arrived(received)["intact"] == 3
    await_no_processes(tools.receiver.run_dir)


def test_output_that_is_no_text_is_kept_as_text(tools: ToolEnds) -> None:
    noise = "head -c 100000 /dev/urandom; head -c 100000 /dev/zero; printf '\\377\\001\\342\\202'"
    sent, _ = tools.move(FILES, f"{noise} >&2; exit 1")
    assert (sent["status"], sent["reason"]) == ("failed", "tool_failed")
    assert sent["detail"]["command"]["errors"].endswith("\ufffd\x01\ufffd\ufffd")
    assert "exit code 1" in error(tools.sender)["message"]


def lives(words: str) -> bool:
    wanted = words.replace(" ", "\0").encode()
    return any(wanted in text for text in map(command_line, Path("/proc").glob("[0-9]*")))


def command_line(entry: Path) -> bytes:
    try:
        return (entry / "cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("end", ["true", "exit 3", "sleep 987"])
def test_a_daemon_without_the_mark_in_its_environment_is_ended(tools: ToolEnds, end: str) -> None:
    daemon = f"sleep {time.time_ns() / 1e9}"
    started = f"(env -i /usr/bin/setsid {daemon} > /dev/null 2>&1 < /dev/null &); sleep 0.3; {end}"
    tools.move(FILES | {"own": {"sender": {"timeout_ms": 1500}}}, started)
    assert not lives(daemon)


def test_a_daemon_whose_shell_has_ended_may_write_what_it_still_has(tools: ToolEnds) -> None:
    kept = "SINK/../tool-scratch/kept"
    late = f"trap 'sleep 0.5; cat {kept} > SINK/log; exit' TERM; sleep 987 & wait"
    daemon = f"cp SOURCE/records {kept} && setsid sh -c {shlex.quote(late)} & sleep 0.3"
    _, received = tools.move(RECORDS, "true", main=daemon)
    assert arrived(received) == {"intact": 1000, "intact_bytes": 40_000}
    await_no_processes(tools.receiver.run_dir)


def test_data_that_comes_before_the_start_is_no_transfer(tools: ToolEnds) -> None:
    tools.start(FILES)
    places = tools.places()
    tools.order(tools.receiver, places, main="cp SOURCE/* SINK/; sleep 987")
    tools.order(tools.sender, places, main="true")
    received = tools.receiver.wait_for("result")
    tools.sender.release(0, "abort")
    tools.results()
    assert (received["status"], received["reason"]) == ("failed", "tool_failed")
    assert "moved 3000009 bytes before the transfer started" in error(tools.receiver)["message"]
    assert tools.receiver.leftovers() == []


def test_orphans_are_reaped_behind_a_reader_that_the_probe_abandoned(
    tools: ToolEnds, tmp_path: Path
) -> None:
    machine = Machine(tmp_path / "root", tools.sender)
    machine.mount("8:0", "ext4", "/dev/sda")
    machine.device("sda", "8:0")
    machine.write("/sys/class/block/sda/dev", "8:0\n")
    machine.write("/sys/class/block/sda/device/hwmon/hwmon3/temp1_input", "34000\n")
    machine.hang("/sys/class/block/sda/device/hwmon/hwmon3/temp1_input")
    orphans = "for i in 1 2 3; do (setsid sleep 0.1 &); done; sleep 0.6"
    children = "ps -o stat= --ppid $PPID"
    sent, _ = tools.move(FILES, f"{children}; {orphans}; echo then; {children}; cp SOURCE/* SINK/")
    before, after = sent["detail"]["command"]["output"].split("then")
    # the reader of the sensor has ended unnoticed; nothing else has
    assert before.count("Z") == after.count("Z") == 1
