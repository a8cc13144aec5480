"""The built-in tools between two hosts of this machine, by their own programs and a real sshd."""

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from assay.kinds.programs import COMMANDS
from assay.kinds.tool.result import ToolResult
from assay.runs.tools.builtin import FDT, FDT_JAR
from assay.tables.database import reading
from assay.tables.runs import Notice
from sqlalchemy import select
from testing import transfers
from testing.assertions import assert_nothing_stays
from testing.installation import Installation, wait_until
from testing.sshd import Sshd

OVER_SSH = ("rsync-ssh", "scp", "sftp", "tar-over-ssh")
STAND_IN = Path(__file__).with_name("fdt_stand_in.py")

FOLDERS = ("a b: c", 'it\'s 100 % "$HOME" here')
"""Names that a shell, ssh, rsync, sftp or FDT would read as something else."""


@pytest.fixture
def ends(installation: Installation, sshd: Sshd, tmp_path: Path) -> list[dict[str, int]]:
    """A source on this machine, and a sink whose sshd is at a port of its own."""
    hosts = installation.local_host(), installation.ssh_host(sshd)
    return [
        {"target_id": installation.target(host, tmp_path / name)}
        for host, name in zip(hosts, FOLDERS, strict=True)
    ]


@pytest.fixture
def key_at_source(sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the source a key for the sink, by an agent: its home is the user's own."""
    socket = tmp_path / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
    monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
    try:
        wait_until(socket.exists, 5, "the agent listens")
        subprocess.run(["ssh-add", "-q", "-"], input=sshd.private_key.encode(), check=True)
        yield
    finally:
        agent.terminate()
        agent.wait()


def messages(run_id: int) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Notice.message).where(Notice.run_id == run_id)))


def moved(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path, *tools: str, **test: int
) -> ToolResult:
    """Run a test of these tools, and check that nothing of them stays."""
    run_id = transfers.launch_tools(ends[0], ends[1], *tools, **test)
    installation.drive_to_the_end(run_id, 90)
    for folder in FOLDERS:
        assert_nothing_stays(tmp_path, tmp_path / folder)
    found = transfers.tools_of(run_id)
    assert [cell.tool for cell in found.cells] == list(tools), messages(run_id)
    for cell in found.cells:
        assert cell.state == "done", (cell.tool, messages(run_id))
        assert (cell.lost, cell.wrong, cell.duplicate, cell.unexpected) == (0, 0, 0, 0), cell.tool
    return found


@pytest.mark.usefixtures("key_at_source")
def test_programs_that_log_in_deliver_their_files(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    found = moved(installation, ends, tmp_path, *OVER_SSH)
    for cell in found.cells:
        assert cell.trials[0].arrived is not None and cell.trials[0].arrived.intact == 4, cell.tool


@pytest.mark.usefixtures("key_at_source")
def test_records_go_through_ssh(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    (cell,) = moved(installation, ends, tmp_path, "cat-over-ssh", record_bytes=100).cells
    assert cell.records == transfers.TOOL_TEST["length"] // 100


def test_a_daemon_needs_no_login(
    installation: Installation, ends: list[dict[str, int]], tmp_path: Path
) -> None:
    moved(installation, ends, tmp_path, "rsync-daemon")


@contextmanager
def impostor(sshd: Sshd, address: str) -> Generator[None]:
    """Serve another address at the sink's port, with another host key and the same logins."""
    own = sshd.folder / "impostor"
    own.mkdir()
    key = own / "host_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    text = (sshd.folder / "sshd_config").read_text()
    changes = {
        "ListenAddress 127.0.0.1": f"ListenAddress {address}",
        f"HostKey {sshd.folder / 'host_key'}": f"HostKey {key}",
        f"PidFile {sshd.folder / 'pid'}": f"PidFile {own / 'pid'}",
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (own / "sshd_config").write_text(text)
    server = subprocess.Popen(
        ["/usr/sbin/sshd", "-D", "-f", own / "sshd_config", "-E", own / "log"],
        env=os.environ | sshd.environment,
    )
    try:
        wait_until((own / "pid").exists, 5, "the impostor listens")
        yield
    finally:
        server.terminate()
        server.wait()


@pytest.mark.usefixtures("key_at_source")
def test_a_sink_with_another_host_key_gets_nothing(
    installation: Installation, ends: list[dict[str, int]], sshd: Sshd, tmp_path: Path
) -> None:
    with impostor(sshd, "127.0.0.2"):
        run_id = transfers.launch_tools(ends[0], ends[1], *OVER_SSH, sink_address="127.0.0.2")
        installation.drive_to_the_end(run_id, 60)
    for cell in transfers.tools_of(run_id).cells:
        (trial,) = cell.trials
        assert (trial.status, trial.reason) == ("failed", "tool_missing"), cell.tool
    assert any("Host key verification failed" in one for one in messages(run_id))
    for folder in FOLDERS:
        assert_nothing_stays(tmp_path, tmp_path / folder)


def test_a_stand_in_that_takes_the_command_line_of_fdt_delivers(
    installation: Installation,
    ends: list[dict[str, int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    jar = programs / "no.jar"
    jar.touch()
    java = programs / "java"
    java.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{STAND_IN}' \"$@\"\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    sink = installation.target(installation.local_host("the sink"), tmp_path / "sink")
    commands = {name: getattr(FDT, name).replace(FDT_JAR, str(jar)) for name in COMMANDS}
    fields = FDT.model_dump(exclude={"name"}) | commands
    tool = transfers.define("fdt-stand-in", **fields)
    found = moved(installation, [ends[0], {"target_id": sink}], tmp_path, tool)
    (trial,) = found.cells[0].trials
    assert trial.command is not None and "This is not FDT" in trial.command.output
