"""Several directories of a side: pairs between the same hosts, which share CPUs, cards and link."""

from collections.abc import Mapping, Sequence

import pytest
from assay.kinds.path.fields import Leg
from assay.kinds.path.result import PathResult
from assay.kinds.run_record import HostLoad
from hypothesis import given, settings
from hypothesis import strategies as st

from .simulated import KIND, MB, Ends, both, judged, stage, stream, together

BOOTS = ("a", "z", "a", "z")
DISKS = ("s1", "d1", "s2", "d2")
FACTORS = (0.999, 1, 1.001)


def moved(leg: Leg, *rates: float, factor: float = 1.0, size: float = 1000) -> Ends:
    """Return a trial in which each pair moves so many MB at its rate in MB/s."""
    stages = [stage("read", 0.9), stage("write", 0.9)]
    return together(
        *(
            both(leg, rate * factor * MB, seconds=size / rate / factor, stages=stages)
            for rate in rates
        )
    )


def sides(
    rates: Mapping[Leg, Sequence[float]],
    boots: Sequence[str] = BOOTS,
    disks: Sequence[str] = DISKS,
    entries: Sequence[str] = (),
) -> PathResult:
    """Return three repeats of these legs, with the rates of both pairs in MB/s."""
    legs: dict[Leg, list[Ends]] = {
        leg: [moved(leg, *of_pairs, factor=factor) for factor in FACTORS]
        for leg, of_pairs in rates.items()
    }
    return judged(legs, boots=boots, disks=disks, entries=entries)


def test_the_disks_of_a_side_are_named_as_those_of_their_host() -> None:
    found = sides({"read": (20, 20), "memory": (90, 90), "write": (50, 50), "disk": (20, 20)})
    (setting,) = found.settings
    said = setting.bottleneck
    assert said and said.sentence == "The disks of host-a limit the transfer."
    assert "(the disks of host-a: 40.0 MB/s)" in said.evidence[0].message
    assert any("the disks of host-z reaches" in one.message for one in said.evidence)
    assert found.headline and found.headline.limited == "limited by the disks of host-a"
    # the sum of both pairs, compared with the sum of each part
    assert setting.read_bytes_per_s == pytest.approx(40 * MB, rel=0.01)
    assert setting.expected_bytes_per_s == pytest.approx(40 * MB, rel=0.01)
    assert setting.efficiency == pytest.approx(1.0, abs=0.01)


NAMES = (
    "web. The",
    "web: a",
    "web, mail",
    "web and mail",
    "host-z",
    r"w(e.b)* \1 [$",
    "rack {} {0} {a}",
    "the sink's disk",
    "the source's disk and the sink's disk",
    "The sink's disk limits",
)
"""LimitNames of hosts that read like other text of the result."""


@pytest.mark.parametrize("name", NAMES)
def test_a_host_may_have_any_name(name: str) -> None:
    rates: dict[Leg, tuple[int, int]] = {
        "read": (20, 20),
        "memory": (90, 90),
        "write": (50, 50),
        "disk": (20, 20),
    }
    (setting,) = sides(rates, entries=(name, "host-z-1") * 2).settings
    said = setting.bottleneck
    assert said and said.sentence == f"The disks of {name} limit the transfer."
    assert said.limited == f"limited by the disks of {name}"
    assert f" of the slowest part by itself (the disks of {name}: 40" in said.evidence[0].message
    assert any(
        "By itself, the disks of host-z-1 reaches 100 " in one.message for one in said.evidence
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_slow_disk_may_be_on_a_host_of_any_name(name: str) -> None:
    rates: dict[Leg, tuple[int, int]] = {
        "read": (80, 80),
        "memory": (200, 200),
        "write": (60, 20),
        "disk": (60, 20),
    }
    (setting,) = sides(rates, entries=("host-a", name) * 2).settings
    said = setting.bottleneck
    assert said and said.sentence == f"The disk {name} /mnt/d2 limits the transfer."
    assert said.limited == f"limited by the disk {name} /mnt/d2"


def test_of_uneven_disks_only_the_slow_one_is_named() -> None:
    found = sides({"read": (80, 80), "memory": (200, 200), "write": (60, 20), "disk": (60, 20)})
    (setting,) = found.settings
    said = setting.bottleneck
    assert said and said.sentence == "The disk host-z /mnt/d2 limits the transfer."
    uneven = said.evidence[-1]
    assert (uneven.code, uneven.figures["slowest_bytes_per_s"]) == (
        "uneven_disks",
        pytest.approx(20 * MB, rel=0.01),
    )
    assert found.headline and found.headline.limited == "limited by the disk host-z /mnt/d2"
    assert said.disks == ["host-z /mnt/d2"]


def test_uneven_disks_all_limit_a_transfer_without_a_sync() -> None:
    """Its rate is that of the time in which all move data, each at its own speed."""
    found = sides({"read": (30, 20), "memory": (200, 200), "disk_to_memory": (30, 20)})
    said = found.settings[0].bottleneck
    assert said and said.sentence == "The disks of host-a limit the transfer."
    assert said.evidence[-1].code == "uneven_disks"
    assert "The disk host-a /mnt/s2 by itself reaches 20.0 MB/s" in said.evidence[-1].message


THREE = ("a", "z") * 3
MEASURED: dict[str, tuple[Leg, ...]] = {
    "all parts": ("read", "memory", "write", "disk"),
    "to memory": ("read", "memory", "disk_to_memory"),
    "from memory": ("memory", "write", "memory_to_disk"),
    "only the transfer": ("disk",),
}


@settings(max_examples=60)
@given(
    ratio=st.floats(1.3, 60),
    place=st.integers(0, 2),
    case=st.sampled_from(list(MEASURED)),
    sinks=st.booleans(),
    one_host=st.booleans(),
)
def test_a_slow_disk_of_three_is_named_however_slow_it_is(
    ratio: float, place: int, case: str, sinks: bool, one_host: bool
) -> None:
    """Legs end by length, so that the slow disk is used alone when the others have ended."""
    sinks = {"to memory": False, "from memory": True}.get(case, sinks)
    slow, fast = [80.0] * 3, (250.0,) * 3
    slow[place] = 80 / ratio
    own: dict[Leg, Sequence[float]] = {
        "read": fast if sinks else slow,
        "memory": (900.0,) * 3,
        "write": slow if sinks else fast,
        "disk": slow,
        "disk_to_memory": slow,
        "memory_to_disk": slow,
    }
    waiting = (
        [stage("receive", 0.1, full=0.9), stage("write", 0.9)]
        if sinks
        else [stage("read", 0.9), stage("send", 0.1, empty=0.9), stage("write", 0.1, empty=0.9)]
    )
    legs: dict[Leg, list[Ends]] = {
        leg: [
            together(
                *(
                    both(leg, rate * one * MB, seconds=seconds, stages=waiting)
                    for rate in own[leg]
                    for seconds in [10 if leg == "memory" else 300 / rate / one]
                )
            )
            for one in FACTORS
        ]
        for leg in MEASURED[case]
    }
    boots = THREE if one_host else [f"{side}{number}" for number in range(3) for side in "az"]
    (setting,) = judged(legs, boots=boots, disks=("s1", "d1", "s2", "d2", "s3", "d3")).settings
    said = setting.bottleneck
    assert said and said.limit == ("sink_disk" if sinks else "source_disk")
    disk = f"host-{boots[2 * place + sinks]} /mnt/{'d' if sinks else 's'}{place + 1}"
    uneven = [one for one in said.evidence if one.code == "uneven_disks"]
    assert len(uneven) == 1 and uneven[0].message.startswith(f"The disk {disk} ")
    assert uneven[0].figures["slowest_bytes_per_s"] == pytest.approx(80e6 / ratio, rel=0.01)
    if case != "to memory":  # the slowest pair decides
        assert said.sentence == f"The disk {disk} limits the transfer."
    if case == "all parts":
        assert setting.expected_bytes_per_s == pytest.approx(240e6 / ratio, rel=0.01)


def test_directories_of_one_disk_are_measured_over_the_time_of_the_disk() -> None:
    """It gives 100 MB/s to two readers, of which one gets more until it has ended."""
    reads = [
        together(
            both("read", 75 * MB * one, seconds=1000 / 75 / one),
            both("read", 50 * MB * one, seconds=20 / one, course=[25 * MB] * 2 + [100 * MB]),
            both("read", 140 * MB * one, seconds=1000 / 140 / one),
        )
        for one in FACTORS
    ]
    rest: dict[Leg, Sequence[float]] = {
        "memory": (900, 900, 900),
        "write": (500, 500, 500),
        "disk": (50, 50, 100),
    }
    legs: dict[Leg, list[Ends]] = {
        leg: [moved(leg, *rates, factor=one) for one in FACTORS] for leg, rates in rest.items()
    }
    legs["read"] = reads
    result = judged(legs, boots=THREE, disks=("s1", "d1", "s1", "d2", "s2", "d3"))
    said = result.settings[0].bottleneck
    assert said and said.sentence == "The disk host-a /mnt/s1 limits the transfer."
    # not the 125 MB/s that both readers reached, each in its own time
    assert said.evidence[-1].figures["slowest_bytes_per_s"] == pytest.approx(100e6, rel=0.01)


def test_of_disks_that_are_read_and_written_at_once_the_slow_one_is_named() -> None:
    of_legs: dict[Leg, Sequence[float]] = {
        "read": (200, 40, 200, 200),
        "memory": (900, 900, 900, 900),
        "write": (40, 200, 200, 200),
        "disk": (20, 20, 100, 100),
    }
    legs: dict[Leg, list[Ends]] = {
        leg: [moved(leg, *rates, factor=one) for one in FACTORS] for leg, rates in of_legs.items()
    }
    boots, disks = ("a", "z", "z", "a") * 2, ("s1", "d1", "d1", "s1", "s2", "d2", "d2", "s2")
    found = judged(legs, boots=boots, disks=disks, full_duplex=True)
    said = found.settings[0].bottleneck
    assert said and said.limit == "shared_disk"
    assert said.sentence == "The disk host-z /mnt/d1 limits the transfer."


def test_two_pairs_that_fill_the_cards_between_two_hosts_fill_one_link() -> None:
    # the cards of 10 Gb/s at both ends carry 1250 MB/s
    found = sides({"memory": (600, 600)})
    said = found.settings[0].bottleneck
    assert said and (said.limit, said.others) == ("link", [])
    assert any("All pairs together move 96.0 % of the link" in one.message for one in said.evidence)
    apart = sides({"memory": (600, 600)}, boots=("a", "z", "b", "z"))
    assert apart.settings[0].bottleneck and apart.settings[0].bottleneck.limit == "sink_card"


def test_a_link_that_its_pairs_share_unevenly_carries_their_sum() -> None:
    """What the slower pair leaves, the other one uses: both move 100 MB/s in each leg."""
    legs: dict[Leg, list[Ends]] = {
        "read": [moved("read", 300, 300, factor=one) for one in FACTORS],
        "memory": [
            together(*(both("memory", rate * factor * MB) for rate in (70, 30)))
            for factor in FACTORS
        ],
        "write": [moved("write", 300, 300, factor=one) for one in FACTORS],
        "disk": [moved("disk", 50, 50, factor=one) for one in FACTORS],
    }
    (setting,) = judged(legs, boots=BOOTS, disks=DISKS).settings
    assert setting.expected_bytes_per_s == pytest.approx(100 * MB, rel=0.01)
    assert setting.efficiency == pytest.approx(1.0, abs=0.01)
    assert setting.bottleneck and setting.bottleneck.limit == "network"
    # over links of their own, the slowest pair would decide
    (apart,) = judged(legs, boots=("a", "y", "b", "z"), disks=DISKS).settings
    assert apart.expected_bytes_per_s == pytest.approx(60 * MB, rel=0.01)


def test_pairs_on_one_line_have_one_view_of_its_queue() -> None:
    """Of a full queue one pair may see little: it is the same queue, with the same losses."""

    def ends(idle_ms: float, loaded_ms: float) -> Ends:
        streams = [stream(rtt_ns=round(loaded_ms * 1e6), bytes_retrans=5 * 10**6)]
        return both("memory", 6 * MB, seconds=60, rtt_idle_ns=round(idle_ms * 1e6), streams=streams)

    pairs = ends(20, 30), ends(27, 28)
    (setting,) = judged({"memory": [together(*pairs)]}, boots=BOOTS, disks=DISKS).settings
    assert setting.bottleneck and setting.bottleneck.limit == "link"
    # over lines of their own, each pair has its own limit
    (apart,) = judged({"memory": [together(*pairs)]}, boots=("a", "y", "b", "z")).settings
    assert apart.bottleneck and set(apart.bottleneck.others) == {"link", "loss"}


def test_sources_on_one_device_are_one_disk_that_reads_all_of_their_data() -> None:
    """The device reads 40 MB/s: what is left at 25 + 15 MB/s, the second one reads alone."""
    rates: dict[Leg, Sequence[float]] = {
        "read": (25, 20),
        "memory": (90, 90),
        "write": (90, 90),
        "disk": (20, 20),
    }
    (setting,) = sides(rates, disks=("s1", "d1", "s1", "d2")).settings
    assert setting.expected_bytes_per_s == pytest.approx(40 * MB, rel=0.01)
    # and they are one disk
    said = setting.bottleneck
    assert said and said.sentence == "The source's disk limits the transfer."


def test_the_hosts_of_several_pairs_count_once_and_their_streams_all() -> None:
    busy = HostLoad(0.9, 0.3, 0.3, 0.1, 0.0, 0, 0)
    pairs = together(*(both("memory", 100 * MB, load=busy, cpu_ns=10**9) for _ in range(2)))
    found = judged({"memory": [pairs]}, boots=BOOTS, disks=DISKS)
    (trial,) = found.legs[0].trials
    assert trial.sender and trial.sender.load == busy
    assert trial.sender.own_cores == pytest.approx(0.2)
    assert trial.link and trial.link.streams == 2
    assert found.scorecard and found.scorecard.link_bits_per_s == 10 * 10**9


def test_the_report_gives_streams_per_pair_and_the_threads_of_each_disk() -> None:
    found = sides({"disk": (20, 20)}).model_dump(mode="json")
    report = KIND.report(found)
    assert report.rows[0][0] == "Disk to disk, 1 MiB, four streams per pair"
    assert "One thread reads host-a /mnt/s2, on s2." in report.sentences
    assert "One thread writes host-z /mnt/d1, on d1." in report.sentences
    alone = judged({"disk": [moved("disk", 20)]}).model_dump(mode="json")
    said = KIND.report(alone)
    assert said.rows[0][0] == "Disk to disk, 1 MiB, four streams"
    unknown = "One thread reads host-a /mnt/a, on devices that are unknown, and count as one."
    assert unknown in said.sentences


RATE = st.integers(min_value=10, max_value=400)


@settings(max_examples=25)
@given(read=RATE, memory=RATE, write=RATE, pairs=st.integers(min_value=2, max_value=4))
def test_even_pairs_are_judged_as_their_sum(read: int, memory: int, write: int, pairs: int) -> None:
    slowest = min(read, memory, write)
    rates = {"read": read, "memory": memory, "write": write, "disk": slowest}
    legs: dict[Leg, Sequence[float]] = {
        leg: [rate] * pairs for leg, rate in rates.items() if leg in rates
    }  # pyright: ignore[reportAssignmentType]
    disks = [f"{side}{number}" for number in range(pairs) for side in "sd"]
    (setting,) = sides(legs, boots=("a", "z") * pairs, disks=disks).settings
    assert setting.expected_bytes_per_s == pytest.approx(pairs * slowest * MB, rel=0.01)
    assert setting.efficiency == pytest.approx(1.0, abs=0.01)
    said = setting.bottleneck
    assert said is not None
    assert "source's disk" not in said.sentence and "sink's disk" not in said.sentence
