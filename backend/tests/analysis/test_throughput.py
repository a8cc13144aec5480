"""Joining neighboring intervals, also of marks that double during a trial."""

from itertools import accumulate

from assay.analysis.throughput import Intervals, first_part, neighbors, without_start
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.integers(0, 2**60), min_size=1, max_size=200), st.integers(1, 100))
def test_every_interval_is_in_one_of_at_most_so_many_groups(sizes: list[int], most: int) -> None:
    groups = neighbors(sizes, most)
    assert len(groups) <= most
    assert [at for group in groups for at in group] == list(range(len(sizes)))
    assert all(groups)


@given(st.integers(1, 500), st.integers(1, 100), st.data())
def test_intervals_of_one_size_are_joined_by_their_number(
    count: int, most: int, data: st.DataObject
) -> None:
    """Several streams make a mark a few blocks larger, and the last one is short."""
    more = data.draw(st.lists(st.integers(0, 20), min_size=count, max_size=count))
    sizes = [100 + one for one in more]
    sizes[-1] = data.draw(st.integers(1, 120))
    width = -(-count // most)
    assert {len(group) for group in neighbors(sizes, most)[:-1]} <= {width}


def test_groups_have_equal_bytes_although_the_size_of_marks_doubles() -> None:
    sizes = [size for level in range(8) for size in [2**level * 100] * (1024 >> level)]
    groups = [sum(sizes[at] for at in group) for group in neighbors(sizes, 50)]
    assert 40 <= len(groups) <= 50
    assert max(groups[:-1]) < 2 * min(groups[:-1])


def test_nothing_has_no_groups() -> None:
    assert neighbors([], 5) == []


@given(
    st.lists(st.tuples(st.integers(1, 10**9), st.integers(0, 2**40)), min_size=1, max_size=50),
    st.integers(0, 10**10),
)
def test_a_start_and_what_follows_it_are_the_whole(
    rows: list[tuple[int, int]], length: int
) -> None:
    lengths, sizes = [row[0] for row in rows], [row[1] for row in rows]
    seen = Intervals(list(accumulate(lengths)), lengths, sizes, [None] * len(rows))
    parts = first_part(seen, length), without_start(seen, length)
    assert sum(sum(part.dt_ns) for part in parts) == sum(lengths)
    assert abs(sum(sum(part.bytes) for part in parts) - sum(sizes)) <= 1
    assert not parts[1].end_ns or parts[1].end_ns[-1] == sum(lengths)
    assert parts[1].end_ns[:1] in (
        [],
        [min(one for one in seen.end_ns if one > length)] if length < sum(lengths) else [],
    )
