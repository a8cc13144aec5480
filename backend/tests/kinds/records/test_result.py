"""The result of a records test: rates, shares, counts, what was lost, cliffs and limits."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.path.bottleneck import Bottleneck
from assay.kinds.records.result import RecordsHeadline, RecordsResult
from assay.kinds.run_record import HostLoad, LeftFile
from kinds.staircases import of_records, of_seconds
from kinds.tables import rows_of

from .simulated import (
    KIND,
    MB,
    SECOND,
    WINDOW_S,
    courses,
    judged,
    memory,
    recount,
    row,
    stream,
    trial,
)


def headline(result: RecordsResult) -> RecordsHeadline:
    assert result.headline
    return result.headline


def test_rates_are_records_of_the_window_and_their_payload() -> None:
    result = judged(trial(1024), trial(1024, repeat=2))
    (cell,) = result.cells
    assert cell.records_per_s and cell.records_per_s.mean == pytest.approx(3_000_000)
    assert cell.bytes_per_s and cell.bytes_per_s.mean == pytest.approx(3_000_000 * 1024)
    assert headline(result).records_per_s == pytest.approx(3_000_000)
    assert headline(result).lost == 0
    assert [one.role for one in result.participants] == ["sender"] * 3 + ["receiver"]


def test_the_expansion_of_json_is_no_payload() -> None:
    total = 36_000_000 * 1024
    result = judged(trial(receiver={"stored_bytes": 2 * total}), format="json")
    (cell,) = result.cells
    assert cell.expansion == pytest.approx(2)
    assert cell.bytes_per_s and cell.stored_bytes_per_s
    assert cell.stored_bytes_per_s.mean == pytest.approx(2 * cell.bytes_per_s.mean)
    assert headline(result).bytes_per_s == cell.bytes_per_s.mean


def test_shares_and_fairness_are_those_of_the_receivers_window() -> None:
    (cell,) = judged(trial(each=(24_000_000, 8_000_000, 4_000_000))).cells
    (found,) = cell.trials
    assert [one.share for one in found.senders] == pytest.approx([24 / 36, 8 / 36, 4 / 36])
    assert found.slowest_participant_id == 3
    assert found.fairness == pytest.approx(36**2 / (3 * (24**2 + 8**2 + 4**2)))


@pytest.mark.parametrize(
    ("figures", "counted"),
    [
        ({"wrong": 2}, "wrong"),
        ({"missing": 3}, "missing"),
        ({"duplicates": 4}, "duplicate"),
    ],
)
def test_records_that_did_not_arrive_as_sent_leave_no_rate(
    figures: dict[str, int], counted: str
) -> None:
    result = judged(trial(rows={1: figures}))
    assert headline(result).no_result == "wrong_records"
    assert headline(result).records_per_s is None
    assert result.cells[0].counts
    assert getattr(result.cells[0].counts, counted) == next(iter(figures.values()))
    assert result.warnings[0].code == "wrong_records"
    assert result.warnings[0].figures[f"{counted}_records"] > 0


def test_records_that_the_file_does_not_hold_are_lost() -> None:
    rows = [row(place, 12_000_000) for place in range(3)]
    found = recount(rows)
    found["senders"][2] |= {"intact": 11_999_990, "missing": 10, "lost": 10}
    result = judged(trial(counted=found))
    assert headline(result).lost == 10
    assert headline(result).no_result == "wrong_records"
    (one,) = result.cells[0].trials
    assert [sender.counts and sender.counts.lost for sender in one.senders] == [0, 0, 10]


def test_nothing_is_claimed_of_a_file_that_was_not_read_back() -> None:
    for given in (trial(read_back=False), trial(counted=recount([], whole=False, error="EIO"))):
        result = judged(given)
        assert headline(result).lost is None
        assert headline(result).records_per_s == pytest.approx(3_000_000)


def test_memory_loses_what_was_acknowledged_and_is_not_intact() -> None:
    result = judged(trial(rows={0: {"intact": 11_999_999}}, read_back=False), medium="memory")
    assert headline(result).lost == 1


def left(*, end: int, missing: int = 0, gaps: list[list[int]] | None = None) -> LeftFile:
    """Return what a receiver left that had acknowledged 1000 records to each of two senders."""
    known = trial(each=(1000, 1000), statuses={0: "stopped", 1: "stopped"})
    counted = recount([row(0, 1000), row(1, 1000)])
    counted["senders"][1] |= {
        "intact": end - missing,
        "end": end,
        "missing": missing,
        "gaps": gaps or [],
    }
    return LeftFile(1, counted, [*known.deciding[:2], None])


@pytest.mark.parametrize(
    ("file", "lost"),
    [
        (left(end=1000), 0),
        (left(end=900), 100),
        (left(end=1200), 0),
        (left(end=900, missing=5, gaps=[[10, 15]]), 105),
        (left(end=1200, missing=30, gaps=[[10, 15], [1100, 1125]]), 5),
        (left(end=1200, missing=900, gaps=[[10, 15]]), None),
    ],
    ids=["all", "tail", "ahead", "tail-and-gap", "gap-below", "unknown"],
)
def test_what_a_killed_receiver_lost_is_counted_against_its_acknowledgements(
    file: LeftFile, lost: int | None
) -> None:
    result = judged(trial(each=(6000, 6000), left=[file]))
    (one,) = result.cells[0].trials[0].left
    assert (one.attempt, one.acknowledged, one.lost) == (1, 2000, lost)
    assert headline(result).lost == lost
    assert headline(result).no_result is None, "the repeated attempt was whole"
    (warning,) = result.warnings
    assert warning.code == "lost_records"
    if lost is not None:
        assert warning.figures == {"lost_records": lost, "acknowledged_records": 2000}


def cliff(device: list[float]) -> RecordsResult:
    """Return a trial of 12 s, 2 s of them warm-up, whose sink's memory is full after 6 s."""
    rates, dirty = [400e6] * 6 + [100e6] * 6, [*range(300 * MB, 1801 * MB, 300 * MB)]
    dirty += [1800 * MB] * 6
    ends = {"course": courses(rates, device), "memory": memory(dirty)}
    return judged(trial(ends=ends))


def test_the_moment_at_which_the_cache_is_exhausted_is_a_cliff() -> None:
    result = cliff([100e6] * 12)
    (one,) = result.cells[0].trials
    assert one.cliff and one.cliff.cause == "cache_exhausted"
    assert one.cliff.at_ns == pytest.approx(6 * SECOND)
    assert one.cliff.at_bytes == pytest.approx(2400 * MB)
    assert one.cliff.at_records == one.cliff.at_bytes // 1024
    assert one.cliff.dirty_bytes == 1800 * MB
    assert [level.from_ns for level in one.cliff.levels] == [0, 6 * SECOND]
    assert [level.from_ns for level in one.levels] == [2 * SECOND, 6 * SECOND]
    assert "cliff" in [flag.code for flag in one.flags]
    assert "The cache of the sink was exhausted" in one.cliff.message
    assert headline(result).limit == "sink_disk"
    levels = KIND.outcome(result).headline_levels
    assert levels and [one.bytes_per_s for one in levels] == pytest.approx([400 * MB, 100 * MB])


def test_memory_that_still_takes_in_a_little_after_the_fall_is_exhausted() -> None:
    (one,) = cliff([80e6] * 12).cells[0].trials
    assert one.cliff and one.cliff.cause == "cache_exhausted"


def test_a_fall_with_most_of_the_data_still_in_memory_has_another_cause() -> None:
    (one,) = cliff([60e6] * 12).cells[0].trials
    assert one.cliff and one.cliff.cause == "unknown"


def test_a_fall_that_the_disk_followed_accuses_no_cache() -> None:
    result = cliff([400e6] * 6 + [100e6] * 6)
    (one,) = result.cells[0].trials
    assert one.cliff and one.cliff.cause == "unknown"
    assert headline(result).limit != "sink_disk"


WINDOW_BY_DEGREES = [123e6] * 4 + [100e6, 80e6, 62e6, 50e6] + [40e6, 35e6, 31e6, 29.6e6]
"""Memory is full after four seconds of a window of ten, and the kernel slows down by degrees."""


def test_a_window_that_fades_is_flagged_although_no_moment_is_clear() -> None:
    result = judged(trial(ends={"course": courses(WINDOW_BY_DEGREES)}))
    (one,) = result.cells[0].trials
    assert one.cliff is None and one.no_cliff_within_bytes is None
    (flag,) = one.flags
    assert (flag.code, flag.rates) == ("cliff", ("application",))
    first, last = (123 * 2 + 100 + 80 / 3) / (10 / 3), (40 / 3 + 35 + 31 + 29.6) / (10 / 3)
    assert flag.figures["first_bytes_per_s"] == pytest.approx(first * MB)
    assert flag.figures["last_bytes_per_s"] == pytest.approx(last * MB)


@pytest.mark.parametrize(
    "metric", ["records.rate", "records.min", "records.payload", "cliff.after"]
)
def test_a_criterion_of_a_window_that_fades_does_not_pass(metric: str) -> None:
    """The mean is a rate that the storage no longer reached at the end."""
    result = judged(trial(ends={"course": courses(WINDOW_BY_DEGREES)}))
    read = {one.name: one for one in KIND.metrics}[metric].read
    found = read(result, {})
    assert [(doubt.code, doubt.bound) for doubt in found.doubts] == [("cliff", "upper")]


@pytest.mark.parametrize("metric", ["records.rate", "records.payload", "cliff.after"])
def test_a_repeat_that_fades_is_doubtful_beside_one_with_a_clear_fall(metric: str) -> None:
    clear = [123e6] * 10 + [30e6] * 14
    result = judged(
        trial(ends={"course": courses(clear)}),
        trial(repeat=2, ends={"course": courses(WINDOW_BY_DEGREES)}),
    )
    one, other = result.cells[0].trials
    assert one.levels and not one.faded
    assert other.cliff is None and other.faded
    read = {one.name: one for one in KIND.metrics}[metric].read
    assert ("cliff", "upper") in [(one.code, one.bound) for one in read(result, {}).doubts]


def test_a_repeat_that_fades_leaves_no_payload_without_a_fall() -> None:
    even = [300e6 + 1e6 * (n % 3) for n in range(24)]
    result = judged(
        trial(ends={"course": courses(even)}),
        trial(repeat=2, ends={"course": courses(WINDOW_BY_DEGREES)}),
    )
    read = {one.name: one for one in KIND.metrics}["cliff.after"].read
    assert read(result, {}).value is None


@pytest.mark.parametrize(
    "rates",
    [[400e6, 400e6, *[100e6] * 10], [100e6] * 12, [100e6, 90e6] * 6],
    ids=["fades in the warm-up", "level", "unsteady"],
)
def test_a_window_at_one_level_does_not_fade(rates: list[float]) -> None:
    (one,) = judged(trial(ends={"course": courses(rates)})).cells[0].trials
    assert one.faded is None


def test_a_level_rate_excludes_a_cliff_within_its_payload() -> None:
    even = [300e6 + 1e6 * (n % 3) for n in range(24)]
    result = judged(trial(ends={"course": courses(even)}))
    (one,) = result.cells[0].trials
    assert one.cliff is None and one.no_cliff_within_bytes == 36_000_000 * 1024


def test_a_paced_trial_excludes_no_cliff_and_has_latencies_of_records() -> None:
    even = [300e6 + 1e6 * (n % 3) for n in range(24)]
    paced = {"due_hist": [[500, 900], [600, 100]], "due_max_ns": 5 * MB, "due_unfinished": 7}
    given = trial(sender=paced, ends={"course": courses(even)})
    result = judged(given, rate_records_per_s=1_000_000)
    (one,) = result.cells[0].trials
    assert one.no_cliff_within_bytes is None
    assert one.due_unfinished == 21
    assert [point.share for point in one.latency] == [0.5, 0.9, 0.95, 0.99, 0.999, 1.0]
    assert one.latency[-1].ns == 5 * MB
    assert headline(result).limit == "pacing"


def busy(
    receive: float,
    check: float,
    write: float,
    cpu_s: int,
    *,
    limited: int = 0,
    sender: Mapping[str, Any] = {},
) -> RecordsResult:
    """Return a result whose receiver spent such shares of its three threads' time.

    The senders were limited by its window for `limited` of ten seconds.
    """
    ns = 3 * 12 * SECOND
    shares = {"receive": receive, "check": check, "write": write}
    rows = [
        {"name": name, "threads": 3, "bytes": 1, "full_ns": 0, "empty_ns": 0, "call_ns": ns * share}
        for name, share in shares.items()
    ]
    streams = [stream(rwnd_limited_ns=limited * SECOND)]
    receiver = {"stages": rows, "cpu_ns": cpu_s * SECOND}
    return judged(trial(receiver=receiver, sender={"streams": streams, **sender}))


def test_a_receiver_that_waits_in_writes_is_limited_by_its_disk() -> None:
    result = busy(0.1, 0.1, 0.8, 6, limited=9)
    (cell,) = result.cells
    assert cell.bottleneck and cell.bottleneck.limit == "sink_disk"
    assert "waited for its disk" in cell.bottleneck.evidence[0].message


def test_writes_that_use_the_cpu_accuse_no_disk() -> None:
    result = busy(0.1, 0.1, 0.8, 30)
    assert headline(result).limit == "undetermined"


def test_a_closed_window_accuses_the_buffer_only_if_the_receiver_waited_for_data() -> None:
    assert headline(busy(0.1, 0.1, 0.8, 30, limited=9)).limit == "undetermined"
    assert headline(busy(0.8, 0.1, 0.1, 6, limited=9)).limit == "receive_buffer"


def waiting(cpu_s: int, rtt_load_ns: int) -> Bottleneck:
    """Return the limit of senders that waited for acknowledgements, and a receiver for data.

    Idle, a round trip takes 150 µs.
    """
    send = {"name": "send", "threads": 1, "bytes": 1, "call_ns": 1, "full_ns": 9, "empty_ns": 0}
    sender = {"stages": [send], "streams": [stream(rtt_ns=rtt_load_ns)]}
    (cell,) = busy(0.8, 0.1, 0.1, cpu_s, sender=sender).cells
    assert cell.bottleneck
    return cell.bottleneck


def test_ends_that_wait_for_each_other_are_limited_by_the_wait_for_acknowledgements() -> None:
    found = waiting(6, rtt_load_ns=200_000)
    assert found.limit == "acknowledgements"
    assert found.sentence == "The wait for acknowledgements limits the transfer."
    said = " ".join(one.message for one in found.evidence)
    assert "90 % of the time for acknowledgements" in said and "63 % of the time for data" in said


@pytest.mark.parametrize(("cpu_s", "rtt_load_ns"), [(6, 5_000_000), (20, 200_000), (6, 0)])
def test_a_long_round_trip_or_a_busy_receiver_leaves_the_limit_open_with_that_evidence(
    cpu_s: int, rtt_load_ns: int
) -> None:
    found = waiting(cpu_s, rtt_load_ns)
    assert found.limit == "undetermined"
    assert [one.code for one in found.evidence] == ["acknowledgements"]
    assert "90 % of the time for acknowledgements" in found.evidence[0].message


def test_a_receiver_that_a_quota_held_is_limited_by_its_cpu() -> None:
    held = trial(ends={"disturbance": {"throttled_ns": 6 * SECOND, "cpu_lost_ns": 0}})
    assert headline(judged(held)).limit == "receiver_cpu"


def test_a_receiver_that_is_busy_with_packets_is_limited_by_its_cpu() -> None:
    packets = HostLoad(0.99, 0.05, 0.05, 0.4, 0.0, 0, 0)
    assert headline(judged(trial(ends={"load": packets}))).limit == "receiver_cpu"


def lossy(card: str) -> RecordsResult:
    """Return senders of 200 KB/s over 100 ms, one of whose packets in a hundred was lost."""
    lost = {"bytes_sent": 10**6, "bytes_retrans": 10**4, "rtt_ns": 100 * MB}
    there = {"name": card, "speed_mbps": None, "mtu_bytes": 1500, "numa_node": None}
    sender = {"streams": [stream(**lost)], "rtt_idle_ns": 100 * MB, "card": there}
    return judged(trial(each=[2400] * 3, sender=sender, receiver={"card": there}))


def test_loss_that_explains_the_rate_of_the_senders_is_the_limit() -> None:
    assert headline(lossy("eth0")).limit == "loss"


def test_nothing_is_lost_by_a_network_between_ends_on_one_host() -> None:
    assert headline(lossy("lo")).limit == "undetermined"


def test_cpus_for_which_ends_on_one_host_wait_are_not_those_of_others() -> None:
    waits = {"load": HostLoad(0.99, 0.4, 0.1, 0.0, 0.0, 0, 0)}
    waits |= {"disturbance": {"cpu_lost_ns": 9 * SECOND, "throttled_ns": 0}}
    given = trial(each=[12_000_000], ends=waits)
    assert headline(judged(given)).limit == "receiver_cpu"
    assert headline(judged(given, host="web-1")).limit == "undetermined"


def test_other_traffic_on_the_card_of_an_end_is_contention() -> None:
    """Each sender's streams sent 1 GB, which is 1.065 GB with all headers."""
    cards = [
        {"name": "eth0", "speed_mbps": None, "mtu_bytes": 1500, "numa_node": None} | counters
        for counters in ({"tx_bytes": 1_060_000_000}, {"rx_bytes": 4_200_000_000})
    ]
    given = trial(each=[1_000_000] * 3, sender={"card": cards[0]}, receiver={"card": cards[1]})
    (one,) = judged(given).cells[0].trials
    assert [(flag.code, flag.participant_id) for flag in one.flags] == [("contended", 4)]
    assert "Receiver log /mnt/log: Other traffic of 1." in one.flags[0].evidence
    assert [each.end and each.end.others_bytes for each in one.senders] == [0, 0, 0]


def test_an_end_that_was_suspended_leaves_no_rate() -> None:
    result = judged(trial(statuses={1: "suspended"}))
    assert headline(result).no_result == "not_measured"
    assert [flag.participant_id for flag in result.cells[0].trials[0].flags] == [2]


def test_senders_that_overlap_too_little_are_no_rate() -> None:
    given = trial()
    late = given.deciding[0]
    assert late is not None
    late = replace(late, result={**(late.result or {}), "start_delay_ns": 9 * SECOND})
    result = judged(replace(given, deciding=[late, *given.deciding[1:]]))
    assert headline(result).no_result == "unreliable"
    assert [flag.code for flag in result.cells[0].trials[0].flags] == ["short_overlap"]


def test_a_window_of_less_than_a_second_is_too_short() -> None:
    result = judged(trial(receiver={"window_ns": SECOND // 2}))
    assert headline(result).no_result == "unreliable"
    (flag,) = result.cells[0].trials[0].flags
    assert "`window_ms`" in flag.evidence


@pytest.mark.parametrize("result", [None, {}, {"detail": None}])
def test_a_trial_whose_receiver_reported_nothing_has_no_reliable_rate(result: Any) -> None:
    given = trial()
    *senders, receiver = given.deciding
    assert receiver
    found = judged(replace(given, deciding=[*senders, replace(receiver, result=result)]))
    (cell,) = found.cells
    assert (cell.records_per_s, cell.reliable) == (None, False)
    assert [flag.code for flag in cell.trials[0].flags] == ["too_short"]
    assert headline(found).no_result == "unreliable"


def test_connections_of_strangers_are_reported() -> None:
    strangers = {"accepted": 3, "rejected_token": 2, "rejected_address": 1}
    (warning,) = judged(trial(receiver={"connections": strangers})).warnings
    assert (warning.code, warning.figures) == ("rejected_connections", {"connections": 3.0})


def test_a_result_survives_storage_and_shows_as_text() -> None:
    result = judged(trial(10), trial(4096, each=(1_200_000,) * 3))
    again = RecordsResult.model_validate(json.loads(result.model_dump_json()))
    assert again == result
    report = KIND.report(json.loads(result.model_dump_json()))
    assert [cells[:2] for cells in report.rows] == [("10 B", "3 000 000"), ("4 KiB", "300 000")]
    rows = rows_of(result)
    assert len(rows) == 2 * 4, "all senders of a trial, and each"
    assert [one["sender_participant_id"] for one in rows[:4]] == ["", "1", "2", "3"]
    assert [one["records_intact"] for one in rows[:4]] == ["36000000", *["12000000"] * 3]
    assert float(rows[0]["window_ns"]) == WINDOW_S * SECOND


def test_memory_is_the_control_that_shows_what_the_disk_costs() -> None:
    disk = judged(*(trial(repeat=n, each=(4_000_000 + n,) * 3) for n in (1, 2, 3)))
    control = judged(
        *(trial(repeat=n, each=(12_000_000 + n,) * 3, read_back=False) for n in (1, 2, 3)),
        medium="memory",
    )
    found = KIND.compare([disk, control])
    assert (found.answer, found.differs) == ("b_faster", ["sink"])
    assert found.ratio == pytest.approx(1 / 3, rel=0.001)


def test_a_rate_that_memory_took_is_not_the_devices_although_the_sync_wrote_everything() -> None:
    (one,) = judged(trial(device=0.5)).cells[0].trials
    assert one.served_by and one.served_by.source == "page_cache"
    assert one.durable_served_by and one.durable_served_by.source == "device"


@pytest.mark.parametrize(("slowest", "varies"), [(6_000_000, True), (11_500_000, False)])
def test_repeats_that_vary_too_much_are_a_limitation(slowest: int, varies: bool) -> None:
    result = judged(trial(1024), trial(1024, repeat=2, each=(slowest, slowest, slowest)))
    said = [one for one in result.warnings if one.code == "unstable"]
    assert bool(said) == varies
    for one in said:
        assert one.figures["coefficient_of_variation"] == pytest.approx(0.471, abs=0.001)
        assert one.message == (
            "Records of 1 KiB: The application rate varies by 47.1 % (standard deviation ÷ mean) "
            "from repeat to repeat."
        )


def test_a_trial_far_below_its_repeats_is_named() -> None:
    usual = [12_000_000] * 3
    trials = [trial(each=[3_000_000] * 3, repeat=1), trial(each=usual, repeat=2)]
    (limit,) = [one for one in judged(*trials).warnings if one.code == "below_repeats"]
    assert limit.message.startswith("Repeat 1 reached 768 MB/s, 75.0 % below")
    assert "allocates its space at the first write" in limit.message
    several = judged(*trials, trial(4096, usual, repeat=1))
    (limit,) = [one for one in several.warnings if one.code == "below_repeats"]
    assert limit.message.startswith("Repeat 1 with records of 1 KiB reached")
    steady = judged(trial(each=usual, repeat=1), trial(each=usual, repeat=2))
    assert "below_repeats" not in {one.code for one in steady.warnings}


def test_a_level_after_the_window_is_none_of_its_levels() -> None:
    """100 MB/s in the warm-up of 2 s and the window of 8 s, and 20 while the senders end."""
    result = of_records(of_seconds((100 * MB, 10), (20 * MB, 2)), warm_up_s=2, window_s=8)
    (trial,) = result.trials
    assert trial.levels == []
    cut = of_records(of_seconds((100 * MB, 6), (20 * MB, 6)), warm_up_s=2, window_s=8)
    (trial,) = cut.trials
    assert [round(one.duration_ns / 1e9) for one in trial.levels] == [4, 4]


@pytest.mark.parametrize(("periods", "half_s"), [(4, 2.5), (5, 2.0)])
def test_a_window_that_alternates_does_not_fade(periods: int, half_s: float) -> None:
    """Its thirds differ by where a tooth ends."""
    steps = [*of_seconds((150 * MB, half_s), (30 * MB, half_s))] * periods
    (trial,) = of_records(steps, cv=0.03).trials
    assert trial.faded is None
