"""Transfers by other programs between two lab hosts, whose limit is known by construction."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.tool.result import ToolResult
from assay.tables.database import reading
from assay.tables.runs import Notice
from lab import GIB, MIB, Disk, Host, Lab
from sqlalchemy import select
from testing import transfers
from testing.installation import Installation, wait_until

TargetOn = Callable[[Host, Disk], int]
SLOW, FAST = 30 * MIB, 90 * MIB
LENGTH = 60 * MIB
STRAY = "$(dirname $(dirname {sink_directory}))/strayed"
"""A file of the target, beside the run's directory."""


class Pair:
    """Two hosts with a disk each, and a link over which the source can log in at the sink."""

    def __init__(self, lab: Lab, target_on: TargetOn, read: int, write: int) -> None:
        self.disks = lab.disk("a", GIB, read=read), lab.disk("b", GIB, write=write)
        self.source, self.sink = (
            lab.host(name, disk) for name, disk in zip(("one", "other"), self.disks, strict=True)
        )
        self.link = lab.link(self.source, self.sink)
        self.ends = [
            {"target_id": target_on(host, disk)}
            for host, disk in zip((self.source, self.sink), self.disks, strict=True)
        ]

    def allow_login(self) -> None:
        """Give the source a key for the sink, where sshd also listens at the link's address."""
        self.source.allow_logins_from_here()
        config = (self.sink.folder / "sshd_config").read_text()
        own = self.sink.folder / "link_sshd_config"
        pid = self.sink.folder / "link_sshd.pid"
        config = config.replace(self.sink.address, self.link.far.address)
        own.write_text(config.replace(str(self.sink.folder / "sshd.pid"), str(pid)))
        self.sink.begin(["/usr/sbin/sshd", "-D", "-f", own], self.sink.folder / "link_sshd.log")
        wait_until(pid.exists, 5, "sshd listens at the link")

    def moved(self, installation: Installation, tool: str, **test: Any) -> ToolResult:
        given = {
            "length": LENGTH,
            "source_address": self.link.near.address,
            "sink_address": self.link.far.address,
        }
        run_id = transfers.launch_tools(*self.ends, tool, **given | test)
        installation.drive_to_the_end(run_id, 90)
        for host in (self.source, self.sink):
            wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
            wait_until(lambda host=host: not host.processes("rsync"), 5, "rsync ends")
        for host, disk in zip((self.source, self.sink), self.disks, strict=True):
            assert left(host.seen_from_here(host.target(disk))) == []
        assert installation.run(run_id).state == "done", messages(run_id)
        return transfers.tools_of(run_id)


def left(target: Path) -> list[str]:
    return [one.name for one in target.iterdir() if one.name != "lost+found"]


def messages(run_id: int) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(Notice.message).where(Notice.run_id == run_id)))


@pytest.mark.alone
@pytest.mark.parametrize(
    ("read", "write"),
    [pytest.param(SLOW, FAST, marks=pytest.mark.nightly), (FAST, SLOW)],
    ids=["slow-source", "slow-sink"],
)
def test_rsync_reaches_what_the_slower_disk_holds(
    installation: Installation, lab: Lab, target_on: TargetOn, read: int, write: int
) -> None:
    pair = Pair(lab, target_on, read, write)
    found = pair.moved(installation, "rsync-daemon")
    (cell,) = found.cells
    assert (cell.lost, cell.wrong, cell.unexpected) == (0, 0, 0), found.warnings
    assert cell.bytes_per_s is not None
    # at least as fast as one disk after the other; a throttle lets through a little at once
    assert 0.55 < cell.bytes_per_s.mean / SLOW < 1.05, cell.trials
    (trial,) = cell.trials
    assert trial.served_by is not None and trial.served_by.source == "device", trial.served_by
    assert trial.source is not None and trial.source.card is not None
    assert trial.source.card_tx_bytes is not None and trial.source.card_tx_bytes > LENGTH
    assert trial.source.device_bytes is not None and trial.source.device_bytes >= LENGTH
    assert trial.source.own_s > 0  # the hosts' time is that of a machine that may be busy
    assert not found.same_host


@pytest.mark.alone
def test_records_go_through_ssh_with_the_approved_key_of_the_sink(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    pair = Pair(lab, target_on, FAST, SLOW)
    pair.allow_login()
    found = pair.moved(installation, "cat-over-ssh", record_bytes=1000)
    (cell,) = found.cells
    assert (cell.lost, cell.wrong, cell.duplicate) == (0, 0, 0), found.warnings
    assert cell.records == LENGTH // 1000
    assert cell.bytes_per_s is not None and 0.4 < cell.bytes_per_s.mean / SLOW < 1.05


def test_a_source_without_a_login_at_the_sink_is_told_before_the_transfer(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    pair = Pair(lab, target_on, FAST, FAST)
    run_id = transfers.launch_tools(*pair.ends, "scp", length=LENGTH)
    installation.drive_to_the_end(run_id, 60)
    (trial,) = transfers.tools_of(run_id).cells[0].trials
    assert (trial.status, trial.reason) == ("failed", "tool_missing")
    assert any("ssh: connect to host" in one or "denied" in one for one in messages(run_id))
    for host, disk in zip((pair.source, pair.sink), pair.disks, strict=True):
        assert left(host.seen_from_here(host.target(disk))) == []


def test_a_tool_that_writes_beside_its_directories_is_told_from_one_that_keeps_its_data(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    pair = Pair(lab, target_on, FAST, FAST)
    length = 8 * MIB
    daemon = f"head -c {length} /dev/zero > {{place}} && echo serving && exec sleep 60"
    tools = [
        transfers.define(
            name,
            "true",
            sink_command=daemon.replace("{place}", place),
            ready="line",
            ready_line="serving",
        )
        for name, place in [("keeper", "{sink_scratch}/spool"), ("stray", STRAY)]
    ]
    run_id = transfers.launch_tools(*pair.ends, *tools, length=length)
    installation.drive_to_the_end(run_id, 60)
    found = transfers.tools_of(run_id)
    keeper, stray = (next(c.trials[0] for c in found.cells if c.tool == name) for name in tools)
    assert keeper.arrived is not None and keeper.arrived.lost == 4, messages(run_id)
    assert keeper.arrived.elsewhere_bytes is not None
    assert keeper.arrived.elsewhere_bytes < MIB
    assert stray.arrived is not None and stray.arrived.elsewhere_bytes is not None
    assert length <= stray.arrived.elsewhere_bytes < length + MIB
    accused = [one.message for one in found.warnings if one.code == "written_elsewhere"]
    assert len(accused) == 1 and accused[0].startswith("stray: "), found.warnings
    sink = pair.sink.seen_from_here(pair.sink.target(pair.disks[1]))
    assert left(sink) == ["strayed"]
    (sink / "strayed").unlink()
