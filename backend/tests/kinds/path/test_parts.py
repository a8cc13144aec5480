"""The parts of a transfer as their trials show them: reliable, disturbed, or helped by a cache."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from assay.kinds.path.bottleneck import Bottleneck
from assay.kinds.path.fields import Leg

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
    assert list(found.others) == ["sink_disk", "source_disk"]
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


def test_the_slower_direction_is_named_with_two_repeats() -> None:
    def ways(one: float, other: float) -> Ends:
        return [attempt(role, "memory", rate) for rate in (one, other) for role in ROLES]

    trials = [ways(1.6e9, 0.5e9), ways(2.4e9, 0.4e9)]
    result = judged({"memory": trials}, boots=("a", "b", "b", "a"), full_duplex=True)
    (leg,) = result.legs
    assert leg.slower_direction == 1


ROLES = ("sender", "receiver")
