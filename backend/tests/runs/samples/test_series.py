from assay.runs.samples.blocks import COURSE, Course, SampleRow, columns_of, merged, of_samples
from assay.runs.samples.columns import NAMES
from assay.runs.samples.series import Cpus, columns, thin
from hypothesis import given
from hypothesis import strategies as st
from testing.spools import SECOND, sample_values


def bucket(**values: int | None) -> SampleRow:
    return sample_values(**{"dt_ns": SECOND, **values})


def course(rows: list[SampleRow]) -> Course:
    return of_samples(columns_of(rows))


UNKNOWN = st.none() | st.integers(0, 10**9)


@given(st.lists(st.tuples(st.integers(0, 10**9), UNKNOWN), min_size=1), st.integers(1, 50))
def test_thinning_merges_neighbors_as_roll_ups_do(
    seen: list[tuple[int, int | None]], points: int
) -> None:
    whole = [bucket(bytes=n, lat_max_ns=n, fs_free_bytes=n, dev_write_bytes=d) for n, d in seen]
    thinned = thin(course(whole), points)
    width = -(-len(whole) // points)
    groups = [course(whole[i : i + width]) for i in range(0, len(whole), width)]
    buckets = [merged(group, width) for group in groups]
    assert len(buckets) <= points
    for name in (column.name for column in COURSE):
        assert list(thinned[name]) == [value for one in buckets for value in one[name]]
    assert set(NAMES) < set(thinned)


@given(st.integers(10_000, 2**63 - 1))
def test_amounts_keep_four_digits(amount: int) -> None:
    shown, _ = columns(course([bucket(mem_available_bytes=amount)]), Cpus())
    found = shown.mem_available_bytes[0]
    assert found is not None
    step = 10 ** (len(str(amount)) - 4)
    assert found % step == 0
    assert abs(found - amount) <= step / 2


def test_rates_are_per_second_and_shares_are_fractions() -> None:
    found, _ = columns(
        course(
            [
                bucket(
                    bytes=123_456_789,
                    ops=3,
                    lat_sum_ns=3000,
                    cpu_user_ns=SECOND,
                    cpu_idle_ns=3 * SECOND,
                    cpu_busiest_ns=SECOND // 2,
                    dev_write_bytes=50_000_000,
                    net_rx_bytes=7_000,
                    net_tx_bytes=9_000_000,
                    psi_io_full_ns=SECOND // 4,
                    host_dt_ns=SECOND,
                    cpu_steal_ns=2 * SECOND,
                )
            ]
        ),
        Cpus(4),
    )
    assert found.cpu_steal == [0.5]
    assert found.rate_mean_bytes_per_s == [123_500_000]
    assert found.ops_per_s == [3]
    assert found.lat_mean_ns == [1000]
    assert found.cpu_user == [0.25]
    assert found.cpu_busiest == [0.5]
    assert found.dev_write_bytes_per_s == [50_000_000]
    assert found.net_rx_bytes_per_s == [7_000]
    assert found.net_tx_bytes_per_s == [9_000_000]
    assert found.psi_io_full == [0.25]


def test_counters_of_a_long_interval_are_per_second() -> None:
    counted = {"net_rx_bytes": 7_000, "net_tx_bytes": 9_000, "dev_write_bytes": 5_000}
    found, _ = columns(course([bucket(dt_ns=2 * SECOND, **counted)]), Cpus(4))
    rates = found.net_rx_bytes_per_s, found.net_tx_bytes_per_s, found.dev_write_bytes_per_s
    assert rates == ([3_500], [4_500], [2_500])


def test_unknown_values_stay_null_and_zeros_stay_zero() -> None:
    found, _ = columns(course([bucket(), bucket(dt_ns=0)]), Cpus())
    assert found.rate_mean_bytes_per_s == [0, None]
    assert found.dev_write_bytes_per_s == [None, None]
    assert found.lat_mean_ns == [None, None]
    assert found.rate_min_bytes_per_s == [0, 0]
