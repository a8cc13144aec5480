"""The parts of a transfer as their trials show them: reliable, disturbed, or helped by a cache."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from assay.kinds.path.bottleneck import Bottleneck
from assay.kinds.path.fields import Leg
from assay.kinds.path.metrics import METRICS
from assay.kinds.run_record import AttemptRecord
from assay.kinds.transfer.evidence import Limit

from .simulated import MB, Ends, attempt, both, judged

FAST = [1.61e9, 1.72e9]
BETWEEN_MEMORIES = [1.75e9, 2.43e9]
SLOW = [42.9 * MB, 41.9 * MB]


def limit_of(
    write: Sequence[float] = SLOW,
    more: Mapping[Leg, Mapping[str, Any]] | None = None,
    resident: Leg | None = None,
) -> Bottleneck:
    """Return what limits a transfer at 42.5 MB/s; `more` are readings of a leg's trials.

    The data of the leg `resident` was in the page cache of its source.
    """
    rates: dict[Leg, Sequence[float]] = {
        "read": FAST,
        "memory": BETWEEN_MEMORIES,
        "write": write,
        "disk": [42.6 * MB, 42.4 * MB],
    }
    legs: dict[Leg, list[Ends]] = {
        leg: [both(leg, rate, **(more or {}).get(leg, {})) for rate in each]
        for leg, each in rates.items()
    }
    for sender, _ in legs[resident] if resident else ():
        assert sender and sender.result
        sender.result["resident_pages"] = 98
    (setting,) = judged(legs).settings
    assert setting.bottleneck
    return setting.bottleneck


def test_two_repeats_show_a_disk_that_is_fifty_times_slower_than_the_network() -> None:
    found = limit_of()
    assert (found.limit, list(found.others), found.rule) == ("sink_disk", [], "slowest_part")
    assert found.efficiency == pytest.approx(1.0, abs=0.01)
    assert "limits the transfer" in found.sentence


def test_a_slowest_disk_that_others_used_may_be_faster() -> None:
    found = limit_of(more={"write": {"others": 400 * MB}})
    assert (found.limit, found.rule) == ("undetermined", "bounded_parts")
    assert list(found.others) == ["sink_disk"], "the other parts moved 40 times as much"
    assert (found.expected_bytes_per_s, found.efficiency) == (None, None)


def test_others_on_a_faster_part_do_not_hide_the_slowest() -> None:
    found = limit_of(write=[30e9, 30.5e9], more={"write": {"others": 40_000 * MB}})
    assert "sink_disk" not in (found.limit, *found.others)


def test_a_disk_that_others_read_while_it_was_read_shows_nothing() -> None:
    """Their reads may have filled a cache, or slowed it down: its rate is no bound."""
    found = limit_of(more={"read": {"others": 4_000 * MB}})
    assert (found.limit, found.rule) == ("undetermined", "none")


def test_a_source_that_a_cache_served_may_be_the_limit() -> None:
    found = limit_of(more={"read": {"device": 0.02}}, resident="read")
    assert (found.limit, found.rule) == ("undetermined", "bounded_parts")
    assert list(found.others) == ["sink_disk", "source_disk"]
    (said,) = [one.message for one in found.evidence if one.code == "bounded_part"]
    assert "the source's disk" in said and "cache" in said


def test_a_slowest_disk_that_a_cache_helped_is_slower_still() -> None:
    falling = [100 * MB] * 8 + [10 * MB] * 8
    found = limit_of(more={"write": {"course": falling}})
    assert (found.limit, found.rule) == ("sink_disk", "slowest_part")
    assert found.efficiency is None


EFFICIENCY = next(one for one in METRICS if one.name == "path.efficiency")
MEANS: dict[Leg, float] = {"read": 300, "memory": 900, "write": 100, "disk": 99}
STEADY: dict[Leg, list[Ends]] = {
    leg: [both(leg, rate * MB) for rate in (mean, 1.01 * mean)] for leg, mean in MEANS.items()
}


def unsynced(end: AttemptRecord | None) -> AttemptRecord | None:
    """Return an end whose final sync reached its time limit."""
    return end and replace(end, result={**(end.result or {}), "sync": "bounded"})


def resident(end: AttemptRecord | None) -> AttemptRecord | None:
    """Return an end whose data was in the page cache."""
    return end and replace(end, result={**(end.result or {}), "resident_pages": 98})


@pytest.mark.parametrize(
    ("changed", "doubts"),
    [
        ({}, []),
        (
            {"write": [both("write", 100 * MB, others=400 * MB)]},
            [("contended", "Memory to sink disk: Receiver: ")],
        ),
        (
            {"read": [[resident(one) for one in both("read", 300 * MB, device=0.02)]]},
            [("cache_served", "Source disk to memory: ")],
        ),
        (
            {"write": [[unsynced(one) for one in both("write", 100 * MB)]]},
            [("bounded", "Memory to sink disk: A final sync timed out")],
        ),
        (
            {"memory": [both("memory", 900 * MB, seconds=0.5)]},
            [("too_short", "Memory to memory: ")],
        ),
        (
            {"memory": [both("memory", 900 * MB, status="failed")]},
            [("not_measured", "Memory to memory: No trial of the leg was measured.")],
        ),
        (
            {"disk": [both("disk", 99 * MB, others=400 * MB)]},
            [("contended", "Disk to disk: ")],
        ),
        # a disturbed part that is no slower does not matter, nor a repeat beside a sound one
        ({"read": [both("read", 300 * MB), both("read", 150 * MB, others=10**9)]}, []),
        ({"write": [both("write", 100 * MB), both("write", 50 * MB, others=10**9)]}, []),
        # the transfer refutes the rate of a disturbed part, which may still be the slowest
        (
            {
                "write": [both("write", 50 * MB, others=10**9)] * 2,
                "disk": [both("disk", 290 * MB)] * 2,
            },
            [("contended", "Memory to sink disk: Receiver: ")],
        ),
    ],
    ids=[
        *("known", "contended", "cached", "unsynced", "too short", "failed", "transfer"),
        *("part that is fast", "one repeat", "refuted"),
    ],
)
def test_an_efficiency_that_is_withheld_says_why(
    changed: dict[Leg, list[Ends]], doubts: list[tuple[str, str]]
) -> None:
    found = EFFICIENCY.read(judged(STEADY | changed), {})
    assert (found.value is None) == bool(doubts)
    for doubt, (code, message) in zip(found.doubts, doubts, strict=True):
        assert (doubt.code, doubt.message[: len(message)]) == (code, message)


def test_the_slower_direction_is_named_with_two_repeats() -> None:
    def ways(one: float, other: float) -> Ends:
        return [attempt(role, "memory", rate) for rate in (one, other) for role in ROLES]

    trials = [ways(1.6e9, 0.5e9), ways(2.4e9, 0.4e9)]
    result = judged({"memory": trials}, boots=("a", "b", "b", "a"), full_duplex=True)
    (leg,) = result.legs
    assert leg.slower_direction == 1


ROLES = ("sender", "receiver")


def with_writes(*writes: Ends) -> Bottleneck:
    """Return what limits a transfer at 42.5 MB/s beside these trials that write the sink's disk."""
    legs: dict[Leg, list[Ends]] = {
        "read": [both("read", rate) for rate in FAST],
        "memory": [both("memory", rate) for rate in BETWEEN_MEMORIES],
        "write": list(writes),
        "disk": [both("disk", rate) for rate in (42.6 * MB, 42.4 * MB)],
    }
    (setting,) = judged(legs).settings
    assert setting.bottleneck
    return setting.bottleneck


@pytest.mark.parametrize(
    ("rates", "limit", "others"),
    [
        (SLOW, "sink_disk", []),  # slower still
        ([500 * MB, 510 * MB], "undetermined", ["sink_disk"]),  # may be as slow as the transfer
    ],
)
def test_a_write_whose_sync_timed_out_is_at_most_that_fast(
    rates: Sequence[float], limit: Limit, others: list[Limit]
) -> None:
    writes = [
        [sender, unsynced(receiver)] for sender, receiver in (both("write", r) for r in rates)
    ]
    found = with_writes(*writes)
    assert (found.limit, list(found.others)) == (limit, others)
    assert (found.expected_bytes_per_s, found.efficiency) == (None, None)
    said = [one.message for one in found.evidence if one.code == "bounded_part"]
    assert len(said) == 1 and "until its final sync timed out" in said[0]


def test_a_transfer_whose_sync_timed_out_is_at_most_that_fast() -> None:
    legs = STEADY | {"disk": [[unsynced(end) for end in both("disk", 99 * MB)]] * 2}
    (setting,) = judged(legs).settings
    assert setting.bottleneck
    assert setting.bottleneck.evidence[-1].code == "bounded_transfer"
    assert [doubt.code for doubt in EFFICIENCY.read(judged(legs), {}).doubts] == ["bounded"]


def test_one_write_that_was_synced_has_the_rate_itself() -> None:
    sender, receiver = both("write", 41 * MB)
    found = with_writes(both("write", 42.9 * MB), [sender, unsynced(receiver)])
    assert found.limit == "sink_disk"
    assert found.expected_bytes_per_s == pytest.approx(42.9 * MB)


def test_a_write_that_others_disturbed_and_that_was_not_synced_shows_nothing() -> None:
    """The first makes its rate too low, the second too high."""
    sender, receiver = both("write", 42 * MB, others=400 * MB)
    found = with_writes([sender, unsynced(receiver)])
    assert (found.limit, found.rule) == ("undetermined", "none")
