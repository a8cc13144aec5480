from assay.runs.samples.blocks import (
    COURSE,
    Course,
    columns_of,
    merged,
    of_samples,
    rate,
    roll_up,
)
from assay.runs.samples.columns import NAMES
from hypothesis import given
from hypothesis import strategies as st
from testing.spools import sample_values

SAMPLES = st.lists(
    st.builds(
        sample_values,
        bytes=st.integers(0, 2**53 - 1),
        dt_ns=st.integers(0, 2**53 - 1),
        ops=st.integers(0, 1000),
        lat_max_ns=st.integers(0, 2**40),
        lat_min_ns=st.none() | st.integers(0, 2**40),
        dev_write_bytes=st.none() | st.integers(0, 2**40),
        mem_available_bytes=st.integers(0, 2**40),
    ),
    min_size=1,
    max_size=60,
)


def column(values: object, name: str) -> int | None:
    return values[NAMES.index(name)]  # type: ignore[index]


def bucket(rows: list[list[int | None]]) -> Course:
    return merged(of_samples(columns_of(rows)), len(rows))


def joined(one: Course, other: Course) -> Course:
    return {c.name: [*one[c.name], *other[c.name]] for c in COURSE}


@given(SAMPLES, st.integers(1, 59))
def test_merging_in_any_grouping_gives_the_same(rows: list[list[int | None]], cut: int) -> None:
    if cut < len(rows):
        parts = joined(bucket(rows[:cut]), bucket(rows[cut:]))
        assert merged(parts, 2) == bucket(rows)


@given(SAMPLES)
def test_sums_stay_sums_peaks_stay_peaks_and_the_slowest_is_kept(
    rows: list[list[int | None]],
) -> None:
    found = bucket(rows)
    assert found["bytes"] == [sum(column(row, "bytes") or 0 for row in rows)]
    assert found["lat_max_ns"] == [max(column(row, "lat_max_ns") or 0 for row in rows)]
    known = [v for row in rows if (v := column(row, "dev_write_bytes")) is not None]
    assert found["dev_write_bytes"] == [sum(known) if known else None]
    rates = [rate(column(row, "bytes") or 0, column(row, "dt_ns") or 0) for row in rows]
    assert (found["rate_min"], found["rate_max"]) == ([min(rates)], [max(rates)])
    assert found["count"] == [len(rows)]


@given(st.integers(1, 1000))
def test_each_level_contains_every_sample_once(count: int) -> None:
    levels = roll_up(columns_of([sample_values()] * count))
    for level, course in enumerate(levels, start=1):
        width = 10**level
        full, rest = divmod(count, width)
        assert course["count"] == [width] * full + [rest] * bool(rest)


def test_a_thousand_maximum_values_fit_into_64_bits() -> None:
    top = 2**53 - 1
    found = bucket([[top] * len(NAMES)] * 1000)
    assert all((value or 0) < 2**63 for values in found.values() for value in values)
    assert rate(top, 1) < 2**63
