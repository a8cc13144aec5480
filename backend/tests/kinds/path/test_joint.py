"""Several pairs of source and sink in one run: the aggregate, the shares, and what limits them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from assay.kinds.path.fields import Leg
from assay.kinds.path.figures import PathTrial
from assay.kinds.path.result import PathResult
from assay.kinds.path.settings import PathSetting
from assay.kinds.run_record import AttemptRecord, HostLoad
from kinds.tables import rows_of

from .simulated import KIND, MB, NO_STRANGERS, Ends, attempt, both, judged, stage, stream, together

THREE_TO_ONE = ("a", "z", "b", "z", "c", "z")
RATES = (100, 200, 300)


def measured(
    *legs: Leg, rates: Sequence[float] = RATES, boots: Sequence[str] = THREE_TO_ONE, **given: object
) -> PathResult:
    """Return three repeats of these legs at pairs of these rates in MB/s."""
    return judged(
        {
            leg: [
                together(*(both(leg, rate * MB * factor, **given) for rate in rates))
                for factor in (0.999, 1, 1.001)
            ]
            for leg in legs
        },
        boots=boots,
    )


def of_length(leg: Leg, *rates: float, size: float = 1000) -> Ends:
    """Return a trial in which each pair moves so many MB at its rate in MB/s."""
    return together(*(both(leg, rate * MB, seconds=size / rate) for rate in rates))


def trial(result: PathResult) -> PathTrial:
    return result.legs[0].trials[0]


def test_the_rate_of_all_pairs_is_their_sum_and_each_has_its_share() -> None:
    result = measured("memory")
    assert result.headline and (result.headline.pairs, result.headline.no_result) == (3, None)
    assert result.headline.bytes_per_s == pytest.approx(600 * MB)
    found = trial(result)
    assert [one.share for one in found.pairs] == pytest.approx([1 / 6, 2 / 6, 3 / 6])
    assert found.fairness == pytest.approx(36 / (3 * 14))
    assert found.slowest_pair == 0
    assert found.pairs[0].name == "host-a /mnt/a → host-z /mnt/z"
    assert [(one.sender_id, one.receiver_id) for one in found.pairs] == [(1, 2), (3, 4), (5, 6)]


def test_only_the_common_window_counts_in_the_rate_of_all() -> None:
    late = replace(
        attempt("receiver", "memory", 100 * MB, seconds=8), result=_started(2_000_000_000)
    )
    ends = [*both("memory", 100 * MB), attempt("sender", "memory", 100 * MB), late]
    found = trial(judged({"memory": [ends]}, boots=("a", "z", "b", "z")))
    assert found.window_ns == 8 * 10**9
    assert found.application_bytes_per_s == pytest.approx(200 * MB)
    assert [one.start_delay_ns for one in found.pairs] == [0, 2 * 10**9]


def _started(delay_ns: int, leg: Leg = "memory") -> dict[str, object]:
    plain = attempt("receiver", leg, 100 * MB).result or {}
    return {**plain, "start_delay_ns": delay_ns}


def test_a_durable_rate_of_all_pairs_is_up_to_the_last_sync() -> None:
    ends = of_length("disk", 100, 200)
    result = judged({"disk": [ends]}, boots=("a", "y", "b", "z"))
    found = trial(result)
    assert found.durable_bytes_per_s == pytest.approx(200 * MB)
    assert found.application_bytes_per_s == pytest.approx(300 * MB)
    assert [one.durable_bytes_per_s for one in found.pairs] == pytest.approx([100 * MB, 200 * MB])


@pytest.mark.parametrize(
    ("leg", "delay_ns", "flagged"),
    [
        ("memory", 6 * 10**9, True),  # under half of the longest, which should have ended with it
        ("memory", 4 * 10**9, False),
        ("disk_to_memory", 6 * 10**9, False),  # by length: the common window is long enough
        ("disk_to_memory", 9_100_000_000, True),  # under a second
    ],
)
def test_pairs_that_hardly_overlap_are_flagged_and_give_no_rate(
    leg: Leg, delay_ns: int, flagged: bool
) -> None:
    late = replace(attempt("receiver", leg, 100 * MB), result=_started(delay_ns, leg))
    ends = [*both(leg, 100 * MB), attempt("sender", leg, 100 * MB), late]
    result = judged({leg: [ends]}, boots=("a", "z") * 2)
    flags = trial(result).flags
    assert [flag.code for flag in flags] == ["short_overlap"] * flagged
    told = "All pairs were active at the same time for only "
    assert all(flag.evidence.startswith(told) for flag in flags)
    assert result.headline
    assert result.headline.no_result == ("unreliable" if flagged else None)


def test_each_pair_has_its_own_rate_over_its_own_time() -> None:
    """Three disks of 80, 20 and 80 MB/s, of which the slow one reads alone for three quarters."""
    ends = of_length("disk_to_memory", 80, 20, 80, size=300)
    result = judged({"disk_to_memory": [ends]}, boots=THREE_TO_ONE)
    found = trial(result)
    assert found.flags == []
    assert found.window_ns == 3_750_000_000
    assert found.application_bytes_per_s == pytest.approx(180 * MB)
    assert [one.own_bytes_per_s for one in found.pairs] == pytest.approx([80e6, 20e6, 80e6])
    assert [one.own_ns for one in found.pairs] == [3_750_000_000, 15 * 10**9, 3_750_000_000]
    assert result.headline and result.headline.bytes_per_s == pytest.approx(180 * MB)


def test_a_pair_keeps_its_own_rate_without_a_common_window() -> None:
    late = replace(attempt("receiver", "memory", 50 * MB), result=_started(20 * 10**9))
    ends = [*both("memory", 100 * MB), attempt("sender", "memory", 50 * MB), late]
    found = trial(judged({"memory": [ends]}, boots=("a", "z", "b", "z")))
    assert [one.application_bytes_per_s for one in found.pairs] == [None, None]
    assert [one.own_bytes_per_s for one in found.pairs] == pytest.approx([100e6, 50e6])


def test_flags_of_pairs_count_pairs() -> None:
    short = [both("memory", 100 * MB, seconds=seconds) for seconds in (0.5, 0.5, 10)]
    result = judged({"memory": [together(*short)]}, boots=("a", "z", "b", "z", "c", "z"))
    (flag,) = [one for one in trial(result).flags if one.code == "too_short"]
    assert flag.evidence.startswith("2 of 3 pairs. host-a /mnt/a → host-z /mnt/z: ")
    assert (flag.figures["flagged_pairs"], flag.figures["pairs"]) == (2, 3)


def test_a_trial_without_a_common_window_names_no_slowest_pair() -> None:
    late = replace(attempt("receiver", "memory", 100 * MB), result=_started(20_000_000_000))
    ends = [*both("memory", 100 * MB), attempt("sender", "memory", 100 * MB), late]
    found = trial(judged({"memory": [ends]}, boots=("a", "z", "b", "z")))
    assert (found.window_ns, found.fairness, found.slowest_pair) == (0, None, None)
    assert [one.sent_bytes_per_s for one in found.pairs] == [None, None]


def test_a_pair_that_becomes_faster_alone_was_not_ahead_of_its_receiver() -> None:
    """Both read one disk, which the second pair has for itself after five seconds."""
    stages = [stage("send", 0.1, empty=0.9), stage("receive", 1.0), stage("write", 0.5)]
    repeats = [
        together(
            both("disk", 100 * MB * factor, seconds=5, stages=stages),
            both("disk", 150 * MB, course=[100 * MB] * 5 + [200 * MB] * 5, stages=stages),
        )
        for factor in (0.999, 1, 1.001)
    ]
    result = judged({"disk": repeats}, boots=("a", "y", "a", "z"))
    sent = [one.sent_bytes_per_s for one in trial(result).pairs]
    assert sent == pytest.approx([99.9 * MB, 100 * MB])
    (setting,) = result.settings
    assert setting.bottleneck and setting.bottleneck.limit == "source_disk"


def test_a_sender_that_ends_before_its_receiver_was_ahead_in_the_window() -> None:
    pairs = [
        (
            attempt("sender", "disk_to_memory", 200 * MB, seconds=5),
            attempt("receiver", "disk_to_memory", 100 * MB),
        )
        for _ in range(2)
    ]
    found = trial(judged({"disk_to_memory": [together(*pairs)]}, boots=("a", "y", "b", "z")))
    assert found.sent_bytes_per_s == pytest.approx(400 * MB)


def on_card(
    name: str, ends: Ends, *, sent: int = 10**9, tx: int = 0, rx: int = 0
) -> Sequence[AttemptRecord | None]:
    """Return the ends of a pair on cards of this name, with what the counters of both moved."""
    found: list[AttemptRecord | None] = []
    for end in ends:
        assert end and end.result
        detail = end.result["detail"]
        card = detail["card"] | {"name": name, "tx_bytes": tx, "rx_bytes": rx}
        own = {"card": card, "streams": [stream(bytes_sent=sent)]}
        found.append(replace(end, result={**end.result, "detail": detail | own}))
    return found


def others(*pairs: Ends, boots: Sequence[str]) -> list[list[int | None]]:
    """Return what others moved through the cards of both ends of each pair."""
    found = trial(judged({"memory": [together(*pairs)]}, boots=boots))
    return [
        [one.sender and one.sender.others_bytes, one.receiver and one.receiver.others_bytes]
        for one in found.pairs
    ]


def test_the_data_of_other_pairs_on_a_card_is_not_that_of_others() -> None:
    ends = both("memory", 100 * MB)
    # 1 GB of each pair with its headers, and 200 MB of others
    seen = on_card("eth0", ends, rx=2_330_000_000, tx=1_065_000_000)
    (first, second) = others(seen, seen, boots=("a", "z", "b", "z"))
    assert first == second == [pytest.approx(83_000, rel=0.01), pytest.approx(200_165_746)]
    result = judged({"memory": [together(seen, seen)]}, boots=("a", "z", "b", "z"))
    assert [flag.code for flag in trial(result).flags] == ["contended"]
    assert "Receiver: Other traffic of 200 MB" in trial(result).flags[0].evidence


@pytest.mark.parametrize("entries", [(), ("a-1", "a-2", "a-3", "a-4")], ids=["one", "four"])
def test_the_entries_of_one_machine_are_not_others_to_each_other(entries: Sequence[str]) -> None:
    """Everything passes the card `lo` of the machine, under whichever name it was registered."""
    ends = both("memory", 100 * MB)
    seen = on_card("lo", ends, rx=2_200_000_000, tx=2_200_000_000)
    result = judged({"memory": [together(seen, seen)]}, boots=("z",) * 4, entries=entries)
    found = trial(result)
    assert found.flags == []
    assert {(one.source_host, one.sink_host) for one in found.pairs} == {
        (entries[0], entries[0]) if entries else ("host-z", "host-z")
    }


def test_the_data_of_a_pair_on_another_card_hides_no_traffic_of_others() -> None:
    ends = both("memory", 100 * MB)
    busy = on_card("eth0", ends, rx=1_265_000_000, tx=1_065_000_000)
    beside = on_card("eth1", ends, rx=1_065_000_000, tx=1_065_000_000)
    (first, second) = others(busy, beside, boots=("a", "z", "b", "z"))
    assert first[1] == pytest.approx(200_083_000, rel=0.001)
    assert second[1] == pytest.approx(83_000, rel=0.01)


def test_acknowledgements_of_a_pair_in_the_other_direction_are_no_traffic_of_others() -> None:
    """The host a sends 100 MB and receives 5 GB, whose acknowledgements leave by its card."""
    slow = on_card("eth0", both("memory", 10 * MB), sent=10**8, tx=106_500_000 + 160_000_000)
    fast = on_card("eth0", both("memory", 500 * MB), sent=5 * 10**9, rx=5_330_000_000)
    (first, _) = others(slow, fast, boots=("a", "z", "z", "a"))
    assert first[0] == 0


def test_parts_are_compared_at_the_pace_of_the_slowest_pair() -> None:
    legs: dict[Leg, list[Ends]] = {
        "read": [of_length("read", 20, 40, 40, size=size) for size in (999, 1000, 1001)],
        "memory": [
            together(*(both("memory", 500 * MB * factor) for _ in range(3)))
            for factor in (0.999, 1, 1.001)
        ],
        "write": [of_length("write", 60, 60, 60, size=size) for size in (999, 1000, 1001)],
        "disk": [of_length("disk", 20, 40, 40, size=size) for size in (999, 1000, 1001)],
    }
    (setting,) = judged(legs, boots=("a", "z", "b", "z", "c", "z")).settings
    assert setting.bottleneck and setting.bottleneck.limit == "source_disk"
    # three times what the slowest source gives: 60 MB/s
    assert setting.expected_bytes_per_s == pytest.approx(60 * MB)
    assert setting.efficiency == pytest.approx(1.0, abs=0.01)
    # of three, it is the slowest one
    assert setting.bottleneck.sentence == "The disk host-a /mnt/a limits the transfer."
    assert setting.bottleneck.evidence[-1].code == "uneven_disks"
    assert "the sources' disks" in setting.bottleneck.evidence[0].message


def unequal_pairs(read: Sequence[Ends], memory: Sequence[float], **given: object) -> PathSetting:
    """Return the setting of two pairs that read like this, with these rates between memories."""
    legs: dict[Leg, list[Ends]] = {
        "read": list(read),
        "memory": [
            together(*(both("memory", rate * MB * factor, **given) for rate in memory))
            for factor in (0.999, 1, 1.001)
        ],
        "write": [of_length("write", 500, 500, size=size) for size in (999, 1000, 1001)],
        "disk": [of_length("disk", 150, 150, size=size) for size in (999, 1000, 1001)],
    }
    (setting,) = judged(legs, boots=("a", "z", "b", "z")).settings
    return setting


def test_a_pair_that_reads_faster_once_the_other_has_ended_is_not_expected_to_be_slower() -> None:
    """Two readers of one array that gives 300 MB/s: 200 and 100, then 300 for the second one."""
    reads = [
        together(
            both("read", 200 * MB * factor, seconds=5),
            both("read", 150 * MB * factor, seconds=20 / 3, course=[100 * MB] * 3 + [300 * MB]),
        )
        for factor in (0.999, 1, 1.001)
    ]
    setting = unequal_pairs(reads, (1000, 1000))
    assert setting.expected_bytes_per_s == pytest.approx(300 * MB, rel=0.01)
    assert setting.efficiency == pytest.approx(1.0, abs=0.01)
    assert setting.bottleneck and setting.bottleneck.limit == "source_disk"


def test_pairs_that_share_a_full_card_get_what_an_ended_one_leaves() -> None:
    fast = [of_length("read", 900, 900, size=size) for size in (999, 1000, 1001)]
    card = {"name": "eth0", "speed_mbps": 2400, "mtu_bytes": 1500, "numa_node": None}
    shared = unequal_pairs(fast, (200, 95), card=card)
    assert shared.expected_bytes_per_s == pytest.approx(295 * MB)
    apart = unequal_pairs(fast, (200, 95))
    assert apart.expected_bytes_per_s == pytest.approx(190 * MB)


def test_the_writes_of_the_pairs_at_one_sink_are_no_io_of_others() -> None:
    rates = (100, 100, 100)
    pairs = [both("memory_to_disk", rate * MB) for rate in rates]
    # the counter of the sink's disk shows the bytes of all three
    seen = [(sender, _beside(receiver, 2 * 1000 * MB)) for sender, receiver in pairs]
    result = judged({"memory_to_disk": [together(*seen)]}, boots=THREE_TO_ONE)
    assert trial(result).flags == []
    alone = judged({"memory_to_disk": [seen[0]]}, boots=("a", "z"))
    assert "contended" in [flag.code for flag in trial(alone).flags]


def _beside(receiver: AttemptRecord | None, others: int) -> AttemptRecord:
    assert receiver and receiver.result
    seen = receiver.result["contention"]
    moved = {
        "dev_write_bytes": seen["dev_write_bytes"] + others,
        "others_write_bytes": others,
    }
    device = {
        name: receiver.result[name] + others for name in ("dev_app_bytes", "dev_durable_bytes")
    }
    return replace(receiver, result={**receiver.result, **device, "contention": seen | moved})


def test_a_cache_does_not_hide_behind_the_bytes_of_other_pairs() -> None:
    pairs = [both("memory_to_disk", 900 * MB) for _ in range(3)]
    # the device moved the bytes of one pair, and the sync ended before those of the others
    bounded = [
        (sender, replace(receiver, result={**(receiver.result or {}), "sync": "bounded"}))
        for sender, receiver in pairs
        if receiver
    ]
    result = judged({"memory_to_disk": [together(*bounded)]}, boots=THREE_TO_ONE)
    found = trial(result).inflated
    assert found and found.code == "device_bytes"
    assert found.figures["share"] == pytest.approx(1 / 3)
    assert result.headline and result.headline.no_result == "cache_inflated"


def test_the_cpu_of_the_sink_is_that_of_all_its_receivers() -> None:
    busy = HostLoad(0.99, 0.2, 0.6, 0.1, 0.0, 0, 0)
    # each receiver uses a third of a core, all together one
    result = measured("memory", rates=(100, 100, 100), load=busy, cpu_ns=3_500_000_000)
    (setting,) = result.settings
    assert setting.bottleneck and setting.bottleneck.limit == "receiver_cpu"
    apart = measured(
        "memory",
        rates=(100, 100, 100),
        boots=("a", "x", "b", "y", "c", "z"),
        load=busy,
        cpu_ns=3_500_000_000,
    )
    assert apart.settings[0].bottleneck
    assert apart.settings[0].bottleneck.limit == "network"


def test_the_cpu_of_a_host_is_that_of_its_ends_in_both_directions() -> None:
    busy = HostLoad(0.99, 0.2, 0.6, 0.1, 0.0, 0, 0)
    # each end uses a third of a core, both on each host two thirds
    both_ways = measured(
        "memory", rates=(100, 100), boots=("a", "z", "z", "a"), load=busy, cpu_ns=3_500_000_000
    )
    bottleneck = both_ways.settings[0].bottleneck
    assert bottleneck and {bottleneck.limit, *bottleneck.others} == {
        "undetermined",
        "sender_cpu",
        "receiver_cpu",
    }


def test_the_figures_of_one_host_are_those_of_all_its_ends() -> None:
    found = trial(measured("disk", stages=[stage("receive", 0.5, full=0.5), stage("write", 1.0)]))
    assert found.receiver and found.sender is None
    assert found.receiver.cpu_ns == 3 * 10**9
    receiving = found.receiver.stage("receive")
    assert receiving and (receiving.threads, receiving.full) == (3, 0.5)
    assert found.link and found.link.streams == 3


def test_the_scorecard_expects_of_the_slower_side_what_all_its_cards_have() -> None:
    card = measured("memory").scorecard
    assert card and card.link_bits_per_s == 10 * 10**9
    apart = measured("memory", boots=("a", "x", "b", "y", "c", "z")).scorecard
    assert apart and apart.link_bits_per_s == 30 * 10**9


def test_the_rejected_strangers_of_all_pairs_are_counted() -> None:
    def pair(strangers: int) -> Ends:
        connections = {"accepted": 4, **NO_STRANGERS, "rejected_token": strangers}
        receiver = attempt("receiver", "memory", 100 * MB, connections=connections)
        return attempt("sender", "memory", 100 * MB), receiver

    ends = together(pair(0), pair(2), pair(3))
    (warning,) = judged({"memory": [ends]}, boots=THREE_TO_ONE).warnings
    assert (warning.code, warning.figures["connections"]) == ("rejected_connections", 5.0)


def test_a_failed_pair_fails_the_trial() -> None:
    pairs = [both("memory", 100 * MB), both("memory", 100 * MB, status="failed")]
    result = judged({"memory": [together(*pairs)]}, boots=("a", "z", "b", "z"))
    found = trial(result)
    assert (found.status, found.application_bytes_per_s) == ("failed", None)
    assert [one.status for one in found.pairs] == ["complete", "failed"]


def test_a_scale_out_shows_what_each_end_reaches() -> None:
    (rates,) = KIND.joint_rates(measured("memory"))
    assert rates.cell == "memory-1048576x4"
    assert rates.application.bytes_per_s == pytest.approx(600 * MB)
    assert (rates.application.doubt, rates.durable) == (None, None)
    assert rates.slowest_participant_id == 1
    of_ends = {one.participant_id: one.bytes_per_s for one in rates.participants}
    assert of_ends[5] == of_ends[6] == pytest.approx(300 * MB)
    (one_to_many,) = KIND.joint_rates(measured("memory", boots=("a", "x", "a", "y", "a", "z")))
    assert one_to_many.slowest_participant_id == 2
    (alone,) = KIND.joint_rates(measured("memory", rates=(100,), boots=("a", "z")))
    assert [one.share for one in alone.participants] == [1.0, 1.0]


def test_a_sync_that_timed_out_bounds_the_durable_rate_of_a_scale_out_alone() -> None:
    pairs = [
        (sender, replace(receiver, result={**(receiver.result or {}), "sync": "bounded"}))
        for sender, receiver in [both("memory_to_disk", 100 * MB)] * 2
        if receiver
    ]
    result = judged({"memory_to_disk": [together(*pairs)]}, boots=("a", "y", "b", "z"))
    (rates,) = KIND.joint_rates(result)
    assert rates.durable and (rates.durable.doubt, rates.application.doubt) == ("bounded", None)


def test_the_csv_has_a_row_for_each_pair_after_that_of_all() -> None:
    rows = rows_of(measured("memory"))
    assert len(rows) == 3 * 4
    assert [row["source"] for row in rows[:4]] == [
        "",
        "host-a /mnt/a",
        "host-b /mnt/b",
        "host-c /mnt/c",
    ]
    assert float(rows[0]["application_bytes_per_s"]) == pytest.approx(599.4 * MB)
    assert float(rows[2]["share"]) == pytest.approx(1 / 3)
    assert float(rows[2]["own_bytes_per_s"]) == pytest.approx(199.8 * MB)
    assert (rows[0]["own_ns"], rows[2]["own_ns"]) == ("", "10000000000")


def test_a_host_whose_name_is_a_formula_is_text_in_the_csv() -> None:
    pairs = together(both("memory", 100 * MB), both("memory", 100 * MB))
    names = ("=1+1", "@sink", "-2", "+sink")
    result = judged({"memory": [pairs]}, boots=("a", "b", "c", "d"), entries=names)
    ends = [(row["source"], row["sink"]) for row in rows_of(result)]
    assert ends == [("", ""), ("'=1+1 /mnt/a", "'@sink /mnt/b"), ("'-2 /mnt/c", "'+sink /mnt/d")]


def test_the_report_names_each_pair_and_the_fairness() -> None:
    result = measured("memory").model_dump(mode="json")
    said = " ".join(KIND.report(result).sentences)
    assert "host-b /mnt/b → host-z /mnt/z 200 MB/s (33 %)" in said
    assert "in its own time: host-a /mnt/a → host-z /mnt/z 99.9 MB/s in 10.0 s, host-b" in said
    assert "fairness 0.857" in said
