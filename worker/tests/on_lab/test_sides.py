"""FDT's findings in miniature: several disks and controllers of a side, over a distance."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.path.fields import Leg
from assay.kinds.path.result import PathResult
from assay.kinds.path.settings import PathSetting
from assay.runs.campaigns.scale_out import ScaleOut, scale_out
from assay.tables.database import reading
from lab import GIB, MIB, Disk, Host, Lab, Way
from testing import transfers
from testing.installation import Installation, wait_until
from testing.lab_paths import evidence

pytestmark = pytest.mark.alone

RTT_S = 0.02
SLOW, FAST, LINE = 6 * MIB, 16 * MIB, 28 * MIB
CARRIED = (0.86, 1.06)
"""What is reached of a disk's rate, with the burst of its throttle."""

CARRIED_BRIEFLY = (0.86, 1.12)
"""The same in two seconds: the throttle gives away up to two tenths of one."""


class Sides:
    """A source and a sink with several disks each, and a network with a delay between them.

    `near`: without a delay, and with the disks in memory, where other work does not slow them down.
    """

    def __init__(
        self, installation: Installation, lab: Lab, sources: int, sinks: int, *, near: bool = False
    ) -> None:
        self.installation = installation
        size = GIB // 4 if near else GIB // 2
        self.disks = [
            [lab.disk(f"{side}{number}", size, in_memory=near) for number in range(count)]
            for side, count in (("source", sources), ("sink", sinks))
        ]
        self.hosts = [
            lab.host(name, *disks) for name, disks in zip(("cern", "cit"), self.disks, strict=True)
        ]
        if near:
            self.address = lab.link(*self.hosts).far.address
        else:
            wan = lab.wan(*self.hosts, RTT_S, Way(rate=LINE))
            wan.set_congestion_control("cubic")
            self.address = wan.far.address
        self._ids = [
            installation.ssh_host(host, name=host.name, address=host.address) for host in self.hosts
        ]

    def ends(self, side: int, *folders: Path) -> list[dict[str, int]]:
        """Return targets of a side: these directories, or all of its disks."""
        host = self.hosts[side]
        chosen = folders or [host.target(disk) for disk in self.disks[side]]
        known = self.installation.known_target
        return [{"target_id": known(self._ids[side], folder)} for folder in chosen]

    def set_rates(self, source: int, sink: int) -> None:
        for disk in self.disks[0]:
            disk.set_rate(read=source)
        for disk in self.disks[1]:
            disk.set_rate(write=sink)

    def measured(
        self,
        sources: Sequence[dict[str, int]],
        sinks: Sequence[dict[str, int]],
        how: dict[str, Any] | None = None,
        **test: Any,
    ) -> list[PathResult]:
        """Drive the runs of a campaign to their ends, after which nothing is left on the hosts."""
        given = {"duration_ms": 1200, "sink_address": self.address, "streams": [2]} | test
        run_ids = transfers.launch_all(sources, sinks, how, **given)
        for run_id in run_ids:
            self.installation.drive_to_the_end(run_id, 90)
            assert self.installation.run(run_id).state == "done", self.installation.run(
                run_id
            ).error
        for host in self.hosts:
            wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
        found = [transfers.path_of(run_id) for run_id in run_ids]
        for one in found:
            print(*evidence(one), sep="\n")  # for a failed test
        return found


def setting_of(found: PathResult) -> PathSetting:
    (setting,) = found.settings
    return setting


def assert_limit(found: PathResult, *right: str, sentence: str | None = None) -> None:
    """Assert that the right limit is named; if other work disturbed a leg, it may remain open."""
    said = setting_of(found).bottleneck
    assert said is not None
    sound = all(leg.reliable for leg in found.legs)
    assert said.limit in (right if sound else {*right, "undetermined"}), evidence(found)
    if sentence is not None and said.limit in right:
        assert said.sentence == sentence


def reached(found: PathResult, rate: int) -> float:
    """Return the transfer's rate as a part of a known one."""
    measured = setting_of(found).transfer_bytes_per_s
    assert measured is not None, evidence(found)
    return measured / rate


def test_a_second_disk_on_each_side_doubles_the_rate(installation: Installation, lab: Lab) -> None:
    both = Sides(installation, lab, 2, 2)
    both.set_rates(SLOW, FAST)
    sources, sinks = both.ends(0), both.ends(1)
    one, two = both.measured(sources, sinks, {"scale_out": True}, length=36 * MIB)
    assert CARRIED[0] < reached(one, SLOW) < CARRIED[1]
    assert CARRIED[0] < reached(two, 2 * SLOW) < CARRIED[1]
    assert_limit(one, "source_disk", sentence="The source's disk limits the transfer.")
    assert_limit(two, "source_disk", sentence="The disks of cern limit the transfer.")
    (disk,) = [leg for leg in two.legs if leg.leg == "disk"]
    (trial,) = disk.trials
    assert trial.link is not None and trial.link.streams == 4  # two of each pair
    assert trial.sender is not None and trial.receiver is not None  # one host each
    read, written = trial.sender.stage("read"), trial.receiver.stage("write")
    assert read is not None and written is not None
    assert (read.threads, written.threads) == (2, 2)  # a thread for each disk
    assert [len(one.devices) for one in two.participants] == [1] * 4
    assert len({one.devices[0] for one in two.participants}) == 4


@pytest.mark.nightly
def test_of_faster_disks_the_line_is_the_limit(installation: Installation, lab: Lab) -> None:
    both = Sides(installation, lab, 2, 2)
    both.set_rates(LINE, LINE)
    # the part between memories is long enough for its round trips to show a full queue
    (found,) = both.measured(both.ends(0), both.ends(1), length=32 * MIB, duration_ms=6000)
    assert 0.6 < reached(found, LINE) < CARRIED[1]
    said = setting_of(found).bottleneck
    assert said is not None
    # on a busy machine the line is not filled, and then nothing may be named; but never a disk
    assert said.limit in ("link", "network", "undetermined"), evidence(found)
    assert not {said.limit, *said.others} & {"source_disk", "sink_disk"}, evidence(found)


def gain(found: ScaleOut) -> float:
    """Return how many times the rate of one pair both reach from disk to disk."""
    (curve,) = [one for one in found.curves if (one.cell or "").startswith("disk-")]
    rates = [run.durable.bytes_per_s if run.durable else None for run in curve.runs]
    assert all(rates), curve
    return (rates[1] or 0.0) / (rates[0] or 1.0)


def folders(host: Host, disk: Disk, *names: str) -> list[Path]:
    """Create directories on a disk."""
    made = [host.target(disk) / name for name in names]
    host.log_in("mkdir " + " ".join(map(str, made)))
    return made


@pytest.mark.nightly
def test_two_controllers_gain_what_two_directories_behind_one_do_not(
    installation: Installation, lab: Lab
) -> None:
    """A controller is a throttled device: of one, two directories share the throttle."""
    both = Sides(installation, lab, 2, 2)
    both.set_rates(SLOW, FAST)
    shared = both.ends(0, *folders(both.hosts[0], both.disks[0][0], "a", "b"))
    how, length = {"scale_out": True}, 24 * MIB
    sinks = both.ends(1)
    behind_one = both.measured(shared, sinks, how, length=length)
    # the directories have one device below them, whatever their names
    devices = [one.devices for one in behind_one[1].participants if one.role == "sender"]
    assert devices[0] == devices[1]
    behind_two = both.measured(both.ends(0), sinks, how, length=length)
    gains: list[float] = []
    named = ("The source's disk limits the transfer.", "The disks of cern limit the transfer.")
    for runs, sentence in zip((behind_one, behind_two), named, strict=True):
        with reading() as session:
            campaign = installation.run(runs[0].run_id).campaign_id
            gains.append(gain(scale_out(session, campaign)))
        assert_limit(runs[1], "source_disk", sentence=sentence)
    assert 0.9 < gains[0] < 1.1
    assert 1.8 < gains[1] < 2.2


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("source", "sink", "limits", "sentence"),
    [
        (FAST, SLOW, ["sink_disk"], "The disks of cit limit the transfer."),
        (SLOW, SLOW, ["undetermined"], None),
    ],
    ids=["sinks", "equal"],
)
def test_the_disks_of_the_slower_side_are_named(
    installation: Installation,
    lab: Lab,
    source: int,
    sink: int,
    limits: list[str],
    sentence: str | None,
) -> None:
    both = Sides(installation, lab, 2, 2)
    both.set_rates(source, sink)
    (found,) = both.measured(both.ends(0), both.ends(1), length=24 * MIB)
    said = setting_of(found).bottleneck
    assert said is not None
    # work beside one leg may show a small difference: both are then named, as limits together
    together = source == sink and {said.limit, *said.others} == {"source_disk", "sink_disk"}
    if not together:
        assert_limit(found, *limits, sentence=sentence)


@pytest.mark.nightly
def test_a_slow_disk_among_its_peers_is_named(installation: Installation, lab: Lab) -> None:
    both = Sides(installation, lab, 2, 2)
    both.set_rates(FAST, FAST + SLOW)
    both.disks[0][1].set_rate(read=SLOW)
    (found,) = both.measured(both.ends(0), both.ends(1), length=24 * MIB)
    assert_limit(found, "source_disk", sentence="The disk cern /mnt/source1 limits the transfer.")
    assert CARRIED[0] < reached(found, 2 * SLOW) < CARRIED[1]


PEER = 8 * MIB
"""The rate of two disks of three."""

OTHER = 28 * MIB
"""The rate of the other side's only disk, or twice that of each of three: a second or more."""


@pytest.mark.parametrize(
    ("side", "ratio"),
    [
        (0, 4),
        pytest.param(0, 2, marks=pytest.mark.nightly),
        pytest.param(0, 6, marks=pytest.mark.nightly),
        pytest.param(1, 4, marks=pytest.mark.nightly),
    ],
    ids=["sources, 4", "sources, 2", "sources, 6", "sinks, 4"],
)
def test_a_very_slow_disk_of_three_is_named_and_each_has_its_rate(
    installation: Installation, lab: Lab, side: int, ratio: int
) -> None:
    """The slow one is used alone for most of the time: legs with a disk end by length."""
    both = Sides(installation, lab, 3, 3 if side else 1, near=True)
    both.set_rates(OTHER // 2, OTHER)
    rates = [PEER, PEER // ratio, PEER]
    for disk, rate in zip(both.disks[side], rates, strict=True):
        disk.set_rate(**{"write" if side else "read": rate})
    own: Leg = "write" if side else "read"
    legs = ["read", "memory", "write", "disk", "memory_to_disk" if side else "disk_to_memory"]
    sources, sinks = both.ends(0), both.ends(1)
    (found,) = both.measured(sources, sinks, legs=legs, length=16 * MIB)
    host, disk = ("cit", "sink1") if side else ("cern", "source1")
    right = "sink_disk" if side else "source_disk"
    assert_limit(found, right, sentence=f"The disk {host} /mnt/{disk} limits the transfer.")
    assert CARRIED[0] < reached(found, 3 * PEER // ratio) < CARRIED[1]
    for name in (own, legs[-1]):
        ((trial,),) = [leg.trials for leg in found.legs if leg.leg == name]
        for pair, rate in zip(trial.pairs, rates, strict=True):
            reach = pair.durable_bytes_per_s if side else pair.own_bytes_per_s
            assert reach is not None
            assert CARRIED_BRIEFLY[0] < reach / rate < CARRIED_BRIEFLY[1], (name, pair)
        assert "short_overlap" not in [flag.code for flag in trial.flags]
    if side == 0:  # the rate of all is that of the time in which all read
        (to_memory,) = [leg for leg in found.legs if leg.leg == "disk_to_memory"]
        assert to_memory.bytes_per_s is not None
        assert CARRIED[0] < to_memory.bytes_per_s.mean / sum(rates) < CARRIED[1]
        assert to_memory.trials[0].window_ns is not None
        assert to_memory.trials[0].window_ns < 3e9


@pytest.mark.nightly
def test_two_sources_and_one_sink_of_the_same_hosts_name_the_sink(
    installation: Installation, lab: Lab
) -> None:
    both = Sides(installation, lab, 2, 1)
    both.set_rates(FAST, SLOW)
    (found,) = both.measured(both.ends(0), both.ends(1), length=12 * MIB)
    assert_limit(found, "sink_disk", sentence="The sink's disk limits the transfer.")
    assert CARRIED[0] < reached(found, SLOW) < CARRIED[1]


@pytest.mark.nightly
def test_threads_for_each_device_are_those_of_the_plan(
    installation: Installation, lab: Lab
) -> None:
    both = Sides(installation, lab, 1, 1)
    both.set_rates(FAST, FAST)
    (found,) = both.measured(
        both.ends(0), both.ends(1), legs=["disk"], length=24 * MIB, threads_per_device=3
    )
    (trial,) = found.legs[0].trials
    assert trial.sender is not None and trial.receiver is not None
    read, written = trial.sender.stage("read"), trial.receiver.stage("write")
    assert read is not None and written is not None
    assert (read.threads, written.threads) == (3, 3)
    assert trial.wrong_blocks == 0
