"""The throughput chart of a report."""

from collections.abc import Sequence
from typing import Any

from assay.history.reports.charts import FEWEST_FOR_A_LINE, series_chart

MB = 10**6
SECOND = 10**9


def series(
    rates: Sequence[float | None], count: int | None = None, sync: int = 0
) -> dict[str, Any]:
    """Return a series of one-second points, of which the last `sync` are of the final sync."""
    moving = len(rates) - sync
    return {
        "count": len(rates) if count is None else count,
        "columns": {
            "t_ns": [(number + 1) * SECOND for number in range(len(rates))],
            "dt_ns": [SECOND] * len(rates),
            "phase": [0] * moving + [1] * sync,
            **{f"rate_{of}_bytes_per_s": [*rates] for of in ("min", "mean", "max")},
        },
    }


def drawn(*of: dict[str, Any]) -> str:
    return series_chart("Throughput", of, [f"host {n}" for n in range(len(of))]).svg()


def test_under_ten_samples_are_points_in_the_middle_of_their_intervals() -> None:
    svg = drawn(series([100 * MB] * (FEWEST_FOR_A_LINE - 1)))
    assert svg.count("<circle") == FEWEST_FOR_A_LINE - 1
    assert "<path" not in svg
    # nine seconds over 684 pixels from 64 on, so the first second's middle is at 102
    assert 'cx="102.0"' in svg


def test_ten_samples_are_a_line_with_a_band() -> None:
    svg = drawn(series([100 * MB] * FEWEST_FOR_A_LINE))
    assert "<circle" not in svg
    assert svg.count("<path") == 2


def test_few_points_of_many_samples_are_a_line() -> None:
    assert "<circle" not in drawn(series([100 * MB] * 4, count=4000))


def test_each_series_is_drawn_by_its_own_number_of_samples() -> None:
    svg = drawn(series([100 * MB] * 20), series([50 * MB] * 3))
    assert (svg.count("<circle"), svg.count("<path")) == (3, 2)


def test_the_zeros_of_the_final_sync_are_not_drawn() -> None:
    svg = drawn(series([100 * MB] * 5 + [0], sync=1))
    assert svg.count("<circle") == 5
    assert ">6 s<" in svg


def test_an_unknown_rate_is_a_gap() -> None:
    svg = drawn(series([100 * MB] * 6 + [None] * 2 + [100 * MB] * 6))
    assert svg.count("<path") == 4
    assert drawn(series([100 * MB, None])).count("<circle") == 1
