import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from assay.analysis.carry import Backlog, Recording, Stretch, buffer_at, carry, carry_evenly
from hypothesis import given, settings
from hypothesis import strategies as st

MB = 10**6
BLOCK = MB
SECOND = 10**9


def simulate(service_ns: Sequence[int], bytes_per_s: int) -> Backlog:
    """Feed one block per period; return the waiting bytes when they are most, by Lindley."""
    wait = most = most_at = 0.0
    period = BLOCK * SECOND / bytes_per_s
    now = 0.0
    for service in service_ns:
        if wait > most:
            most, most_at = wait, now
        now += service
        wait = max(0.0, wait + service - period)
    if wait > most:
        most, most_at = wait, now
    scale = bytes_per_s / SECOND
    return Backlog(bytes_per_s, round(most * scale), round(wait * scale), round(most_at))


def recording(
    service_ns: Sequence[int],
    rates: Sequence[int],
    offered: float | None = None,
    levels: Sequence[int] = (),
    per_stretch: int = 10,
) -> Recording:
    stretches, now = list[Stretch](), 0
    for at in range(0, len(service_ns), per_stretch):
        part = service_ns[at : at + per_stretch]
        end = at + len(part)
        stretches.append(Stretch(now, now + sum(part), at * BLOCK, end * BLOCK, sum(part), 1))
        now += sum(part)
    queues = [simulate(service_ns, rate) for rate in sorted(rates)]
    return Recording(stretches, queues, max(service_ns), BLOCK, 1, offered, levels)


def steady(count: int = 1000) -> list[int]:
    return [SECOND // 1000] * count  # 1 MB in 1 ms: 1 GB/s


def test_a_rate_below_the_capacity_without_stalls_is_carried_without_a_buffer() -> None:
    found = carry(recording(steady(), [500 * MB]), 500 * MB)
    assert found.carried == "yes"
    assert found.margin == pytest.approx(1.0)


def test_a_stall_needs_a_buffer_of_what_arrives_meanwhile() -> None:
    service = steady()
    service[500] = SECOND
    found = carry(recording(service, [500 * MB]), 500 * MB)
    assert found.carried == "buffered"
    assert found.buffer
    assert found.buffer.exact
    assert found.buffer.least_bytes == pytest.approx(500 * MB, rel=0.01)
    assert found.buffer.by_peak_bytes == 500 * MB
    assert found.decides
    assert found.decides.begin_ns <= SECOND * 3 // 2 <= found.decides.end_ns


def test_stalls_that_follow_each_other_need_more_than_peak_times_rate() -> None:
    service = steady(20_000)
    service[500:510:2] = [SECOND] * 5
    found = carry(recording(service, [500 * MB]), 500 * MB)
    assert found.buffer
    assert found.buffer.least_bytes > 4 * found.buffer.by_peak_bytes


def test_a_rate_above_the_capacity_is_not_carried() -> None:
    found = carry(recording(steady(), [1200 * MB]), 1200 * MB)
    assert found.carried == "no"
    assert found.margin == pytest.approx(1 / 1.2 - 1)
    assert found.decides


def test_a_rate_that_the_level_after_a_cliff_cannot_carry_is_not_carried() -> None:
    """The mean over both levels could."""
    service = [SECOND // 2000] * 900 + [SECOND // 200] * 100
    seen = recording(service, [400 * MB], levels=[90])
    found = carry(seen, 400 * MB)
    assert found.carried == "no"
    assert found.decides
    assert found.decides.begin_bytes == 900 * MB


def test_a_slow_last_tenth_decides_without_a_cliff() -> None:
    service = [SECOND // 2000] * 900 + [SECOND // 200] * 100
    assert carry(recording(service, [400 * MB]), 400 * MB).carried == "no"


def test_the_last_tenth_is_that_of_the_data_if_later_stretches_are_larger() -> None:
    """Marks double during a trial that is longer than planned."""
    service = [*steady(9400), *[2 * SECOND // 1000] * 600]
    even = recording(service, [], per_stretch=10)
    wide: list[Stretch] = []
    for first, end, width in ((0, 400, 1), (400, 800, 4), (800, 1000, 20)):
        for at in range(first, end, width):
            part = even.stretches[at : at + width]
            busy = sum(one.busy_ns for one in part)
            begin, last = part[0], part[-1]
            wide.append(
                Stretch(begin.begin_ns, last.end_ns, begin.begin_bytes, last.end_bytes, busy, 1)
            )
    found = [carry(replace(even, stretches=of), 700 * MB) for of in (even.stretches, wide)]
    assert [one.carried for one in found] == ["no", "no"]


def test_rates_above_the_offered_one_are_not_tested() -> None:
    seen = recording(steady(), [100 * MB, 500 * MB], offered=100 * MB)
    assert carry(seen, 100 * MB).carried == "yes"
    assert carry(seen, 100.01 * MB).carried == "not_tested"
    assert carry(seen, 100.01 * MB).margin is None


def test_what_fell_behind_the_offered_rate_does_not_carry_a_higher_one() -> None:
    slow = [SECOND // 30] * 1000  # 30 MB/s
    seen = recording(slow, [60 * MB], offered=60 * MB)
    found = carry(seen, 125 * MB)
    assert (found.carried, found.reason) == ("no", None)
    assert found.margin == pytest.approx(30 / 125 - 1, abs=1e-3)
    # also if it kept up at first
    fell = recording([*steady(500), *slow], [60 * MB], offered=60 * MB, levels=[50])
    assert carry(fell, 125 * MB).carried == "no"
    # and not if it kept up again at last, which tests nothing above what was offered
    recovered = recording([*slow, *steady(500)], [60 * MB], offered=60 * MB, levels=[100])
    assert carry(recovered, 125 * MB).carried == "not_tested"


def test_a_rate_that_was_not_simulated_has_the_bounds_of_its_neighbors() -> None:
    service = steady()
    service[500] = SECOND
    seen = recording(service, [400 * MB, 600 * MB])
    found = carry(seen, 500 * MB)
    assert found.carried == "buffered"
    assert found.buffer
    assert not found.buffer.exact
    low, high = (one.most_bytes for one in seen.backlogs)
    assert (found.buffer.least_bytes, found.buffer.most_bytes) == (low, high)
    assert found.buffer.least_bytes <= simulate(service, 500 * MB).most_bytes <= high


def test_above_all_simulated_rates_the_buffer_has_no_upper_bound() -> None:
    found = buffer_at(recording(steady(), [100 * MB]).backlogs, 200 * MB, 1)
    assert found
    assert found.most_bytes is None


def test_a_trial_without_marks_tests_no_rate() -> None:
    empty = Recording([], [], 0, BLOCK, 1, None)
    assert carry(empty, MB).carried == "not_tested"
    assert buffer_at([], MB, 0) is None


def two_streams(rates: Sequence[int], *, slow: int) -> Recording:
    """Return 10 s of two streams, one of 900 MB/s and one `slow`."""
    stretches: list[Stretch] = []
    for at in range(100):
        size = (900 * MB + slow) // 10
        begin = at * SECOND // 10
        busy = 2 * SECOND // 10
        stretches.append(Stretch(begin, begin + busy // 2, at * size, (at + 1) * size, busy, 2))
    queues: list[Backlog] = []
    for rate in rates:
        of_each = [
            simulate([BLOCK * SECOND // own] * (own * 10 // BLOCK), rate // 2)
            for own in (900 * MB, slow)
        ]
        most = sum(one.most_bytes for one in of_each)
        queues.append(Backlog(rate, most, sum(one.end_bytes for one in of_each), 0))
    return Recording(stretches, queues, SECOND // 100, BLOCK, 2, None)


def test_a_stream_that_is_slower_than_its_part_of_the_rate_decides_nothing_good() -> None:
    """All streams together are faster than 500 MB/s, but one gets 250 and moves 100."""
    rates = [100 * MB, 500 * MB, 800 * MB]
    seen = two_streams(rates, slow=100 * MB)
    below, above, higher = (carry(seen, rate) for rate in rates)
    assert below.carried == "yes"
    assert (above.carried, above.reason) == ("undecided", "not_drained")
    assert higher.carried == "undecided"
    assert above.margin is not None
    assert above.margin > 0
    assert carry(two_streams(rates, slow=900 * MB), 800 * MB).carried == "yes"


def test_of_a_rate_spread_evenly_the_slowest_participant_decides() -> None:
    fast, slow = recording(steady(), [300 * MB]), recording([SECOND // 400] * 1000, [300 * MB])
    found = carry_evenly([fast, slow], 600 * MB)
    assert found.carried == "yes"
    assert found.margin == pytest.approx(400 / 300 - 1)
    assert found.aggregate_margin == pytest.approx(1400 / 600 - 1)
    assert found.place == 1
    assert carry_evenly([fast, slow], 1000 * MB).carried == "no"
    assert carry_evenly([fast, slow], 1000 * MB).place == 1


def test_buffers_of_participants_are_added() -> None:
    stalled = steady()
    stalled[500] = SECOND
    parts = [recording(stalled, [300 * MB]), recording(steady(), [300 * MB])]
    found = carry_evenly(parts, 600 * MB)
    assert (found.carried, found.place) == ("buffered", 0)
    assert found.buffer
    assert found.buffer.exact
    assert found.buffer.least_bytes == pytest.approx(300 * MB, rel=0.01)


def test_a_rate_that_one_participant_did_not_test_is_not_tested() -> None:
    parts = [recording(steady(), [100 * MB]), recording(steady(), [100 * MB], offered=100 * MB)]
    assert carry_evenly(parts, 200 * MB).carried == "yes"
    found = carry_evenly(parts, 250 * MB)
    assert (found.carried, found.reason) == ("not_tested", "above_offered")


def test_a_rate_that_one_participant_cannot_carry_is_not_carried_if_another_did_not_test_it() -> (
    None
):
    slow = recording([SECOND // 100] * 1000, [100 * MB])
    untested = recording(steady(), [100 * MB], offered=100 * MB)
    for place, parts in enumerate(([slow, untested], [untested, slow])):
        found = carry_evenly(parts, 250 * MB)
        assert (found.carried, found.place) == ("no", place)
        assert found.margin == pytest.approx(100 / 125 - 1)


def test_only_the_common_window_of_a_recording_is_judged() -> None:
    """It is slow while the others load the storage too, and fast afterwards."""
    seen = recording([*[SECOND // 300] * 500, *steady(500)], [400 * MB])
    assert carry(seen, 400 * MB).carried != "no"
    window = seen.within(0, 500 * SECOND // 300, [])
    assert carry(window, 400 * MB).carried == "no"
    assert replace(seen, streams=2).within(0, 500 * SECOND // 300, []).doubt == "short_overlap"


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32), one=st.integers(1, 2000), other=st.integers(1, 2000))
def test_a_higher_rate_never_needs_less(seed: int, one: int, other: int) -> None:
    """It needs no smaller buffer, and what does not carry a rate carries no higher one."""
    chance = random.Random(seed)
    service = [round(SECOND / 1000 * chance.paretovariate(1.5)) for _ in range(300)]
    low, high = sorted((one * MB, other * MB))
    seen = recording(service, sorted({low, high}))
    below, above = carry(seen, low), carry(seen, high)
    assert below.carried != "no" or above.carried == "no"
    if below.buffer and above.buffer:
        assert below.buffer.least_bytes <= above.buffer.least_bytes


def test_the_growing_queue_of_one_of_many_streams_is_seen_below_the_stalls_of_the_others() -> None:
    """A sum over streams: at most 160 blocks in stalls that passed, 20 blocks of one that grows."""
    streams, rate = 16, 800 * MB
    stretches = [
        Stretch(at * SECOND, (at + 1) * SECOND, at * 1000 * MB, (at + 1) * 1000 * MB, SECOND, 1)
        for at in range(10)
    ]
    ends = {20: "undecided", streams + 2: "buffered"}
    for end, carried in ends.items():
        queues = [Backlog(rate, 160 * BLOCK, end * BLOCK, 0)]
        seen = Recording(stretches, queues, SECOND // 10, BLOCK, streams, None)
        assert carry(seen, rate).carried == carried
