"""Packed columns are unpacked unchanged, whatever their values."""

from assay.runs.samples.codec import pack, unpack
from assay.runs.samples.columns import NAMES
from hypothesis import given
from hypothesis import strategies as st

ANY = st.integers(-(2**63), 2**63 - 1)
COLUMN = st.one_of(
    st.lists(st.none() | ANY, min_size=40, max_size=40),
    st.lists(st.integers(0, 50).map(lambda n: n * 10**7), min_size=40, max_size=40),
    st.integers(0, 2**40).map(lambda start: [start + 4096 * n for n in range(40)]),
    st.just([None] * 40),
)
LENGTHS = st.one_of(
    st.lists(st.integers(0, most), min_size=40, max_size=40) for most in (2**53 - 1, 2**63 - 1)
)


@given(COLUMN, COLUMN, LENGTHS, st.integers(1, 40))
def test_columns_are_unpacked_as_they_were(
    one: list[int | None], ends: list[int | None], lengths: list[int], count: int
) -> None:
    shortened = [None if end is None else max(0, end) for end in ends]
    columns = {"one": one[:count], "end_ns": shortened[:count], "dt_ns": lengths[:count]}
    packed = pack(columns)
    assert unpack(packed, count) == columns
    assert unpack(packed, count, ["end_ns"]) == {"end_ns": columns["end_ns"]}


def test_the_ends_of_even_intervals_and_whole_ticks_take_almost_no_space() -> None:
    lengths = [10**9 + n % 7 for n in range(1000)]
    ends = [sum(lengths[: n + 1]) + 5 for n in range(1000)]
    ticks = [n * 37 % 11 * 10**7 for n in range(1000)]
    alone = len(pack({"dt_ns": lengths}))
    assert len(pack({"end_ns": ends, "dt_ns": lengths})) < alone + 40
    assert len(pack({"cpu_user_ns": ticks, "dt_ns": lengths})) < alone + 100


def test_a_block_names_its_columns() -> None:
    columns: dict[str, list[int | None]] = {name: [1, None, 3] for name in NAMES if name != "dt_ns"}
    columns |= {"dt_ns": [1, 2, 3], "of_another_version": [4, 5, 6]}
    assert unpack(pack(columns), 3) == columns


def test_a_column_that_an_older_block_does_not_have_is_null() -> None:
    packed = pack({"dt_ns": [1, 2, 3], "ops": [4, 5, 6]})
    assert unpack(packed, 3, ["ops", "read_ops"]) == {"ops": [4, 5, 6], "read_ops": [None] * 3}
