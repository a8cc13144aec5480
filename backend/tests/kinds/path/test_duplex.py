"""Full duplex: both directions of a pair at the same time, from the parameters to the result."""

from collections.abc import Sequence
from typing import Any

import pytest
from assay.kinds.path.fields import Leg
from assay.kinds.path.result import PathResult
from assay.kinds.planning import Place
from assay.kinds.run_record import HostLoad
from kinds.tables import rows_of
from pydantic import ValidationError

from .simulated import KIND, MB, Ends, both, judged, together
from .test_parameters import GB, cautions, path, place, planned

BOTH_WAYS = ("a", "z", "z", "a")
NEAR = (0.999, 1, 1.001)


def duplex(**given: Any) -> Any:
    return path(full_duplex=True, **given)


def refused(test: Any, source: Place | None = None, sink: Place | None = None) -> list[str]:
    _, problems = KIND.plan_transfer(
        0, test, source or place(1), sink or place(2), lambda _, field: field
    )
    assert all(one.remedy for one in problems)
    return [one.field for one in problems]


def measured(*legs: Leg, rates: Sequence[float], boots: Sequence[str] = BOTH_WAYS) -> PathResult:
    """Return three repeats of these legs, whose pairs reach these rates in MB/s."""
    trials: dict[Leg, list[Ends]] = {
        leg: [together(*(both(leg, rate * MB * factor) for rate in rates)) for factor in NEAR]
        for leg in legs
    }
    return judged(trials, boots=boots, full_duplex=True)


def test_both_ends_send_and_receive_in_one_run() -> None:
    one, other = place(1), place(2)
    parts = KIND.joined([planned(duplex(), one, other)])
    assert [(part.role, part.place.host_id) for part in parts] == [
        *(("sender", 1), ("receiver", 2)),
        *(("sender", 2), ("receiver", 1)),
    ]
    assert {part.parameters["full_duplex"] for part in parts} == {True}
    assert len(KIND.joined([planned(path(), one, other)])) == 2


def test_a_directory_has_room_for_the_files_of_both_directions() -> None:
    one, other = place(1, free_bytes=40 * GB), place(2)
    assert planned(path(length="free"), one, other).file_size == 40 * GB
    run = planned(duplex(length="free"), one, other)
    assert run.file_size == 20 * GB
    at_one = [part for part in KIND.joined([run]) if part.place == one]
    assert sum(part.peak_bytes for part in at_one) == 40 * GB


def test_the_place_that_listens_is_the_same_in_both_directions() -> None:
    parameters = planned(
        duplex(
            source_address="192.0.2.1", sink_address="192.0.2.2", source_cpus="0-3", sink_cpus="8"
        )
    ).parameters
    at_source = {"bind": "192.0.2.1", "peer": "192.0.2.2", "cpus": "0-3"}
    at_sink = {"bind": "192.0.2.2", "peer": "192.0.2.1", "cpus": "8"}
    # the sink listens: it receives in the first direction and sends in the second one
    assert KIND.own_fields(parameters, "sender", 0) == at_source | {"listener": "receiver"}
    assert KIND.own_fields(parameters, "receiver", 0) == at_sink | {"listener": "receiver"}
    assert KIND.own_fields(parameters, "sender", 1) == at_sink | {"listener": "sender"}
    assert KIND.own_fields(parameters, "receiver", 1) == at_source | {"listener": "sender"}
    one_way = parameters | {"full_duplex": False}
    assert KIND.own_fields(one_way, "sender", 1) == at_source | {"listener": "receiver"}


def test_full_duplex_without_a_leg_over_the_network_is_refused() -> None:
    with pytest.raises(ValidationError, match="no leg uses the network"):
        duplex(legs=["read", "write"])


def test_each_end_needs_a_disk_if_a_leg_reads_or_writes_one() -> None:
    memory = place(2, target_id=None, path=None)
    assert refused(path(legs=["read", "disk_to_memory"]), sink=memory) == []
    assert set(refused(duplex(legs=["read", "disk_to_memory"]), sink=memory)) == {"legs"}
    assert refused(duplex(legs=["memory"]), place(1, target_id=None), memory) == []


def test_caches_that_differ_between_the_directions_are_refused() -> None:
    buffered = place(2, direct="not_real")
    assert refused(path(legs=["disk"]), sink=buffered) == []
    assert refused(duplex(legs=["disk"]), sink=buffered) == ["source_cache", "sink_cache"]
    assert refused(duplex(legs=["memory"]), sink=buffered) == []
    assert refused(duplex(source_cache="page", sink_cache="page"), sink=buffered) == []


def test_the_place_that_listens_needs_a_port_for_each_direction() -> None:
    assert refused(path(port=9000)) == []
    assert refused(duplex(port=9000)) == ["last_port"]
    assert refused(duplex(port=9000, last_port=9001)) == []


def of_several(pairs: Sequence[tuple[Place, Place]], *, at_once: bool) -> list[str]:
    runs = [planned(duplex(), *pair) for pair in pairs]
    found = KIND.refused_of_several(runs, lambda _, field: field, at_once=at_once)
    return [one.field for one in found]


def test_a_mesh_and_pairs_that_are_each_others_reverse_are_refused() -> None:
    one, other, third = place(1), place(2), place(3)
    assert of_several([(one, other), (one, third)], at_once=True) == []
    assert of_several([(one, other), (other, one)], at_once=True) == ["full_duplex"]
    assert of_several([(one, other), (one, third)], at_once=False) == ["full_duplex"]


def test_a_warning_about_both_ends_is_given_once() -> None:
    device = {"device:8:0": "sda"}
    one = place(1, path="/mnt/b", needs=device)
    found = [
        caution
        for part in KIND.joined([planned(duplex(), one, place(1, target_id=2, needs=device))])
        for caution in part.cautions()
    ]
    codes = [caution.code for caution in found]
    assert codes.count("transfer_on_one_host") == codes.count("transfer_on_one_device") == 1
    assert "transfer_on_one_host" in cautions(planned(path(), place(1), place(1, target_id=2)))


def test_the_headline_is_the_sum_of_both_directions() -> None:
    result = measured("memory", rates=(600, 400))
    assert result.full_duplex
    headline = result.headline
    assert headline and (headline.pairs, headline.full_duplex) == (1, True)
    assert headline.bytes_per_s == pytest.approx(1000 * MB)
    (leg,) = result.legs
    forward, back = leg.directions
    assert forward.bytes_per_s and back.bytes_per_s
    assert forward.bytes_per_s.mean == pytest.approx(600 * MB)
    assert (forward.share, back.share) == pytest.approx((0.6, 0.4))
    assert forward.sources == back.sinks == ["host-a /mnt/a"]
    assert leg.slower_direction == 1
    assert result.scorecard is None, "the scorecard is about one direction"


def test_directions_that_noise_separates_have_no_slower_one() -> None:
    repeats = [
        together(both("memory", a * MB), both("memory", b * MB))
        for a, b in ((500, 520), (530, 500), (490, 505))
    ]
    (leg,) = judged({"memory": repeats}, boots=BOTH_WAYS, full_duplex=True).legs
    assert leg.slower_direction is None
    (leg,) = measured("memory", rates=(400, 600)).legs
    assert leg.slower_direction == 0


def test_the_directions_of_several_pairs_are_their_sums() -> None:
    boots = ("a", "z", "z", "a", "b", "z", "z", "b")
    result = measured("memory", rates=(100, 10, 200, 20), boots=boots)
    assert result.headline and result.headline.pairs == 2
    forward, back = result.legs[0].directions
    assert forward.bytes_per_s and back.bytes_per_s
    assert forward.bytes_per_s.mean == pytest.approx(300 * MB)
    assert back.bytes_per_s.mean == pytest.approx(30 * MB)
    assert forward.sources == ["host-a /mnt/a", "host-b /mnt/b"]
    assert back.sources == ["host-z /mnt/z"]


def test_a_cards_speed_is_that_of_each_direction() -> None:
    """1.2 GB/s each way over cards of 10 Gb/s: the line is full both ways, and not twice over."""
    (setting,) = measured("memory", rates=(1200, 1200)).settings
    assert setting.bottleneck
    assert setting.bottleneck.limit == "link"
    assert {one.code for one in setting.bottleneck.evidence} == {"line_rate"}
    assert "96.0 % of the link's speed" in setting.bottleneck.evidence[0].message
    (setting,) = measured("memory", rates=(600, 600)).settings
    assert setting.bottleneck and setting.bottleneck.limit == "network"


def test_the_pairs_that_send_from_one_host_share_its_card_in_their_direction_alone() -> None:
    boots = ("a", "z", "z", "a", "b", "z", "z", "b")
    (setting,) = measured("memory", rates=(600, 300, 600, 300), boots=boots).settings
    assert setting.bottleneck
    shares = [one.figures["share"] for one in setting.bottleneck.evidence]
    assert setting.bottleneck.evidence[0].code == "card_rate"
    assert shares == pytest.approx([0.96] * len(shares), abs=0.01)


def test_disks_that_are_read_and_written_at_once_limit_what_both_reach() -> None:
    """Each disk reads or writes 100 MB/s, and so moves 50 MB/s in each direction."""
    result = measured("read", "memory", "write", "disk", rates=(100, 100))
    assert result.shared_device
    one_way = judged(
        {leg: [both(leg, 100 * MB)] for leg in ("read", "memory", "write", "disk")},
        boots=("a", "z"),
    )
    assert not one_way.shared_device
    trials: dict[Leg, list[Ends]] = {
        leg: [together(*(both(leg, rate * MB * factor) for _ in range(2))) for factor in NEAR]
        for leg, rate in (("read", 100), ("memory", 900), ("write", 100), ("disk", 50))
    }
    (setting,) = judged(trials, boots=BOTH_WAYS, full_duplex=True).settings
    assert setting.bottleneck and setting.bottleneck.limit == "shared_disk"
    assert setting.expected_bytes_per_s == pytest.approx(100 * MB, rel=0.01)
    assert setting.bottleneck.sentence == (
        "The disks that sources and sinks share limit the transfer."
    )


def test_the_cpu_time_of_a_host_counts_once() -> None:
    load = HostLoad(0.4, 0.1, 0.2, 0.05, 0.05, 0, busy_ns=5 * 10**9)
    trials: dict[Leg, list[Ends]] = {
        "memory": [together(*(both("memory", 100 * MB, load=load) for _ in range(2)))]
    }
    (found,) = judged(trials, boots=BOTH_WAYS, full_duplex=True).deliveries()
    # two hosts of five seconds each, and 2 GB
    assert found.cpu_s_per_gb == pytest.approx(5.0)
    (alone,) = judged({"memory": [both("memory", 100 * MB, load=load)]}).deliveries()
    assert alone.cpu_s_per_gb == pytest.approx(10.0)


def one_way(rate: float) -> PathResult:
    return judged({"memory": [both("memory", rate * MB * factor) for factor in NEAR]}, boots="az")


def test_a_direction_is_compared_with_the_same_transfer_alone() -> None:
    compared = KIND.compare([measured("memory", rates=(600, 400)), one_way(1000)])
    (leg,) = compared.legs
    (found,) = leg.one_way
    assert (found.run, found.answer) == ("a", "slower")
    assert found.ratio == pytest.approx(0.6)
    assert (leg.ratio, leg.answer) == (pytest.approx(1.0), "within_noise")
    (found,) = KIND.compare([one_way(500), measured("memory", rates=(600, 400))]).legs[0].one_way
    assert (found.run, found.answer) == ("b", "faster")
    (leg,) = KIND.compare([one_way(500), one_way(500)]).legs
    assert leg.one_way == []


def test_the_opposite_transfer_is_compared_with_the_second_direction() -> None:
    back = judged({"memory": [both("memory", 800 * MB * factor) for factor in NEAR]}, boots="za")
    (found,) = KIND.compare([measured("memory", rates=(600, 400)), back]).legs[0].one_way
    assert found.sources == ["host-z /mnt/z"]
    assert found.ratio == pytest.approx(0.5)


def test_the_table_and_the_terminal_name_the_directions() -> None:
    result = measured("memory", rates=(600, 400))
    rows = rows_of(result)
    assert [row["direction"] for row in rows[:3]] == ["", "forward", "reverse"]
    (line,) = (
        one for one in KIND.report(result.model_dump(mode="json")).sentences if "full duplex" in one
    )
    assert "host-a /mnt/a → host-z /mnt/z 600 MB/s (60 %)" in line
    assert line.endswith("host-z /mnt/z → host-a /mnt/a is slower.")
