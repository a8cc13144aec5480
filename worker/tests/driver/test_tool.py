"""Transfers by another program between two hosts: its commands, and what remains of them."""

from pathlib import Path

import pytest
from assay.kinds.tool.trials import ToolTrial
from assay.tables.database import reading
from assay.tables.runs import Notice
from sqlalchemy import select
from testing import transfers
from testing.assertions import assert_nothing_stays
from testing.exports import assert_exported
from testing.installation import BOTH, Installation, drive, wait_until
from testing.sshd import Sshd

COPY = "cp {source_directory}/* {sink_directory}/"
"""Both ends are on this machine."""

SLEEPER = "sleep 9876"


@pytest.fixture
def ends(installation: Installation, sshd: Sshd, tmp_path: Path) -> list[dict[str, int]]:
    """A target of this machine, and one of a host by SSH, with a name that has to be quoted."""
    return [
        {"target_id": installation.target(installation.local_host(), tmp_path / "a b")},
        {"target_id": installation.target(installation.ssh_host(sshd), tmp_path / "it's")},
    ]


def messages(run_id: int) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Notice.message).where(Notice.run_id == run_id)))


def trial(run_id: int) -> ToolTrial:
    return transfers.tools_of(run_id).cells[0].trials[0]


def processes(text: str) -> list[int]:
    """Return the processes whose command line contains a text."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue
            if text.encode() in words:
                found.append(int(entry.name))
    return found


def assert_all_gone(tmp_path: Path) -> None:
    for folder in ("a b", "it's"):
        assert_nothing_stays(tmp_path, tmp_path / folder)
    wait_until(lambda: not processes(SLEEPER), 5, "the tool's processes end")


@BOTH
def test_a_tool_delivers_its_input(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    run_id = transfers.launch_tools(*ends, transfers.define("copy", COPY), repeats=2)
    installation.drive_to_the_end(run_id, 90)
    run = installation.run(run_id)
    assert (run.state, run.error) == ("done", None), messages(run_id)
    (cell,) = transfers.tools_of(run_id).cells
    assert cell.state == "done", messages(run_id)
    assert (cell.lost, cell.wrong, cell.duplicate, cell.unexpected) == (0, 0, 0, 0)
    assert cell.bytes_per_s is not None and cell.bytes_per_s.mean > 10**6
    first = cell.trials[0]
    assert first.arrived is not None and first.arrived.intact == 4
    assert first.bytes == 4 * transfers.MB
    assert first.command is not None and first.command.exit_code == 0
    assert first.sync_ns is not None and first.transfer_ns is not None
    assert_exported(run_id)
    assert_all_gone(tmp_path)


def test_records_are_counted_at_the_sink(
    installation: Installation, ends: list[dict[str, int]]
) -> None:
    late = "tail -n +11 {source_file} > {sink_file}"
    command = f"{late}; head -n 20 {{source_file}} | tail -n 10 >> {{sink_file}}"
    tool = transfers.define("lossy", command, input="records")
    run_id = transfers.launch_tools(*ends, tool, length=100_000, record_bytes=100)
    drive(run_id)
    found = transfers.tools_of(run_id)
    (cell,) = found.cells
    assert (cell.lost, cell.wrong, cell.duplicate) == (10, 0, 10), messages(run_id)
    assert found.headline is not None and found.headline.no_result == "data_lost"
    # 100 kB are also too short for a rate
    assert [one.code for one in found.warnings] == ["lost", "duplicates", "unreliable"]


def test_a_command_that_fails_is_explained_and_the_others_go_on(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    broken = transfers.define("broken", "echo 'the disk is on fire' >&2; exit 9")
    working = transfers.define("working", COPY)
    run_id = transfers.launch_tools(*ends, broken, working)
    installation.drive_to_the_end(run_id, 90)
    assert installation.run(run_id).state == "done", messages(run_id)
    failed, whole = transfers.tools_of(run_id).cells
    assert (failed.state, whole.state) == ("failed", "done")
    (one,) = failed.trials
    assert (one.status, one.reason) == ("failed", "tool_failed")
    assert one.command is not None and one.command.exit_code == 9
    assert "the disk is on fire" in one.command.errors
    assert any("the disk is on fire" in message for message in messages(run_id))
    assert_all_gone(tmp_path)


def test_a_command_that_hangs_is_ended_at_its_limit(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    tool = transfers.define("hanging", f"setsid {SLEEPER} & {SLEEPER}")
    run_id = transfers.launch_tools(*ends, tool, timeout_ms=1000)
    drive(run_id)
    run = installation.run(run_id)
    assert run.state == "failed", messages(run_id)  # nothing was measured
    assert (trial(run_id).status, trial(run_id).reason) == ("failed", "tool_timed_out")
    assert run.error is not None  # the remedy is a field of its own, and not repeated
    assert run.error["code"] == "tool_timed_out"
    assert run.error["detail"].startswith("1 of 1 trials failed (tool_timed_out). this machine: ")
    assert run.error["remedy"].endswith("launch again.")
    assert_all_gone(tmp_path)


def test_a_tool_that_is_missing_fails_before_the_transfer(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    tool = transfers.define("absent", COPY, sink_check="command -v no-such-program")
    run_id = transfers.launch_tools(*ends, tool)
    drive(run_id)
    assert (trial(run_id).status, trial(run_id).reason) == ("failed", "tool_missing")
    assert_all_gone(tmp_path)


def test_data_that_goes_elsewhere_is_missing(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    tool = transfers.define("stray", f"cp {{source_directory}}/* {elsewhere}/")
    run_id = transfers.launch_tools(*ends, tool)
    drive(run_id)
    found = transfers.tools_of(run_id)
    assert found.cells[0].lost == 4, messages(run_id)
    assert found.headline is not None and found.headline.no_result == "data_lost"
    assert found.warnings[0].code == "lost"
    assert_all_gone(tmp_path)


def test_a_canceled_transfer_ends_the_tool_and_cleans_up(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    log = tmp_path / "cleaned"
    cleanup = f"echo cleaned >> {log}"
    tool = transfers.define("endless", SLEEPER, sink_command=SLEEPER, sink_cleanup=cleanup)
    run_id = transfers.launch_tools(*ends, tool)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.cancel(run_id)
    installation.drive_to_the_end(run_id, 40)
    assert installation.run(run_id).state == "cancelled"
    assert log.read_text() == "cleaned\ncleaned\n"
    assert_all_gone(tmp_path)


def test_another_worker_continues_while_the_tool_runs(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    tool = transfers.define("slow", f"sleep 2; {COPY}")
    run_id = transfers.launch_tools(*ends, tool)
    installation.drive_until(run_id, lambda: installation.participant(run_id, 1).listening)
    installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 0)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    (cell,) = transfers.tools_of(run_id).cells
    assert (cell.state, cell.lost) == ("done", 0)
    assert len(installation.attempts(run_id)) == 2
    assert_all_gone(tmp_path)


@pytest.mark.parametrize("position", [0, 1])
def test_if_a_probe_dies_the_tool_is_ended_and_the_trial_repeated(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path, position: int
) -> None:
    tool = transfers.define("twice", f"sleep 3; {COPY}")
    run_id = transfers.launch_tools(*ends, tool)

    def kill() -> bool:
        if installation.sample_count(run_id) < 4:
            return False
        installation.kill_probe(run_id, position=position)
        return True

    installation.drive_until(run_id, kill)
    installation.drive_to_the_end(run_id, 60)
    assert installation.run(run_id).state == "done", messages(run_id)
    assert (1, "interrupted") in {(o.number, o.status) for o in installation.attempts(run_id)}
    (cell,) = transfers.tools_of(run_id).cells
    assert (cell.state, cell.lost) == ("done", 0)
    assert_all_gone(tmp_path)
