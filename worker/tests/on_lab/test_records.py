"""K2HFTFUSE's findings in miniature: records of three hosts to one, with a known limit."""

from collections.abc import Callable

import pytest
from assay.kinds.records.figures import RecordsTrial
from lab import GIB, MIB, Disk, Host, Lab
from testing import records
from testing.installation import MB, Installation, wait_until
from testing.unwritten import little_memory_for_writes

pytestmark = pytest.mark.alone

TargetOn = Callable[[Host, Disk], int]
SINK = "192.0.2.1"
"""An address of the sink that every sender reaches by its own link."""

HEADERS = (0.88, 1.04)
"""What a link carries of its rate: without its headers, but with its burst."""


class Many:
    """Three hosts with a link each to one sink; `rates` of the links in bytes per second."""

    def __init__(
        self, installation: Installation, lab: Lab, rates: tuple[int | None, ...], *disks: Disk
    ) -> None:
        self.installation = installation
        self.sink = lab.host("sink", *disks)
        self.hosts = [lab.host(f"sender{number}") for number in range(len(rates))]
        self.sink.run_as_root("ip", "address", "add", f"{SINK}/32", "dev", "lo")
        for host, rate in zip(self.hosts, rates, strict=True):
            link = lab.link(host, self.sink, rate=rate)
            link.near.call("ip", "route", "add", SINK, "via", link.far.address)
        self.senders = [
            installation.ssh_host(host, name=host.name, address=host.address) for host in self.hosts
        ]

    def measured(self, end: dict[str, int], **test: object) -> RecordsTrial:
        run_id = records.launch(self.senders, end, sink_address=SINK, **test)
        self.installation.drive_to_the_end(run_id, 90)
        assert self.installation.run(run_id).state == "done", self.installation.run(run_id).error
        for host in (*self.hosts, self.sink):
            wait_until(lambda host=host: not host.processes("assay-probe"), 5, "the probes end")
        (cell,) = records.records_of(run_id).cells
        (trial,) = cell.trials
        print(cell.bottleneck, trial)
        counts = trial.counts
        assert counts is not None and counts.is_whole and counts.sent == counts.intact > 0
        self.limit = cell.bottleneck.limit if cell.bottleneck else None
        return trial


def test_three_senders_share_a_file_as_their_links_allow(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    disk = lab.disk("a", 4 * GIB, in_memory=True)
    rates = (10 * MIB, 20 * MIB, 40 * MIB)
    many = Many(installation, lab, rates, disk)
    trial = many.measured({"target_id": target_on(many.sink, disk)}, warm_up_ms=1000)
    assert trial.bytes_per_s is not None and trial.fairness is not None
    assert HEADERS[0] < trial.bytes_per_s / sum(rates) < HEADERS[1]
    for sender, rate in zip(trial.senders, rates, strict=True):
        assert sender.share == pytest.approx(rate / sum(rates), rel=0.1)
    # Jain's index of 1 : 2 : 4 is 49 ÷ 63
    assert trial.fairness == pytest.approx(49 / 63, rel=0.05)
    assert trial.slowest_participant_id == trial.senders[0].participant_id
    assert trial.counts is not None and trial.counts.stored == trial.counts.sent
    assert many.limit in {"link", "network", "undetermined"}
    there = many.sink.seen_from_here(many.sink.target(disk))
    assert [one.name for one in there.iterdir() if one.name != "lost+found"] == []


def test_one_batch_in_flight_over_a_long_round_trip_waits_for_acknowledgements(
    installation: Installation, lab: Lab
) -> None:
    one, sink = lab.host("sender"), lab.host("sink")
    wan = lab.wan(one, sink, rtt_s=0.02)
    ends = [
        installation.ssh_host(host, name=host.name, address=host.address) for host in (one, sink)
    ]
    test = {"sink": "memory", "acknowledge": "received", "sink_address": wan.far.address}
    limits: list[str] = []
    for in_flight in (1, 1024):
        run_id = records.launch(ends[:1], {"host_id": ends[1]}, in_flight_batches=in_flight, **test)
        installation.drive_to_the_end(run_id, 90)
        assert installation.run(run_id).state == "done", installation.run(run_id).error
        (cell,) = records.records_of(run_id).cells
        print(cell.bottleneck, cell.trials)
        assert cell.bottleneck is not None
        limits.append(cell.bottleneck.limit)
    assert limits[0] == "acknowledgements"
    assert limits[1] != "acknowledgements"


SLOW, OFFERED = 25 * MIB, 120 * MB
"""Rates of a sink's disk and of three senders to it: memory takes in the difference."""


def to_a_slow_disk(installation: Installation, lab: Lab, target_on: TargetOn) -> tuple[Many, int]:
    """Return three senders, and a target on the slow disk of their sink."""
    disk = lab.disk("a", 16 * GIB, write=SLOW, in_memory=True)
    many = Many(installation, lab, (None, None, None), disk)
    return many, target_on(many.sink, disk)


@pytest.mark.nightly
def test_memory_that_is_full_in_a_short_window_is_a_level(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    many, target_id = to_a_slow_disk(installation, lab, target_on)
    paced = {"rate_records_per_s": OFFERED // 3 // 1024, "warm_up_ms": 0, "window_ms": 6_000}
    with little_memory_for_writes():
        found = many.measured({"target_id": target_id}, **paced)
    assert found.levels, "the mean was never reached"
    assert found.levels[0].bytes_per_s > 2 * SLOW
    assert SLOW * 0.9 < found.levels[-1].bytes_per_s < SLOW * 1.5


@pytest.mark.nightly
def test_the_sink_limits_once_memory_is_exhausted_and_memory_as_the_sink_proves_it(
    installation: Installation, lab: Lab, target_on: TargetOn
) -> None:
    many, target_id = to_a_slow_disk(installation, lab, target_on)
    paced = {"rate_records_per_s": OFFERED // 3 // 1024, "window_ms": 11_700}
    with little_memory_for_writes():
        found = many.measured({"target_id": target_id}, **paced)
    assert found.cliff is not None and found.cliff.cause == "cache_exhausted"
    first, *_, last = found.cliff.levels
    assert 2 * SLOW < first.bytes_per_s < 1.05 * OFFERED
    # memory still takes in a little while the kernel slows the receiver down
    assert SLOW * 0.9 < last.bytes_per_s < SLOW * 1.5
    assert found.cliff.dirty_bytes is not None and found.cliff.dirty_bytes > 100 * MB
    assert many.limit == "sink_disk"
    control = many.measured({"target_id": target_id}, **paced, sink="memory")
    assert control.cliff is None or control.cliff.cause == "unknown"
    assert control.bytes_per_s is not None
    assert control.bytes_per_s > 2 * last.bytes_per_s
    assert many.limit in {"pacing", "undetermined"}
