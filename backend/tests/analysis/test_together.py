"""The aggregate of participants that measure together, and how it is shared."""

import pytest
from assay.analysis.level_search import find
from assay.analysis.throughput import Intervals
from assay.analysis.together import Part, fairness, score
from hypothesis import given
from hypothesis import strategies as st

SECOND = 10**9
MB = 10**6

rates = st.lists(st.floats(0.1, 1e12), min_size=1, max_size=16)


def part(rate_mb: float, seconds: int, delay_ns: int = 0, durable_s: float | None = None) -> Part:
    """A participant with a steady rate, sampled each second."""
    ends = [SECOND * (i + 1) for i in range(seconds)]
    moved = [round(rate_mb * MB)] * seconds
    course = Intervals(ends, [SECOND] * seconds, moved, [None] * seconds)
    durable = None if durable_s is None else round(durable_s * SECOND)
    return Part(sum(moved), delay_ns, seconds * SECOND, durable, course)


def test_equal_participants_reach_the_sum_of_their_rates() -> None:
    found = score([part(100, 10), part(100, 10), part(100, 10)])
    assert found.application_bytes_per_s == pytest.approx(300 * MB)
    assert (found.window_ns, found.overlap) == (10 * SECOND, 1)
    assert found.application == pytest.approx([100 * MB] * 3)


def test_the_window_begins_with_the_last_start_and_ends_with_the_first_end() -> None:
    found = score([part(100, 10), part(50, 20, delay_ns=2 * SECOND)])
    assert found.window_ns == 8 * SECOND
    assert found.longest_ns == 20 * SECOND
    assert found.application_bytes_per_s == pytest.approx(150 * MB)


def test_bytes_at_the_edges_of_the_window_are_prorated() -> None:
    found = score([part(100, 10), part(100, 10, delay_ns=SECOND // 2)])
    assert found.window_ns == 19 * SECOND // 2
    assert found.application_bytes_per_s == pytest.approx(200 * MB)


def test_the_durable_rate_counts_all_bytes_until_the_last_sync_from_the_agreed_start() -> None:
    found = score([part(100, 10, durable_s=12), part(100, 10, SECOND, durable_s=19)])
    assert found.durable_bytes_per_s == pytest.approx(2000 * MB / 20)
    assert found.durable == pytest.approx([1000 * MB / 12, 1000 * MB / 19])


def test_a_participant_without_a_sync_leaves_no_durable_rate() -> None:
    found = score([part(100, 10, durable_s=12), part(100, 10)])
    assert found.durable_bytes_per_s is None
    assert found.durable == [None, None]


def test_participants_without_overlap_have_no_application_rate() -> None:
    found = score([part(100, 2), part(100, 2, delay_ns=3 * SECOND)])
    assert (found.window_ns, found.application_bytes_per_s) == (0, None)
    assert found.course is None


def test_the_aggregate_throughput_is_the_sum_over_the_window() -> None:
    found = score([part(100, 10), part(50, 12)])
    assert found.course is not None
    assert sum(found.course.bytes) == pytest.approx(1500 * MB, abs=100)
    assert found.course.end_ns[-1] == sum(found.course.dt_ns) == 10 * SECOND


def test_a_few_samples_of_each_do_not_make_many_of_all() -> None:
    """Forty samples with one change of level are a cliff, as for one alone; six are not."""
    for count, found in ((6, False), (40, True)):
        ends = [SECOND * (i + 1) for i in range(count)]
        moved = [500 * MB] * (count // 2) + [100 * MB] * (count // 2)
        course = Intervals(ends, [SECOND] * count, moved, [None] * count)
        alone = Part(sum(moved), 0, count * SECOND, None, course)
        together = score([alone, alone]).course
        assert together is not None
        assert (len(find(together)) > 1) == (len(find(course)) > 1) == found


@given(rates)
def test_fairness_lies_between_one_nth_and_one(found: list[float]) -> None:
    index = fairness(found)
    assert index is not None
    assert 1 / len(found) - 1e-9 <= index <= 1 + 1e-9


@given(st.floats(0.1, 1e12), st.integers(1, 16))
def test_equal_rates_are_fair(rate: float, count: int) -> None:
    assert fairness([rate] * count) == pytest.approx(1)


def test_a_participant_that_has_everything_gives_the_minimum_fairness() -> None:
    assert fairness([300.0, 0, 0]) == pytest.approx(1 / 3)
    assert fairness([0.0, 0.0]) is None


@given(
    st.lists(
        st.tuples(st.integers(1, 500), st.integers(1, 20), st.integers(0, 5 * SECOND)),
        min_size=1,
        max_size=5,
    )
)
def test_no_window_has_more_bytes_than_were_transferred(parts: list[tuple[int, int, int]]) -> None:
    made = [part(*one) for one in parts]
    found = score(made)
    inside = (found.application_bytes_per_s or 0) * found.window_ns / 1e9
    assert inside <= sum(one.bytes for one in made) * (1 + 1e-9)
    assert all(
        (own or 0) <= rate * MB * (1 + 1e-9)
        for own, (rate, *_) in zip(found.application, parts, strict=True)
    )
