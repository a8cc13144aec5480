from assay.samples.rollup import Bucket, of_sample
from assay.samples.series import columns, thin
from hypothesis import given
from hypothesis import strategies as st
from spools import SECOND, sample_values


def bucket(**values: int | None) -> Bucket:
    return of_sample(sample_values(**{"dt_ns": SECOND, **values}))


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=300), st.integers(1, 50))
def test_thinning_keeps_every_byte_and_every_peak(peaks: list[int], points: int) -> None:
    thinned = thin([bucket(bytes=peak, lat_max_ns=peak) for peak in peaks], points)
    assert len(thinned) <= points
    assert sum(b.count for b in thinned) == len(peaks)
    assert min(b.rate_min for b in thinned) == min(peaks)
    assert max(b.rate_max for b in thinned) == max(peaks)


def test_rates_are_per_second_and_shares_of_their_whole() -> None:
    found = columns(
        [
            bucket(
                bytes=123_456_789,
                ops=3,
                lat_sum_ns=3000,
                cpu_user_ns=SECOND,
                cpu_idle_ns=3 * SECOND,
                cpu_busiest_ns=SECOND // 2,
                dev_write_bytes=50_000_000,
                psi_io_full_ns=SECOND // 4,
            )
        ]
    )
    assert found.rate_mean == [123_500_000]
    assert found.lat_mean_ns == [1000]
    assert found.cpu_user == [0.25]
    assert found.cpu_busiest == [0.5]
    assert found.dev_write_bps == [50_000_000]
    assert found.psi_io_full == [0.25]


def test_what_is_unknown_stays_unknown_and_what_is_nothing_is_zero() -> None:
    found = columns([bucket(), bucket(dt_ns=0)])
    assert found.rate_mean == [0, None]
    assert found.dev_write_bps == [None, None]
    assert found.lat_mean_ns == [None, None]
    assert found.rate_min == [0, 0]
