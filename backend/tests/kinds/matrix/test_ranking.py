from assay.analysis.repeats import describe
from assay.kinds.matrix.best import GIVES_AWAY, rank
from assay.kinds.matrix.cells import Setting
from hypothesis import given
from hypothesis import strategies as st

SETTINGS = st.builds(Setting, st.sampled_from([4096, 65536, 262144]), st.sampled_from([1, 2, 4, 8]))
RATES = st.dictionaries(
    SETTINGS, st.lists(st.floats(1e6, 2e6), min_size=1, max_size=4), min_size=1, max_size=8
)


@given(RATES)
def test_the_best_has_the_greatest_mean_and_the_cheapest_is_within_noise_of_it(
    rates: dict[Setting, list[float]],
) -> None:
    found = rank(rates)
    assert found is not None
    assert describe(rates[found.best]).mean == max(describe(r).mean for r in rates.values())
    assert found.cheapest.cost <= found.best.cost
    if found.cheapest != found.best:
        assert not found.differences[found.cheapest].significant
        assert found.differences[found.cheapest].ratio >= 1 - GIVES_AWAY
    for setting, difference in found.differences.items():
        if not difference.significant and difference.ratio >= 1 - GIVES_AWAY:
            assert found.cheapest.cost <= setting.cost


def test_fewest_threads_come_before_small_buffers() -> None:
    rates = {
        Setting(4096, 8): [100.0],
        Setting(1048576, 1): [99.0],
        Setting(65536, 1): [98.5],
        Setting(4096, 1): [50.0],
    }
    found = rank(rates)
    assert found is not None
    assert (found.best, found.cheapest) == (Setting(4096, 8), Setting(65536, 1))


def test_half_the_rate_is_not_recommended_even_within_noise() -> None:
    rates = {Setting(65536, 1): [500.0, 1020.0], Setting(4194304, 1): [1930.0, 2160.0]}
    found = rank(rates)
    assert found is not None
    assert not found.differences[Setting(65536, 1)].significant
    assert found.cheapest == Setting(4194304, 1)


def test_there_is_nothing_to_rank_without_rates() -> None:
    assert rank({}) is None


def test_a_cell_is_described_by_mean_median_worst_and_spread() -> None:
    stat = describe([1.0, 2.0, 6.0])
    assert (stat.mean, stat.median, stat.worst, stat.n) == (
        3,
        2,
        1,
        3,
    )
    assert describe([1.0]).sd is None
