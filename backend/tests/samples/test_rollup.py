from assay.samples.columns import NAMES
from assay.samples.rollup import merge, of_sample, rate, roll_up
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


@given(SAMPLES, st.integers(0, 60))
def test_merging_in_any_grouping_gives_the_same(rows: list[list[int | None]], cut: int) -> None:
    buckets = [of_sample(row) for row in rows]
    parts = [merge(part) for part in (buckets[:cut], buckets[cut:]) if part]
    assert merge(parts) == merge(buckets)


@given(SAMPLES)
def test_sums_stay_sums_peaks_stay_peaks_and_the_slowest_is_kept(
    rows: list[list[int | None]],
) -> None:
    bucket = merge([of_sample(row) for row in rows])
    assert column(bucket.values, "bytes") == sum(column(row, "bytes") or 0 for row in rows)
    assert column(bucket.values, "lat_max_ns") == max(
        column(row, "lat_max_ns") or 0 for row in rows
    )
    known = [v for row in rows if (v := column(row, "dev_write_bytes")) is not None]
    assert column(bucket.values, "dev_write_bytes") == (sum(known) if known else None)
    rates = [rate(column(row, "bytes") or 0, column(row, "dt_ns") or 0) for row in rows]
    assert (bucket.rate_min, bucket.rate_max, bucket.count) == (min(rates), max(rates), len(rows))


@given(SAMPLES, st.integers(0, 2500))
def test_each_level_holds_every_sample_once(rows: list[list[int | None]], first: int) -> None:
    buckets = roll_up(rows, first)
    for level in (1, 2, 3):
        mine = {number: b for (lv, number), b in buckets.items() if lv == level}
        assert sum(b.count for b in mine.values()) == len(rows)
        last = first + len(rows) - 1
        assert list(mine) == list(range(first // 10**level, last // 10**level + 1))


def test_a_thousand_of_the_greatest_values_still_fit_into_64_bits() -> None:
    top = 2**53 - 1
    bucket = merge([of_sample([top] * len(NAMES))] * 1000)
    assert all(value is not None and value < 2**63 for value in bucket.values)
    assert bucket.rate_max < 2**63
    assert rate(top, 1) < 2**63
