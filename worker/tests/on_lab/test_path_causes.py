"""What limits a path, in cases whose cause is known by construction; never a wrong one is named."""

import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from assay.kinds.path.result import PathResult
from assay.kinds.transfer.evidence import Limit
from lab import GIB, MIB, Disk, Host, Lab, Way
from testing.installation import Installation
from testing.lab_paths import LabPath, evidence

TargetOn = Callable[[Host, Disk], int]
MB = 10**6
CLEAN = Way()
NIGHTLY = pytest.mark.nightly
"""For cases whose rule another case exercises as well."""


def hosts_of(lab: Lab, **more: Any) -> tuple[Host, Host]:
    """Start a source and a sink without disks; `more` has options of one of them by its role."""
    return lab.host("source", **more.get("source", {})), lab.host("sink", **more.get("sink", {}))


def limits_of(found: PathResult) -> set[Limit]:
    """Return what the only setting is limited by, or may be limited by."""
    (setting,) = found.settings
    said = setting.bottleneck
    assert said is not None, evidence(found)
    return {said.limit, *said.others}


def assert_named(found: PathResult, *right: Limit, unclear: Sequence[Limit] = ()) -> None:
    """Assert that the right limit is named, or nothing more than `unclear`."""
    (setting,) = found.settings
    assert setting.bottleneck is not None, evidence(found)
    assert setting.bottleneck.limit in {*right, *unclear}, evidence(found)


ROLES = {"source": "sender", "sink": "receiver"}
HELD: dict[str, tuple[Limit, ...]] = {"source": ("sender_cpu",), "sink": ("receiver_cpu",)}


@pytest.mark.alone
@pytest.mark.parametrize("end", [pytest.param("source", marks=NIGHTLY), "sink"])
def test_an_end_that_is_held_by_a_quota_is_named(
    installation: Installation, lab: Lab, end: str
) -> None:
    one, other = hosts_of(lab, **{end: {"cores": 0.1}})
    link = lab.link(one, other)
    link.set_congestion_control("cubic")
    path = LabPath(installation, (one, other), link.far.address, duration_ms=3000)
    found = path.measured()
    # on a busy machine the other end lacks CPU as well, and both are named
    assert_named(found, *HELD[end], unclear=["network"])
    (setting,) = found.settings
    assert setting.bottleneck is not None
    quotas = [one.message for one in setting.bottleneck.evidence if one.code == "quota"]
    assert len(quotas) == 1 and ROLES[end] in quotas[0], evidence(found)


BUFFERS: dict[str, tuple[Limit, Callable[[Host, Host], object], dict[str, int]]] = {
    "both": ("receive_buffer", lambda one, other: None, {"socket_buffer_bytes": 65_536}),
    "receiver's limit": (
        "receive_buffer",
        lambda one, other: other.run_as_root(
            "sysctl", "-qw", "net.ipv4.tcp_rmem=4096 65536 131072"
        ),
        {},
    ),
    "sender's limit": (
        "send_buffer",
        lambda one, other: one.run_as_root("sysctl", "-qw", "net.ipv4.tcp_wmem=4096 65536 131072"),
        {},
    ),
}


@pytest.mark.alone
@pytest.mark.parametrize(
    "case", [pytest.param("both", marks=NIGHTLY), "receiver's limit", "sender's limit"]
)
def test_a_socket_buffer_that_is_too_small_for_the_delay_is_named(
    installation: Installation, lab: Lab, case: str
) -> None:
    limit, shrink, test = BUFFERS[case]
    one, other = hosts_of(lab)
    wan = lab.wan(one, other, rtt_s=0.05)
    wan.set_congestion_control("cubic")
    shrink(one, other)
    path = LabPath(installation, (one, other), wan.far.address, duration_ms=3000, **test)
    # with equal buffers at both ends, either may be the smaller one
    both: tuple[Limit, ...] = ("send_buffer",) if case == "both" else ()
    assert_named(path.measured(), limit, *both)


@pytest.mark.alone
@pytest.mark.parametrize(
    ("congestion", "rtt_s", "lost", "limit"),
    [
        ("cubic", 0.04, 0.002, "loss"),
        pytest.param("reno", 0.04, 0.002, "loss", marks=NIGHTLY),
        pytest.param("bbr", 0.04, 0.01, "network", marks=NIGHTLY),  # not every kernel has it
    ],
)
def test_loss_is_named_with_a_congestion_control_that_slows_down(
    installation: Installation, lab: Lab, congestion: str, rtt_s: float, lost: float, limit: Limit
) -> None:
    one, other = hosts_of(lab)
    wan = lab.wan(one, other, rtt_s, Way(rate=20 * MIB, loss=lost), CLEAN)
    wan.set_congestion_control(congestion)
    path = LabPath(installation, (one, other), wan.far.address, duration_ms=5000)
    # a full line of BBR may be recognized by its queue
    assert_named(path.measured(), limit, *(("link",) if congestion == "bbr" else ()))


@pytest.mark.parametrize("congestion", ["cubic", pytest.param("bbr", marks=NIGHTLY)])
def test_a_slow_line_is_never_called_loss(
    installation: Installation, lab: Lab, congestion: str
) -> None:
    """Its queue drops packets, too."""
    one, other = hosts_of(lab)
    wan = lab.wan(one, other, 0.02, Way(rate=10 * MIB), Way(rate=10 * MIB))
    wan.set_congestion_control(congestion)
    path = LabPath(installation, (one, other), wan.far.address, duration_ms=4000)
    assert_named(path.measured(), "link", "network")


@pytest.mark.alone
@pytest.mark.nightly
def test_a_thin_way_back_is_no_wrong_cause(installation: Installation, lab: Lab) -> None:
    """Acknowledgments share 40 kB/s, as on an asymmetric line."""
    one, other = hosts_of(lab)
    wan = lab.wan(one, other, 0.02, Way(rate=50 * MIB), Way(rate=40_000))
    wan.set_congestion_control("cubic")
    path = LabPath(installation, (one, other), wan.far.address, duration_ms=4000)
    assert_named(path.measured(), "network", "link")


@pytest.mark.alone
def test_other_traffic_on_the_card_is_flagged(installation: Installation, lab: Lab) -> None:
    one, other = hosts_of(lab)
    link = lab.link(one, other, rate=40 * MIB)
    path = LabPath(installation, (one, other), link.far.address, duration_ms=3000)
    sink = f"import socket\ns = socket.create_server(('{link.far.address}', 9000)).accept()[0]"
    other.begin(["python3", "-c", f"{sink}\nwhile s.recv(1 << 16): pass"], other.folder / "other")
    source = (
        "import socket, time\n"
        "while True:\n"
        "    try:\n"
        f"        s = socket.create_connection(('{link.far.address}', 9000))\n"
        "        break\n"
        "    except OSError:\n"
        "        time.sleep(0.05)\n"
        "while True: s.send(bytes(1 << 16))"
    )
    one.begin(["python3", "-c", source], one.folder / "other")
    found = path.measured()
    (trial,) = found.legs[0].trials
    assert "contended" in [flag.code for flag in trial.flags], evidence(found)
    assert found.headline is not None and found.headline.no_result == "unreliable"


@pytest.mark.alone
@pytest.mark.nightly
def test_a_transfer_alone_on_its_card_is_not_flagged(installation: Installation, lab: Lab) -> None:
    one, other = hosts_of(lab)
    wan = lab.wan(one, other, 0.02, Way(rate=20 * MIB, loss=0.01), CLEAN)
    path = LabPath(installation, (one, other), wan.far.address, duration_ms=3000)
    (trial,) = path.measured().legs[0].trials
    assert "contended" not in [flag.code for flag in trial.flags]


@pytest.mark.parametrize("position", [pytest.param(0, marks=NIGHTLY), 1])
def test_a_suspended_end_repeats_the_trial(
    installation: Installation, lab: Lab, position: int
) -> None:
    one, other = hosts_of(lab)
    link = lab.link(one, other)
    path = LabPath(installation, (one, other), link.far.address, duration_ms=3000)
    run_id = path.launch()

    def suspend() -> bool:
        if installation.sample_count(run_id) < 4:
            return False
        path.hosts[position].kill("assay-probe", signal.SIGSTOP)
        time.sleep(0.6)
        path.hosts[position].kill("assay-probe", signal.SIGCONT)
        return True

    installation.drive_until(run_id, suspend)
    found = path.measured(run_id)
    ended = {(one.number, one.status) for one in installation.attempts(run_id)}
    assert (1, "suspended") in ended, ended
    (trial,) = found.legs[0].trials
    assert (trial.status, trial.attempts) == ("complete", 2), evidence(found)


class Disks:
    """A source and a sink with a disk each; rates in bytes per second."""

    def __init__(self, lab: Lab, read: int, write: int, **more: Any) -> None:
        self.source = lab.disk("a", GIB, read=read, in_memory=True)
        self.sink = lab.disk("b", GIB, write=write, in_memory=True)
        self.hosts = (
            lab.host("source", self.source, **more.get("source", {})),
            lab.host("sink", self.sink, **more.get("sink", {})),
        )


SLOW, FAST = 40 * MIB, 80 * MIB
LEGS = {"legs": ["read", "memory", "write", "disk"], "length": 100 * MIB, "duration_ms": 1500}


@pytest.mark.alone
def test_a_slow_source_is_named_over_a_long_distance(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disks = Disks(lab, read=SLOW, write=FAST)
    wan = lab.wan(*disks.hosts, rtt_s=0.1)
    wan.set_congestion_control("cubic")
    path = LabPath(installation, disks.hosts, wan.far.address, target_on, **LEGS)
    found = path.measured(duration_ms=6000, ramp_ms=3000, length=200 * MIB)
    assert_named(found, "source_disk", unclear=["undetermined"])


@pytest.mark.alone
@pytest.mark.nightly
def test_a_line_and_a_disk_that_are_equally_slow_are_not_told_apart(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disks = Disks(lab, read=FAST, write=SLOW)
    link = lab.link(*disks.hosts, rate=round(SLOW * 1514 / 1448))
    path = LabPath(installation, disks.hosts, link.far.address, target_on, **LEGS)
    found = path.measured()
    limits = limits_of(found)
    # a throttle lets through at once what it would in a tenth of a second: they differ a little
    assert {"sink_disk", "network"} <= limits or limits == {"undetermined"}, evidence(found)


@pytest.mark.alone
@pytest.mark.nightly
def test_other_io_on_the_source_disk_is_flagged(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disks = Disks(lab, read=SLOW, write=FAST)
    link = lab.link(*disks.hosts)
    path = LabPath(installation, disks.hosts, link.far.address, target_on, **LEGS)
    one = disks.hosts[0]
    file = one.target(disks.source) / "others-data"
    one.run_as_root("dd", "if=/dev/zero", f"of={file}", "bs=1M", "count=200", "oflag=direct")
    script = f"while :; do dd if={file} of=/dev/null bs=1M iflag=direct; done"
    one.begin(["sh", "-c", script], one.folder / "dd.log")
    found = path.measured(legs=["disk"])
    (leg,) = found.legs
    assert "contended" in [flag.code for flag in leg.trials[0].flags], evidence(found)
    assert found.headline is not None and found.headline.no_result == "unreliable"


def test_a_cache_at_the_sink_that_the_sync_does_not_empty_is_no_headline(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disks = Disks(lab, read=FAST, write=10 * MIB)
    link = lab.link(*disks.hosts)
    path = LabPath(installation, disks.hosts, link.far.address, target_on, **LEGS)
    cached = {"sink_cache": "page", "length": 60 * MIB, "sync_timeout_ms": 1000}
    found = path.measured(legs=["disk"], **cached)
    assert found.headline is not None and found.headline.bytes_per_s is None, evidence(found)
    assert found.headline.no_result == "cache_inflated", evidence(found)


@pytest.mark.alone
def test_a_cache_in_the_sink_that_is_exhausted_is_no_headline(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disks = Disks(lab, read=FAST, write=FAST)
    link = lab.link(*disks.hosts)
    path = LabPath(installation, disks.hosts, link.far.address, target_on, **LEGS)
    run_id = path.launch(legs=["disk"])
    disks.sink.slow_after(60 * MIB, 15 * MIB)
    found = path.measured(run_id)
    assert found.headline is not None, evidence(found)
    assert found.headline.no_result == "cache_inflated", evidence(found)


@pytest.mark.alone
def test_a_disk_whose_end_is_held_by_a_quota_is_not_blamed(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    """Both disks are faster than what a twentieth of a core moves."""
    disks = Disks(lab, read=200 * MIB, write=200 * MIB, sink={"cores": 0.05})
    link = lab.link(*disks.hosts)
    path = LabPath(installation, disks.hosts, link.far.address, target_on, **LEGS)
    found = path.measured(integrity="crc32c", length=250 * MIB)
    assert_named(found, "receiver_cpu", unclear=["undetermined"])


@pytest.mark.parametrize("end", [pytest.param("source", marks=NIGHTLY), "sink"])
def test_ends_whose_clocks_are_an_hour_apart_start_together(
    installation: Installation, lab: Lab, end: str
) -> None:
    one, other = hosts_of(lab, **{end: {"uptime_ahead_s": 3600}})
    link = lab.link(one, other)
    path = LabPath(installation, (one, other), link.far.address, duration_ms=2000)
    run_id = path.launch()
    found = path.measured(run_id)
    (trial,) = found.legs[0].trials
    assert (trial.status, trial.attempts) == ("complete", 1), evidence(found)
    uptimes = [float(host.run_as_root("cat", "/proc/uptime").split()[0]) for host in (one, other)]
    assert abs(abs(uptimes[0] - uptimes[1]) - 3600) < 60
    for attempt in installation.attempts(run_id):
        assert attempt.result is not None
        assert attempt.result["start_delay_ns"] < 1_000_000_000
