"""Shares of CPU time against the kernel's tick."""

from assay.runs.samples.series import LEAST_TICKS, Cpus, shares, windows
from hypothesis import given
from hypothesis import strategies as st

MS = 10**6
TWO = Cpus(2, 10 * MS)


def of(name: str, values: list[int], lengths: list[int], cpus: Cpus = TWO) -> list[object]:
    return list(shares({name: values}, lengths, lengths, cpus).columns[name])


@given(st.lists(st.integers(0, 300 * MS)))
def test_groups_cover_all_intervals_and_none_is_shorter_than_the_least(lengths: list[int]) -> None:
    groups = windows(lengths, 200 * MS)
    covered = [i for group in groups for i in group]
    assert covered == (list(range(len(lengths))) if sum(lengths) >= 200 * MS else [])
    assert all(sum(lengths[i] for i in group) >= 200 * MS for group in groups)


def test_a_tick_in_a_shorter_interval_is_not_a_share() -> None:
    """A tick of 10 ms in 6.5 ms was shown as 1.55."""
    assert of("cpu_busiest", [10 * MS], [6 * MS + MS // 2]) == [None]
    assert LEAST_TICKS * 10 * MS == 200 * MS
    assert of("cpu_busiest", [100 * MS] * 3, [90 * MS] * 3) == [1, 1, 1]


def test_short_intervals_share_the_figure_of_their_group() -> None:
    lengths, busy = [100 * MS] * 4, [0, 100 * MS, 40 * MS, 20 * MS]
    assert of("cpu_busiest", busy, lengths) == [0.5, 0.5, 0.3, 0.3]
    assert of("cpu_system", busy, lengths) == [0.25, 0.25, 0.15, 0.15]


def test_the_system_share_and_the_busiest_core_are_of_the_same_time() -> None:
    """System 97 % was relative to counted ticks, the busiest core's 18 % to the time."""
    ticks = {"cpu_system": [40 * MS], "cpu_busiest": [40 * MS], "cpu_user": [0]}
    found = shares(ticks, [220 * MS], [220 * MS], TWO).columns
    assert found["cpu_system"] == [0.091]
    assert found["cpu_busiest"] == [0.182]


def test_a_share_above_one_is_reported_and_not_shown() -> None:
    lengths = [1000 * MS] * 3
    found = shares({"cpu_user": [1000 * MS, 2020 * MS, 4000 * MS]}, lengths, [1, 2, 3], TWO)
    assert found.columns["cpu_user"] == [0.5, 1, None]
    (report,) = found.implausible
    assert (report.column, report.t_ns, report.share, report.count) == ("cpu_user", 3, 2.0, 1)


def test_a_busiest_core_below_the_mean_is_reported_and_not_shown() -> None:
    busy = {"cpu_system": [1600 * MS, 200 * MS], "cpu_busiest": [180 * MS, 150 * MS]}
    found = shares(busy, [1000 * MS] * 2, [1, 2], TWO)
    assert found.columns["cpu_busiest"] == [None, 0.15]
    assert [(one.column, one.share) for one in found.implausible] == [("cpu_busiest", 0.18)]


def test_values_without_a_counter_stay_null() -> None:
    found = shares({"dev_busy": [None, None]}, [1000 * MS] * 2, [1, 2], TWO)
    assert found.columns["dev_busy"] == [None, None]
