"""The result of a path: rates, flags, what limits it, and its headline."""

import json
from dataclasses import replace

import pytest
from assay.analysis import histogram
from assay.base.worded import plain
from assay.kinds.path.fields import Leg
from assay.kinds.path.result import PathHeadline, PathResult
from assay.kinds.run_record import HostLoad
from kinds.tables import rows_of

from .simulated import (
    KIND,
    MB,
    NO_STRANGERS,
    Ends,
    attempt,
    both,
    judged,
    stage,
    stream,
    together,
)


def path(read: float, memory: float, write: float, disk: float, **last: object) -> PathResult:
    rates: dict[Leg, float] = {"read": read, "memory": memory, "write": write, "disk": disk}
    legs: dict[Leg, list[Ends]] = {
        leg: [
            both(leg, rate * MB * factor, **(last if leg == "disk" else {}))
            for factor in (0.995, 1, 1.005)
        ]
        for leg, rate in rates.items()
    }
    return judged(legs)


def headline(result: PathResult) -> PathHeadline:
    assert result.headline
    return result.headline


def test_the_headline_has_rate_efficiency_and_limit() -> None:
    result = path(800, 1200, 550, 540)
    found = headline(result)
    assert found.bytes_per_s == pytest.approx(540 * MB)
    assert found.tb_per_hour == pytest.approx(1.944)
    assert found.efficiency == pytest.approx(540 / 550)
    assert (found.limit, found.no_result) == ("sink_disk", None)
    assert result.scorecard and result.scorecard.meets
    assert result.scorecard.required_tb_per_hour == pytest.approx(1.0)
    assert [leg.rate for leg in result.legs] == ["application", "application", *["durable"] * 2]


def test_the_rate_of_a_transfer_is_that_of_the_receiver_up_to_the_sync() -> None:
    ends = attempt("sender", "disk", 900 * MB), attempt("receiver", "disk", 500 * MB, sync_s=2.5)
    (leg,) = judged({"disk": [ends]}).legs
    assert leg.application and leg.application.mean == pytest.approx(500 * MB)
    assert leg.durable and leg.durable.mean == pytest.approx(400 * MB)


def test_a_transfer_that_spent_its_time_in_the_final_sync_is_limited_by_the_sink() -> None:
    stages = {"stages": [stage("send", 0.05, empty=0.95)]}
    ends = (
        attempt("sender", "disk", 400 * MB, **stages),
        attempt("receiver", "disk", 400 * MB, sync_s=90.0),
    )
    (setting,) = judged({"disk": [ends]}).settings
    assert setting.bottleneck and setting.bottleneck.limit == "sink_disk"
    (reason,) = setting.bottleneck.evidence
    assert reason.code == "final_sync" and reason.figures["share"] == pytest.approx(0.9)


def test_the_ramp_up_counts_in_no_rate() -> None:
    ends = both("memory", 1000 * MB, ramp_s=5)
    (leg,) = judged({"memory": [ends]}).legs
    assert leg.application and leg.application.mean == pytest.approx(1000 * MB)


def test_data_that_did_not_reach_the_device_has_no_headline() -> None:
    receiver = attempt("receiver", "disk", 900 * MB, device=0.6)
    receiver = replace(receiver, result={**(receiver.result or {}), "sync": "bounded"})
    result = judged({"disk": [(attempt("sender", "disk", 900 * MB), receiver)]})
    assert headline(result).no_result == "cache_inflated"
    assert headline(result).bytes_per_s is None
    (trial,) = result.legs[0].trials
    assert trial.inflated and trial.inflated.code == "device_bytes"
    assert result.settings[0].bottleneck is None


def test_repeats_that_a_cache_inflates_are_told_beside_those_that_count() -> None:
    faded = attempt("receiver", "disk", 700 * MB, course=[900e6] * 3 + [500e6] * 3)
    honest = [both("disk", rate * MB) for rate in (400, 410)]
    result = judged({"disk": [(attempt("sender", "disk", 700 * MB), faded), *honest]})
    (leg,) = result.legs
    assert plain(leg.repeats) == "2, CV 1.75 %; 1 inflated by cache, not counted"
    assert [one.left_out for one in leg.trials] == [{"durable": "inflated_by_cache"}, {}, {}]
    assert leg.durable and leg.durable.mean == pytest.approx(405 * MB)


def test_a_counter_that_misses_synced_data_accuses_no_cache() -> None:
    ends = attempt("sender", "disk", 900 * MB), attempt("receiver", "disk", 900 * MB, device=0.6)
    result = judged({"disk": [ends]})
    (trial,) = result.legs[0].trials
    assert trial.inflated is None
    assert trial.served_by and trial.served_by.source == "unknown"
    assert headline(result).bytes_per_s == pytest.approx(900 * MB)


def test_an_unreliable_faster_setting_leaves_the_headline_of_a_sound_one() -> None:
    too_short = both("memory", 1200 * MB, seconds=0.5)
    result = judged({"memory": [both("memory", 1000 * MB)]}, {8: {"memory": [too_short]}})
    assert [one.transfer_bytes_per_s for one in result.settings] == [1000 * MB, 1200 * MB]
    assert (headline(result).streams, headline(result).bytes_per_s) == (4, 1000 * MB)


def test_no_scorecard_and_no_best_rate_are_claimed_from_a_rate_that_is_no_result() -> None:
    result = judged({"memory": [both("memory", 1200 * MB, seconds=0.5)]})
    assert headline(result).no_result == "unreliable"
    assert result.scorecard is None
    assert KIND.outcome(result).metric is None


def test_a_card_that_is_slower_than_the_data_has_only_a_nominal_speed() -> None:
    result = judged({"memory": [both("memory", 9000 * MB)]})
    assert headline(result).limit != "link"
    assert result.scorecard and result.scorecard.meets is None


def test_a_transfer_that_fades_has_no_headline() -> None:
    course = [900e6] * 3 + [500e6] * 3
    ends = attempt("sender", "disk", 700 * MB), attempt("receiver", "disk", 700 * MB, course=course)
    result = judged({"disk": [ends]})
    assert headline(result).no_result == "cache_inflated"


def test_foreign_io_on_either_disk_flags_the_trial_and_leaves_no_headline() -> None:
    for role in ("sender", "receiver"):
        other = "receiver" if role == "sender" else "sender"
        ends = {
            role: attempt(role, "disk", 100 * MB, others=900 * MB),
            other: attempt(other, "disk", 100 * MB),
        }
        result = judged({"disk": [(ends["sender"], ends["receiver"])]})
        (trial,) = result.legs[0].trials
        assert "contended" in [flag.code for flag in trial.flags]
        assert trial.flags[0].evidence.startswith(role.capitalize())
        assert headline(result).no_result == "unreliable"


def test_a_suspended_end_is_no_rate() -> None:
    ends = attempt("sender", "disk", 100 * MB), attempt("receiver", "disk", 1, status="suspended")
    result = judged({"disk": [ends]})
    assert headline(result).no_result == "not_measured"
    assert [flag.code for flag in result.legs[0].trials[0].flags] == ["suspended"]


def test_an_end_that_never_gets_its_cpu_is_the_limit() -> None:
    ends = attempt("sender", "disk", 100 * MB), attempt("receiver", "disk", 1, status="starved")
    result = judged({"disk": [ends]})
    assert headline(result).limit == "receiver_cpu"


def test_a_saturated_core_explains_a_transfer_below_its_parts() -> None:
    busy = HostLoad(0.99, 0.2, 0.6, 0.1, 0.0, 0, 0)
    result = path(800, 1200, 700, 400, load=busy, cpu_ns=12 * 10**9)
    assert result.settings[0].bottleneck
    assert list(result.settings[0].bottleneck.others) == ["receiver_cpu", "sender_cpu"]


def test_the_stages_tell_which_disk_a_transfer_waited_for() -> None:
    stages = [stage("receive", 0.2, full=0.8), stage("write", 1.0)]
    result = path(800, 1200, 700, 400, stages=stages)
    assert headline(result).limit == "sink_disk"


@pytest.mark.parametrize(("rtt_ns", "limit"), [(10**7, "receive_buffer"), (10**5, "receiver_cpu")])
def test_a_closed_window_with_room_in_the_ring_is_a_small_buffer_or_a_slow_reader(
    rtt_ns: int, limit: str
) -> None:
    """Four streams of 100 MB/s have 1 MB each in flight over 10 ms, as much as the buffer."""
    streams = [stream(rwnd_limited_ns=9 * 10**9, rtt_ns=rtt_ns)] * 4
    result = path(800, 1200, 700, 400, streams=streams)
    assert headline(result).limit == limit
    assert result.legs[-1].trials[0].link
    assert result.legs[-1].trials[0].link.receive_window_limited == pytest.approx(0.9)


def test_wrong_data_is_no_rate_and_a_warning() -> None:
    result = judged({"memory": [both("memory", 100 * MB, crc_errors=2)]})
    assert headline(result).no_result == "wrong_data"
    assert "wrong_data" in [one.code for one in result.warnings]


def test_digests_that_differ_are_wrong_data() -> None:
    ends = both("memory", 100 * MB, digest="a1", peer_digest="b2")
    assert headline(judged({"memory": [ends]})).no_result == "wrong_data"


def test_rejected_strangers_are_reported() -> None:
    refused = {"accepted": 4, **NO_STRANGERS, "rejected_token": 3}
    receiver = attempt("receiver", "memory", 100 * MB, connections=refused)
    ends = attempt("sender", "memory", 100 * MB), receiver
    (warning,) = judged({"memory": [ends]}).warnings
    assert (warning.code, warning.figures["connections"]) == ("rejected_connections", 3.0)


def test_one_disk_under_both_ends_is_noticed() -> None:
    result = judged({"disk": [both("disk", 100 * MB)]}, boots=("a", "a"))
    assert result.same_host and result.shared_device


def test_a_run_without_any_result_has_no_headline() -> None:
    result = judged({"disk": [(None, None)]})
    assert result.headline is None
    assert KIND.outcome(result).headline is None


def test_the_result_survives_json_and_reads_as_text_and_csv() -> None:
    result = path(800, 1200, 550, 540)
    again = PathResult.model_validate(json.loads(result.model_dump_json()))
    assert again == result
    report = KIND.report(json.loads(result.model_dump_json()))
    assert "The sink's disk limits the transfer." in report.sentences
    assert len(rows_of(result)) == 4 * 3


def test_each_of_several_settings_is_named_with_its_limit_in_the_text() -> None:
    result = judged(
        {"memory": [both("memory", 1000 * MB)]}, {8: {"memory": [both("memory", 900 * MB)]}}
    )
    said = KIND.report(result.model_dump(mode="json")).sentences
    assert "1 MiB, eight streams: The network or the processing of its packets limits" in str(said)
    assert len([one for one in said if "limits the transfer" in one]) == 2


def test_two_paths_compare_by_their_transfers_and_legs() -> None:
    fast, slow = path(800, 1200, 550, 540), path(800, 1200, 330, 325)
    found = KIND.compare([fast, slow])
    assert found.answer == "a_faster"
    assert found.ratio == pytest.approx(540 / 325)
    assert {one.leg: one.answer for one in found.legs}["memory"] == "within_noise"


def told(calls_ns: int, *, count: int = 1000, sync_ns: int = 0) -> dict[str, object]:
    """Return what a probe reports of small files: half the time to open, half to close them."""
    each = calls_ns // 2 // count
    hist = [[histogram.index(each), count]]
    one = {"count": count, "sum_ns": calls_ns // 2, "max_ns": 10 * each, "hist": hist}
    return {"open": one, "close": one, "sync_ns": sync_ns}


def small_files_to(calls_ns: int, *, sync_s: float = 2.5) -> Ends:
    """Return the ends of a transfer of 5 GB whose small files took this long at the sink."""
    sender = attempt(
        "sender", "disk", 500 * MB, stages=[stage("read", 0.5)], small_files=told(10**9)
    )
    receiver = attempt(
        "receiver",
        "disk",
        500 * MB,
        sync_s=sync_s,
        stages=[stage("receive", 0.1), stage("write", 0.9)],
        small_files=told(calls_ns, sync_ns=2 * 10**9),
    )
    return sender, receiver


def test_small_files_have_a_rate_and_the_times_of_their_calls() -> None:
    (leg,) = judged({"disk": [small_files_to(6 * 10**9)]}).legs
    (trial,) = leg.trials
    assert (trial.files, trial.files_per_s) == (1000, pytest.approx(1000 / 12.5))
    assert leg.files_per_s and leg.files_per_s.mean == pytest.approx(80)
    assert trial.receiver and trial.receiver.files and trial.sender and trial.sender.files
    found = trial.receiver.files
    assert found.open.median_ns == pytest.approx(3_000_000, rel=0.01)
    assert found.open.p99_ns == pytest.approx(3_000_000, rel=0.01)
    assert (found.open.count, found.open.mean_ns) == (1000, 3_000_000)
    assert found.close.max_ns == 30_000_000
    # nine seconds of calls and 2.5 of syncs, two of them of the small files
    assert found.own_share == pytest.approx(6 / 11.5)
    assert found.sync_share == pytest.approx(2 / 11.5)
    assert trial.sender.files.own_share == pytest.approx(1 / 5)


def test_the_limit_of_a_sink_of_small_files_is_what_they_cost() -> None:
    def limit(calls_ns: int) -> str | None:
        legs: dict[Leg, list[Ends]] = {
            "read": [both("read", 900 * MB)] * 3,
            "memory": [both("memory", 1200 * MB)] * 3,
            "write": [(None, small_files_to(calls_ns)[1])] * 3,
            "disk": [small_files_to(calls_ns)] * 3,
        }
        return headline(judged(legs)).limit

    assert limit(8 * 10**9) == "sink_files"
    assert limit(3 * 10**9) == "undetermined"


def test_small_files_are_in_the_report_the_table_and_the_metrics() -> None:
    result = judged({"disk": [small_files_to(6 * 10**9)]}, length=10**9)
    again = PathResult.model_validate(json.loads(result.model_dump_json()))
    assert again == result
    (said,) = [s for s in KIND.report(result.model_dump(mode="json")).sentences if "small" in s]
    assert "1000 small files, 80.0 per second" in said
    assert "create at the sink 3.00 ms (median)" in said
    (figures,) = rows_of(result)
    assert float(figures["files_per_s"]) == pytest.approx(80)
    assert float(figures["sink_create_p99_ns"]) == pytest.approx(3e6, rel=0.01)
    measured = {one.name: one.read(result, {}).value for one in KIND.metrics}
    assert measured["path.files_per_s"] == pytest.approx(80)
    assert measured["path.create.p99"] == pytest.approx(3e6, rel=0.01)
    assert measured["path.open.p99"] == pytest.approx(500_000, rel=0.01)
    assert measured["path.close.p99"] == pytest.approx(3e6, rel=0.01)


def test_the_99th_percentile_of_few_files_is_unknown() -> None:
    ends = both("read", 500 * MB, stages=[stage("read", 0.5)], small_files=told(10**6, count=99))
    (leg,) = judged({"read": [ends]}).legs
    assert leg.trials[0].sender and leg.trials[0].sender.files
    assert leg.trials[0].sender.files.open.p99_ns is None


def test_the_small_files_of_all_pairs_are_summed() -> None:
    pairs = together(small_files_to(10**9), small_files_to(10**9))
    (leg,) = judged({"disk": [pairs]}, boots=("a", "b", "c", "d")).legs
    (trial,) = leg.trials
    assert [one.files for one in trial.pairs] == [1000, 1000]
    assert trial.files == 2000
    assert trial.files_per_s == pytest.approx(2000 / 12.5, rel=0.01)


@pytest.mark.parametrize(("factors", "varies"), [((0.7, 1, 1.3), True), ((0.95, 1, 1.05), False)])
def test_repeats_that_vary_too_much_are_a_limitation(
    factors: tuple[float, ...], varies: bool
) -> None:
    found = judged({"disk": [both("disk", 500 * MB * factor) for factor in factors]})
    said = [one for one in found.warnings if one.code == "unstable"]
    assert bool(said) == varies
    for one in said:
        assert one.rate == "durable"
        assert one.figures["coefficient_of_variation"] == pytest.approx(0.3)
        assert one.message == (
            "Disk to disk, 1 MiB, four streams: The durable rate varies by 30.0 % (standard "
            "deviation ÷ mean) from repeat to repeat."
        )
