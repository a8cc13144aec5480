"""The rules that name a bottleneck: pure, so that every combination of evidence can be tried."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from math import exp
from random import Random
from typing import Any, get_args

import pytest
from assay.analysis import congestion
from assay.kinds.bounds import effect
from assay.kinds.path.bottleneck import Rates, name
from assay.kinds.path.fields import PARTS, Part
from assay.kinds.path.parts import PartCause
from assay.kinds.transfer.bottleneck import Bottleneck
from assay.kinds.transfer.evidence import LIMITS, CardLoad, EndSeen, FileCost, Limit, Seen, Waits
from hypothesis import assume, given
from hypothesis import strategies as st

MB = 1e6

rate = st.floats(min_value=1e6, max_value=1e11)
share = st.none() | st.floats(min_value=0, max_value=1)
cost = st.none() | st.builds(FileCost, st.floats(0, 1), st.floats(0, 1))
end = st.builds(
    EndSeen,
    busiest_core=share,
    own_cores=share,
    softirq=share,
    waiting=share,
    withheld=share,
    files=cost,
)
evidence = st.builds(
    Seen,
    bytes_per_s=st.none() | rate,
    sender_bytes_per_s=st.none() | rate,
    waits=st.builds(Waits, share, share, share, share),
    receive_window_limited=share,
    send_buffer_limited=share,
    send_buffer_bytes=st.none() | st.floats(min_value=1e3, max_value=1e9),
    retransmitted=share,
    streams=st.none() | st.integers(1, 128),
    mss_bytes=st.none() | st.floats(min_value=536, max_value=65_000),
    congestion_control=st.none() | st.sampled_from(["cubic", "reno", "bbr", "other"]),
    receive_buffer_bytes=st.none() | st.floats(min_value=1e3, max_value=1e9),
    rtt_idle_ns=st.none() | st.floats(min_value=1e4, max_value=1e9),
    rtt_load_ns=st.none() | st.floats(min_value=1e4, max_value=1e9),
    link_bytes_per_s=st.none() | rate,
    pacing_bytes_per_s=st.none() | rate,
    sender=end,
    receiver=end,
)
of_parts = st.fixed_dictionaries(dict.fromkeys(PARTS, evidence))
LOSSY: dict[str, Any] = {
    "bytes_per_s": 4 * MB,
    "streams": 4,
    "mss_bytes": 1448,
    "congestion_control": "cubic",
    "rtt_idle_ns": 5e7,
    "rtt_load_ns": 5e7,
}
"""Four streams with 35 segments in flight each."""


def repeats(mean: float, spread: float = 0.005) -> list[float]:
    return [mean * (1 + spread * step) for step in (-1, 0, 1)]


def each(alone: Mapping[Part, Seen]) -> dict[Part, list[Seen]]:
    """Return the evidence of the parts by themselves, of one pair."""
    return {part: [seen] for part, seen in alone.items()}


def named(
    read: float,
    memory: float,
    write: float,
    transfer: float,
    seen: Seen | None = None,
    alone: dict[Part, Seen] | None = None,
    **options: Any,
) -> Bottleneck:
    rates = Rates(*(repeats(one * MB) for one in (read, memory, write, transfer)))
    found = name(rates, [seen or Seen()], each(alone or {}), needs=PARTS, **options)
    assert found
    return found


@pytest.mark.parametrize(
    ("read", "memory", "write", "limit"),
    [
        (100, 1000, 300, "source_disk"),
        (300, 1000, 100, "sink_disk"),
        (300, 100, 300, "network"),
    ],
)
def test_the_slowest_part_limits_a_transfer_that_reaches_it(
    read: float, memory: float, write: float, limit: Limit
) -> None:
    found = named(read, memory, write, transfer=97)
    assert (found.limit, found.rule) == (limit, "slowest_part")
    assert found.expected_bytes_per_s == pytest.approx(100 * MB)
    assert found.efficiency == pytest.approx(0.97)


@pytest.mark.parametrize(("sync_share", "limit"), [(0.9, "sink_disk"), (0.1, "receiver_cpu")])
def test_cpu_that_was_busy_before_a_long_final_sync_does_not_limit_the_sink(
    sync_share: float, limit: Limit
) -> None:
    busy = Seen(receiver=EndSeen(busiest_core=0.99, own_cores=1.0), sync_share=sync_share)
    assert named(300, 1000, 100, transfer=97, alone={"write": busy}).limit == limit


def test_a_part_within_a_tenth_of_the_slowest_is_a_co_limit() -> None:
    found = named(100, 1000, 107, transfer=98)
    assert (found.limit, list(found.others)) == ("source_disk", ["sink_disk"])


def test_parts_that_are_equal_within_noise_leave_the_limit_undetermined() -> None:
    found = named(100, 1000, 101, transfer=98)
    assert (found.limit, found.rule) == ("undetermined", "equal_parts")
    assert list(found.others) == ["sink_disk", "source_disk"]


def test_few_noisy_repeats_do_not_single_out_a_part() -> None:
    noisy = Rates([80e6, 120e6], repeats(1e9), [95e6, 175e6], repeats(95e6))
    found = name(noisy, [Seen()], {}, needs=PARTS)
    assert found and found.limit == "undetermined"
    said = found.evidence[-1].message
    assert "cannot be told apart" in said and "equal" not in said


def test_a_transfer_that_is_faster_than_its_parts_is_not_limited_by_one_of_them() -> None:
    found = named(100, 1000, 300, transfer=148)
    assert (found.limit, found.rule) == ("undetermined", "none")
    assert found.evidence[-1].code == "faster_than_parts"
    waiting = Seen(waits=Waits(sender_empty=0.9))
    assert named(100, 1000, 300, transfer=148, seen=waiting).limit == "source_disk"


def test_a_disk_that_both_ends_share_reads_and_writes_each_byte() -> None:
    found = named(200, 1000, 200, transfer=99, shared_disk=True)
    assert found.limit == "shared_disk"
    assert found.expected_bytes_per_s == pytest.approx(100 * MB)


@pytest.mark.parametrize(
    ("seen", "limit"),
    [
        (Seen(sender=EndSeen(busiest_core=0.99, own_cores=1.1)), "sender_cpu"),
        (Seen(receiver=EndSeen(busiest_core=0.99, own_cores=1.1)), "receiver_cpu"),
        (Seen(receive_window_limited=0.8), "receive_buffer"),
        (Seen(receive_window_limited=0.8, waits=Waits(receiver_full=0.9)), "sink_disk"),
        (Seen(**LOSSY, receive_window_limited=0.8, receive_buffer_bytes=1e5), "receive_buffer"),
        (Seen(**LOSSY, receive_window_limited=0.8, receive_buffer_bytes=6e6), "receiver_cpu"),
        (
            Seen(
                **LOSSY,
                receive_window_limited=0.7,
                receive_buffer_bytes=1e5,
                receiver=EndSeen(withheld=1.0, own_cores=0.1),
            ),
            "receiver_cpu",
        ),
        (Seen(send_buffer_limited=0.8), "send_buffer"),
        (Seen(**LOSSY, send_buffer_bytes=60_000), "send_buffer"),
        (Seen(**LOSSY, send_buffer_bytes=150_000), "undetermined"),
        (Seen(**LOSSY | {"rtt_load_ns": 8e7}, send_buffer_bytes=60_000), "undetermined"),
        (Seen(receiver=EndSeen(withheld=0.4, own_cores=0.3)), "receiver_cpu"),
        (
            Seen(
                **LOSSY | {"rtt_load_ns": 2e8}, retransmitted=0.0002, sender=EndSeen(withheld=0.5)
            ),
            "sender_cpu",
        ),
        (Seen(receiver=EndSeen(busiest_core=0.99, waiting=1.2)), "receiver_cpu"),
        (Seen(receiver=EndSeen(busiest_core=0.99, softirq=0.7)), "receiver_cpu"),
        (Seen(receiver=EndSeen(busiest_core=0.99, softirq=0.1)), "undetermined"),
        (Seen(waits=Waits(sender_empty=0.9)), "source_disk"),
        (Seen(**LOSSY, retransmitted=0.002), "loss"),
        (Seen(**LOSSY | {"congestion_control": "bbr"}, retransmitted=0.02), "undetermined"),
        (Seen(**LOSSY | {"congestion_control": "own"}, retransmitted=0.02), "undetermined"),
        (Seen(**LOSSY | {"rtt_load_ns": 2e8}, retransmitted=0.0002), "link"),
        (Seen(**LOSSY, retransmitted=1e-5), "undetermined"),
        (Seen(retransmitted=0.01, rtt_idle_ns=1e6, rtt_load_ns=5e7), "link"),
        (Seen(bytes_per_s=1.2e9, link_bytes_per_s=1.25e9), "link"),
        (Seen(bytes_per_s=99e6, pacing_bytes_per_s=100e6, link_bytes_per_s=100e6), "pacing"),
        (Seen(sender=EndSeen(busiest_core=1.0, own_cores=0.1)), "undetermined"),
        (
            Seen(
                sync_share=0.91,
                waits=Waits(sender_empty=0.96),
                receiver=EndSeen(busiest_core=0.99, waiting=1.2),
            ),
            "sink_disk",
        ),
        (Seen(sync_share=0.2, waits=Waits(sender_empty=0.96)), "source_disk"),
        (Seen(waits=Waits(reader_full=0.94, writer_empty=0.95)), "network"),
        (Seen(waits=Waits(reader_full=0.94, writer_empty=0.4)), "undetermined"),
        (
            Seen(waits=Waits(reader_full=0.94, writer_empty=0.95), send_buffer_limited=0.8),
            "send_buffer",
        ),
        (Seen(), "undetermined"),
        (
            Seen(sender=EndSeen(busiest_core=0.99, own_cores=1.0), receive_window_limited=0.8),
            "undetermined",
        ),
    ],
)
def test_a_transfer_far_below_its_parts_is_explained_by_its_own_evidence(
    seen: Seen, limit: Limit
) -> None:
    found = named(100, 1000, 300, transfer=60, seen=seen)
    assert found.limit == limit
    assert found.rule == ("interaction" if limit != "undetermined" or found.others else "none")


def test_a_sender_that_was_ahead_of_the_receiver_does_not_limit() -> None:
    waits = Waits(sender_empty=0.99)
    seen = Seen(bytes_per_s=60e6, sender_bytes_per_s=110e6, waits=waits)
    assert named(100, 1000, 300, transfer=60, seen=seen).limit == "undetermined"


def test_several_causes_are_named_as_candidates() -> None:
    seen = Seen(sender=EndSeen(busiest_core=0.99, own_cores=1.0), receive_window_limited=0.8)
    found = named(100, 1000, 300, transfer=60, seen=seen)
    assert list(found.others) == ["receive_buffer", "sender_cpu"]


def test_a_slow_network_is_explained_by_the_evidence_between_memories() -> None:
    lossy = Seen(**LOSSY, retransmitted=0.002)
    assert named(300, 100, 300, transfer=98, alone={"memory": lossy}).limit == "loss"
    assert named(300, 100, 300, transfer=98).limit == "network"


def test_a_disk_that_is_slow_for_lack_of_cpu_is_not_blamed() -> None:
    held = {
        "read": Seen(sender=EndSeen(withheld=0.5)),
        "write": Seen(receiver=EndSeen(withheld=0.5)),
    }
    assert named(100, 1000, 300, transfer=97, alone=held).limit == "sender_cpu"
    assert named(300, 1000, 100, transfer=97, alone=held).limit == "receiver_cpu"
    busy = {"read": Seen(receiver=EndSeen(withheld=0.5))}  # which has no part in reading
    assert named(100, 1000, 300, transfer=97, alone=busy).limit == "source_disk"


@pytest.mark.parametrize(
    "waiting",
    [
        {"waits": Waits(sender_empty=0.9)},
        {"receive_window_limited": 0.9, "receive_buffer_bytes": 1e5},
        {"send_buffer_limited": 0.9},
        {"loopback": True},
        {"receiver": EndSeen(busiest_core=1.0, own_cores=1.0)},
        {"sender": EndSeen(busiest_core=1.0, own_cores=0.2, softirq=0.7)},
    ],
)
def test_loss_that_cost_no_time_is_no_cause(waiting: dict[str, Any]) -> None:
    found = named(100, 1000, 300, 60, Seen(**LOSSY, retransmitted=0.01, **waiting))
    assert "loss" not in (found.limit, *found.others)


@pytest.mark.parametrize(("lasted_s", "limit"), [(2.0, "undetermined"), (5.0, "loss")])
def test_what_a_short_transfer_lost_in_its_beginning_is_no_loss_of_the_path(
    lasted_s: float, limit: Limit
) -> None:
    """35 segments grow back in 1.2 s; what is lost before is that of a queue that filled first."""
    seen = Seen(**LOSSY, retransmitted=0.002, lasted_s=lasted_s)
    assert named(100, 1000, 300, transfer=60, seen=seen).limit == limit


def test_a_throttled_end_that_finishes_no_trial_is_the_limit() -> None:
    rates = Rates(repeats(1e8), repeats(1e9), repeats(2e8), [])
    found = name(rates, [Seen(receiver=EndSeen(throttled=True))], {}, needs=PARTS)
    assert found and found.limit == "receiver_cpu"


def test_a_transfer_without_its_parts_rests_on_its_own_evidence() -> None:
    alone = Rates(transfer=repeats(1e8))
    seen = Seen(waits=Waits(receiver_full=0.8))
    found = name(alone, [seen], {}, needs=PARTS)
    assert found and (found.limit, found.efficiency) == ("sink_disk", None)
    unclear = name(alone, [Seen()], {}, needs=PARTS)
    assert unclear and unclear.limit == "undetermined"


def test_nothing_measured_names_nothing() -> None:
    assert name(Rates(), [Seen()], {}, needs=PARTS) is None


@given(rate, rate, rate, st.floats(min_value=0.05, max_value=1.2), evidence, of_parts)
def test_the_order_of_the_parts_does_not_matter(
    read: float, memory: float, write: float, reached: float, seen: Seen, alone: dict[Part, Seen]
) -> None:
    rates = Rates(
        repeats(read), repeats(memory), repeats(write), repeats(reached * min(read, memory, write))
    )
    found = [name(rates, [seen], each(alone), needs=order) for order in permutations(PARTS)]
    assert all(one == found[0] for one in found)


@given(rate, rate, rate, st.floats(min_value=0.05, max_value=1.2), evidence, of_parts)
def test_a_named_part_is_never_faster_than_the_slowest_one_by_more_than_noise(
    read: float, memory: float, write: float, reached: float, seen: Seen, alone: dict[Part, Seen]
) -> None:
    slowest = min(read, memory, write)
    rates = Rates(repeats(read), repeats(memory), repeats(write), repeats(reached * slowest))
    found = name(rates, [seen], each(alone), needs=PARTS)
    assert found
    assert found.limit in LIMITS and found.sentence.endswith(".")
    if found.rule == "slowest_part":
        own = {
            "source_disk": {read},
            "sink_disk": {write},
            "source_files": {read},
            "sink_files": {write},
            "sender_cpu": {read, memory},
            "receiver_cpu": {memory, write},
        }
        assert slowest in own.get(found.limit, {memory})
    if found.limit == "undetermined":
        assert found.rule in ("none", "equal_parts", "interaction", "own_evidence")


@given(st.floats(min_value=1e6, max_value=1e10), st.floats(min_value=0.98, max_value=1.02))
def test_equal_causes_are_never_told_apart(base: float, factor: float) -> None:
    rates = Rates(repeats(base), repeats(20 * base), repeats(base * factor), repeats(0.97 * base))
    found = name(rates, [Seen()], {}, needs=PARTS)
    assert found and found.limit == "undetermined"


def of_pairs(*seen: Seen, transfer: float = 60) -> Bottleneck:
    rates = Rates(*(repeats(one * MB) for one in (100, 1000, 300, transfer)))
    pairs = [replace(one, pair=f"s{number} → t") for number, one in enumerate(seen, 1)]
    found = name(rates, pairs, {"memory": pairs}, needs=PARTS)
    assert found
    return found


def test_a_cause_of_every_pair_limits_them_together() -> None:
    full = Seen(waits=Waits(receiver_full=0.9))
    found = of_pairs(full, full, full)
    assert (found.limit, found.rule) == ("sink_disk", "interaction")
    # the same words of all pairs are said once, and of no pair
    assert [one.code for one in found.evidence] == ["expected", "receiver_full"]
    assert "→" not in found.evidence[-1].message


def test_a_cause_of_some_pairs_only_is_not_the_limit_of_all() -> None:
    full = Seen(waits=Waits(receiver_full=0.9))
    found = of_pairs(full, Seen(), Seen())
    assert (found.limit, list(found.others)) == ("undetermined", ["sink_disk"])
    assert found.evidence[-1].message.startswith("s1 → t: ")


def test_pairs_with_different_limits_are_each_named_with_their_own() -> None:
    full, starved = Seen(waits=Waits(receiver_full=0.9)), Seen(waits=Waits(sender_empty=0.9))
    found = of_pairs(full, starved)
    assert (found.limit, found.rule) == ("undetermined", "pairs_differ")
    assert "s1 → t: the sink's disk; s2 → t: the source's disk" in found.sentence


def test_a_card_that_all_pairs_fill_together_is_the_limit() -> None:
    shared = CardLoad(1.2e9, 1.25e9)
    one = Seen(bytes_per_s=4e8, link_bytes_per_s=1.25e9, receiver=EndSeen(card=shared))
    assert of_pairs(one, one, one).limit == "sink_card"
    # a card that lets through more than its speed has only a nominal one
    nominal = replace(one, receiver=EndSeen(card=CardLoad(2e9, 1.25e9)))
    assert of_pairs(nominal, nominal, nominal).limit == "undetermined"


@given(st.lists(evidence, min_size=2, max_size=4), st.randoms())
def test_the_order_of_the_pairs_does_not_matter(pairs: list[Seen], random: Random) -> None:
    shuffled = [*pairs]
    random.shuffle(shuffled)
    one, other = of_pairs(*pairs), of_pairs(*shuffled)
    assert (one.limit, one.others, one.rule) == (other.limit, other.others, other.rule)


@given(evidence, st.sampled_from(["bbr", "other", None]))
def test_loss_is_never_named_with_a_congestion_control_that_may_ignore_it(
    seen: Seen, control: str | None
) -> None:
    seen = replace(seen, congestion_control=control)
    found = named(100, 1000, 300, 60, seen)
    assert "loss" not in (found.limit, *found.others)


@given(
    st.floats(min_value=1e-6, max_value=0.05),
    st.floats(min_value=1e-3, max_value=0.5),
    st.floats(min_value=1e-4, max_value=10),
)
def test_loss_is_named_where_the_rate_is_what_it_allows(
    lost: float, rtt_s: float, factor: float
) -> None:
    """A stream with less than half of the allowed window is limited by something else."""
    assume(abs(factor - 0.5) > 1e-6)
    segments = congestion.cubic(lost, rtt_s) * factor
    facts: dict[str, Any] = {
        "rtt_idle_ns": rtt_s * 1e9,
        "rtt_load_ns": rtt_s * 1e9,
        "retransmitted": lost,
    }
    rate = segments * 1448 / rtt_s
    seen = Seen(**LOSSY | facts | {"bytes_per_s": rate, "streams": 1})
    assert named(100, 1000, 300, 60, seen).limit == ("loss" if factor >= 0.5 else "undetermined")


CREATING, SYNCING = FileCost(0.7, 0.1), FileCost(0.1, 0.6)


def test_a_sink_that_creates_files_most_of_the_time_is_not_called_a_slow_disk() -> None:
    found = named(300, 1000, 100, 98, alone={"write": Seen(receiver=EndSeen(files=CREATING))})
    assert (found.limit, found.rule) == ("sink_files", "slowest_part")
    assert found.sentence == "The creation of files at the sink limits the transfer."
    (said,) = [one for one in found.evidence if one.code == "file_calls"]
    assert said.figures == {"share": 0.7, "sync_share": 0.1}


def test_a_source_that_opens_files_most_of_the_time_is_not_called_a_slow_disk() -> None:
    found = named(100, 1000, 300, 98, alone={"read": Seen(sender=EndSeen(files=FileCost(0.5)))})
    assert found.limit == "source_files"


@pytest.mark.parametrize("cost", [FileCost(0.3), SYNCING], ids=["some calls", "mostly the sync"])
def test_where_files_may_cost_as_much_as_the_disk_neither_is_named(cost: FileCost) -> None:
    found = named(300, 1000, 100, 98, alone={"write": Seen(receiver=EndSeen(files=cost))})
    assert found.limit == "undetermined"
    assert list(found.others) == ["sink_disk", "sink_files"]
    assert found.evidence[-1].code == "file_calls_unclear"


def test_few_small_files_leave_the_disk_the_limit() -> None:
    found = named(
        300, 1000, 100, 98, alone={"write": Seen(receiver=EndSeen(files=FileCost(0.1, 0.05)))}
    )
    assert (found.limit, list(found.others)) == ("sink_disk", [])


def test_creating_files_that_uses_up_a_core_is_a_lack_of_cpu() -> None:
    busy = Seen(receiver=EndSeen(files=CREATING, busiest_core=1.0, own_cores=1.0))
    found = named(300, 1000, 100, 98, alone={"write": busy})
    assert found.limit == "receiver_cpu"
    assert [one.code for one in found.evidence[-2:]] == ["busiest_core", "file_calls"]


@pytest.mark.parametrize(
    ("cost", "limit", "others"),
    [
        (CREATING, "sink_files", []),
        (SYNCING, "undetermined", ["sink_disk", "sink_files"]),
        (FileCost(0.05), "sink_disk", []),
    ],
    ids=["calls", "sync", "neither"],
)
def test_a_full_ring_is_blamed_on_what_the_sink_was_doing(
    cost: FileCost, limit: Limit, others: list[Limit]
) -> None:
    waiting = Seen(waits=Waits(receiver_full=0.9), receiver=EndSeen(files=cost))
    found = named(300, 1000, 300, 60, seen=waiting)
    assert (found.limit, list(found.others)) == (limit, others)


def test_a_co_limit_that_is_not_clear_leaves_the_limit_undetermined() -> None:
    found = named(100, 1000, 107, 98, alone={"write": Seen(receiver=EndSeen(files=SYNCING))})
    assert found.limit == "undetermined"
    assert list(found.others) == ["sink_disk", "sink_files", "source_disk"]


def test_pairs_with_different_costs_of_files_are_not_one_limit() -> None:
    sinks = [Seen(receiver=EndSeen(files=CREATING)), Seen(receiver=EndSeen(files=FileCost(0.02)))]
    rates = Rates(*(repeats(one * MB) for one in (300, 1000, 100, 98)))
    found = name(rates, sinks, {"write": sinks}, needs=PARTS)
    assert found and found.limit == "undetermined"
    assert list(found.others) == ["sink_disk", "sink_files"]


ISSUE = Rates(
    read=[1.61e9, 1.72e9],
    memory=[1.75e9, 2.43e9],
    write=[42.9 * MB, 41.9 * MB],
    transfer=[42.6 * MB, 42.4 * MB],
)
"""From disk to disk at 42.5 MB/s, between the memories at 2.09 GB/s with a noise of 23 %."""


def test_a_part_that_is_fifty_times_as_fast_is_not_the_limit() -> None:
    found = name(ISSUE, [Seen()], {}, needs=PARTS)
    assert found and (found.limit, list(found.others)) == ("sink_disk", [])
    assert found.rule == "slowest_part"


@given(
    st.permutations([1.0, 3.0, 9.0]),
    st.lists(st.floats(1, 1.4), min_size=12, max_size=12),
    st.integers(1, 3),
)
def test_whatever_the_noise_a_part_that_is_far_faster_in_every_repeat_is_ruled_out(
    order: list[float], noise: list[float], repeated: int
) -> None:
    spread = iter(noise)
    parts = [[base * 1e8 * next(spread) for _ in range(repeated)] for base in order]
    slowest = min(parts, key=max)
    found = name(Rates(*parts, transfer=slowest), [Seen()], {}, needs=PARTS)
    assert found and found.limit == LEG_LIMITS[parts.index(slowest)]


LEG_LIMITS: tuple[Limit, ...] = ("source_disk", "network", "sink_disk")


@pytest.mark.parametrize(("faster", "limit"), [(1.95, "sink_disk"), (1.5, "undetermined")])
def test_single_repeats_tell_parts_apart_by_a_factor(faster: float, limit: Limit) -> None:
    rates = Rates([faster * 4e7], [3e9], [4e7], [3.9e7])
    found = name(rates, [Seen()], {}, needs=PARTS)
    assert found and found.limit == limit


def simulated(
    means: Sequence[float], noises: Sequence[float], number: int, *, runs: int
) -> dict[str, float]:
    """Return how often each limit is named in runs of legs with independent log-normal noise."""
    random, found = Random(f"{means} {noises} {number}"), Counter[str]()
    for _ in range(runs):
        parts = [
            [mean * 1e8 * exp(random.gauss(0, noise)) for _ in range(number)]
            for mean, noise in zip(means, noises, strict=True)
        ]
        reached = 0.97e8 * min(means)  # of what the slowest part reaches
        transfer = [reached * exp(random.gauss(0, max(noises))) for _ in range(number)]
        limit = name(Rates(*parts, transfer=transfer), [Seen()], {}, needs=PARTS)
        found[limit.limit if limit else "none"] += 1
    return {one: count / runs for one, count in found.items()}


NOISES = [(one,) * 3 for one in (0.01, 0.05, 0.1, 0.15)] + [(0.15, 0.01, 0.01), (0.01, 0.15, 0.05)]
SIZES = [pytest.param(200, id="few"), pytest.param(4000, id="many", marks=pytest.mark.nightly)]


@pytest.mark.parametrize("runs", SIZES)
@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize("noises", NOISES, ids=str)
def test_of_equal_legs_hardly_any_is_named(
    noises: tuple[float, ...], number: int, runs: int
) -> None:
    found = simulated((1, 1, 1), noises, number, runs=runs)
    wrong = 1 - found.get("undetermined", 0)
    assert wrong <= (0.02 if runs > 1000 else 0.035)


@pytest.mark.parametrize("runs", SIZES)
@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize("noises", NOISES, ids=str)
def test_a_leg_whose_bounds_are_far_below_the_others_is_named(
    noises: tuple[float, ...], number: int, runs: int
) -> None:
    """The others' lower bounds are three times the slowest one's upper bound, of single repeats."""
    bounds = [exp(1.96 * noise) for noise in noises]
    far = (1, 3 * bounds[0] * bounds[1], 3 * bounds[0] * bounds[2])
    found = simulated(far, noises, number, runs=runs)
    assert found.get("source_disk", 0) >= 0.99


@pytest.mark.parametrize("runs", SIZES)
@pytest.mark.parametrize("number", [2, 3, 5])
def test_a_leg_of_a_third_is_named_from_two_repeats_on(number: int, runs: int) -> None:
    for noise in (0.03, 0.1, 0.15):
        found = simulated((1, 3, 3), (noise,) * 3, number, runs=runs)
        assert found.get("source_disk", 0) >= 0.98 + 0.01 * (runs > 1000)
        assert not found.keys() - {"source_disk", "undetermined"}


def bounded(part: Part, cause: PartCause, seen: Seen | None = None, **rates: Any) -> Bottleneck:
    """Return the limit of a transfer at the rate of a slow sink, of which a part has a bound."""
    known: dict[str, Any] = {"read": repeats(3e8), "memory": repeats(1e9), "write": repeats(1e8)}
    reached = {"transfer": repeats(0.98e8)} | rates
    given_rates = Rates(**(known | reached), causes={part: frozenset({cause})})
    found = name(given_rates, [seen or Seen()], {}, needs=PARTS)
    assert found
    return found


@pytest.mark.parametrize(
    ("part", "cause", "limit", "others"),
    [
        ("write", "cached", "sink_disk", []),  # without its cache the slowest is slower still
        ("write", "bounded", "sink_disk", []),
        ("write", "contended", "undetermined", ["sink_disk"]),
        ("read", "cached", "undetermined", ["sink_disk", "source_disk"]),
        ("read", "contended", "sink_disk", []),  # undisturbed, it is faster still
        ("memory", "contended", "sink_disk", []),
    ],
)
def test_a_rate_that_is_only_a_bound_decides_what_it_can(
    part: Part, cause: PartCause, limit: Limit, others: list[Limit]
) -> None:
    found = bounded(part, cause)
    assert (found.limit, list(found.others)) == (limit, others)
    assert found.rule == ("bounded_parts" if others else "slowest_part")
    (said,) = [one.message for one in found.evidence if one.code == "bounded_part"]
    assert {"cached": "cache", "bounded": "sync", "contended": "others"}[cause] in said
    assert (found.expected_bytes_per_s is None) == (part == "write" or bool(others))


@pytest.mark.parametrize("cause", get_args(PartCause))
def test_every_cause_of_a_part_is_a_bound_of_its_rate_in_the_table(cause: PartCause) -> None:
    """The direction is that of the table of doubts: one of higher rates may be the limit."""
    may_be_slower = effect(cause, "rate") == "upper"
    assert may_be_slower or effect(cause, "rate") == "lower"
    assert (bounded("read", cause).limit == "undetermined") == may_be_slower


@pytest.mark.parametrize(("factor", "others"), [(1.3, True), (3, False), (50, False)])
def test_beside_a_contended_slowest_part_only_what_may_be_as_slow_is_a_candidate(
    factor: float, others: bool
) -> None:
    """What always moved data at many times the rate of the transfer is not its limit."""
    found = bounded("write", "contended", read=repeats(factor * 1e8))
    assert found.limit == "undetermined"
    assert list(found.others) == ["sink_disk"] + ["source_disk"] * others


def test_a_contended_slowest_part_is_named_by_the_evidence_of_the_transfer() -> None:
    found = bounded("write", "contended", Seen(waits=Waits(receiver_full=0.9)))
    assert (found.limit, found.rule) == ("sink_disk", "own_evidence")
    assert found.efficiency is None
    two = bounded("write", "contended", Seen(waits=Waits(0.9, 0.9, 0.9, 0.9)))
    assert (two.limit, two.rule) == ("undetermined", "bounded_parts")


@pytest.mark.parametrize(
    ("read", "limit", "others"),
    [
        (2.05e8, "source_disk", []),  # which the transfer reaches
        (
            2.213e8,
            "undetermined",
            ["sink_disk", "source_disk"],
        ),  # the sink may be, too
        (1.3e8, "undetermined", []),  # exceeded as well, and not disturbed
        (9e8, "undetermined", ["sink_disk"]),  # undisturbed, the sink may be as slow as that
    ],
)
@pytest.mark.parametrize("number", [2, 3])
def test_a_transfer_that_is_faster_than_a_contended_part_leaves_the_others(
    read: float, limit: Limit, others: list[Limit], number: int
) -> None:
    """Its sink reached 100 MB/s beside others, and takes 200 in the transfer."""
    rates = {"read": read, "transfer": 2e8, "write": 1e8}
    few: dict[str, Any] = {one: repeats(mean)[:number] for one, mean in rates.items()}
    found = bounded("write", "contended", **few)
    assert (found.limit, list(found.others)) == (limit, others)
    assert found.evidence[0].code == "refuted_part"
    assert (found.expected_bytes_per_s, found.efficiency) == (None, None)


@pytest.mark.parametrize(("part", "cause"), [("read", "cached"), ("write", "contended")])
@pytest.mark.parametrize("transfer", [6e7, 0.98e8, 2e8])
def test_a_rate_that_is_only_a_bound_gives_no_efficiency(
    part: Part, cause: PartCause, transfer: float
) -> None:
    found = bounded(part, cause, transfer=repeats(transfer))
    assert (found.expected_bytes_per_s, found.efficiency) == (None, None)


def test_a_cache_that_helped_a_part_may_explain_a_slow_transfer() -> None:
    slow: dict[str, Any] = {"write": repeats(2e8), "transfer": repeats(6e7)}
    found = bounded("write", "cached", **slow)
    assert (found.limit, list(found.others)) == ("undetermined", ["sink_disk"])
    waiting = Seen(waits=Waits(sender_empty=0.9))
    found = bounded("write", "cached", waiting, **slow)
    assert found.limit == "source_disk", "its own evidence goes first"


@pytest.mark.parametrize("noise", [0.002, 0.02])
@pytest.mark.parametrize("share", [0.5, 0.7, 1.5, 2.0])
def test_two_repeats_show_that_a_transfer_departs_from_its_slowest_part(
    share: float, noise: float
) -> None:
    """Without a sign of its own, nothing says what limits it."""
    random, departed = Random(f"{share} {noise}"), 0
    for _ in range(200):
        read, memory, write, transfer = (
            [mean * exp(random.gauss(0, noise)) for _ in range(2)]
            for mean in (9e8, 2e9, 1e8, share * 1e8)
        )
        found = name(Rates(read, memory, write, transfer), [Seen()], {}, needs=PARTS)
        departed += found is not None and (found.limit, found.rule) == ("undetermined", "none")
    assert departed >= 195
