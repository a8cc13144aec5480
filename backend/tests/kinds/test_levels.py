"""More than two lasting levels: every figure, sentence and verdict of each kind names them all."""

from itertools import accumulate, pairwise
from typing import Any

import pytest
from assay.analysis.levels import HeldRate, levels_words, since_fall
from assay.base.worded import plain
from assay.kinds.matrix.result import MatrixResult
from assay.kinds.records.result import RecordsResult
from assay.kinds.registry import KINDS
from assay.kinds.sustained.result import SustainedResult
from assay.runs.verdicts.criteria import parse
from assay.runs.verdicts.judging import Row, judge_run
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds.staircases import (
    MADE,
    MB,
    MIB,
    Result,
    Steps,
    of_matrix,
    of_records,
    of_seconds,
    of_sustained,
)
from kinds.tables import rows_of

FALLING: Steps = [(300 * MIB, 1000 * MB), (100 * MIB, 700 * MB), (30 * MIB, 300 * MB)]
"""A disk that is slowed down twice: after 1.0 GB, and after 1.7 GB of 2 GB."""

HALVING: Steps = [(300 * MIB, 2200 * MB), (200 * MIB, 1500 * MB), (100 * MIB, 800 * MB)]
RECOVERING: Steps = [(300 * MIB, 1000 * MB), (40 * MIB, 400 * MB), (300 * MIB, 1000 * MB)]
RISING: Steps = [(40 * MIB, 400 * MB), (100 * MIB, 700 * MB), (300 * MIB, 1500 * MB)]
BELOW: Steps = [(200 * MIB, 900 * MB), (40 * MIB, 300 * MB), (90 * MIB, 700 * MB)]
FOUR: Steps = [
    (400 * MIB, 1500 * MB),
    (300 * MIB, 1200 * MB),
    (150 * MIB, 900 * MB),
    (60 * MIB, 500 * MB),
]

CASES = {
    "300-100-30": FALLING,
    "300-200-100": HALVING,
    "300-40-300": RECOVERING,
    "40-100-300": RISING,
    "200-40-90": BELOW,
    "400-300-150-60": FOUR,
}
NAMES = {
    "matrix": ("durable.min", "durable.mean"),
    "sustained": ("durable.min", "durable.mean"),
    "records": ("records.min", "records.payload"),
}

Kinds = pytest.mark.parametrize("kind", list(MADE))
Cases = pytest.mark.parametrize("steps", CASES.values(), ids=list(CASES))


def levels_of(result: Result) -> list[HeldRate]:
    """Return the levels of a result's only trial."""
    if isinstance(result, MatrixResult):
        (flag,) = result.cells[0].trials[0].flags
        return list(flag.levels)
    if isinstance(result, SustainedResult):
        found = result.cells[0].trials[0].levels
        return found.held if found else []
    return list(result.cells[0].trials[0].levels)


def judge(result: Result, *criteria: str) -> list[Row]:
    kind = KINDS[result.kind]
    return judge_run(kind, kind.examples.parameters, result, [parse(one) for one in criteria])


def rate(kind: str, bytes_per_s: float) -> str:
    """Return a limit of the lowest rate: records per second, or bytes."""
    return f"{bytes_per_s / 1024:.3f} /s" if kind == "records" else f"{bytes_per_s:.0f} B/s"


@Kinds
@Cases
def test_every_level_is_found_at_its_place(kind: str, steps: Steps) -> None:
    found = levels_of(MADE[kind](steps))
    assert [one.bytes_per_s for one in found] == pytest.approx([one for one, _ in steps], rel=0.02)
    ends = list(accumulate(size for _, size in steps))
    assert [one.to_bytes for one in found] == pytest.approx(ends, rel=0.02)
    seconds = list(accumulate(size / one for one, size in steps))
    assert [one.to_ns / 1e9 for one in found] == pytest.approx(seconds, abs=0.2)


@Kinds
@Cases
def test_the_lowest_level_and_the_first_fall_decide_criteria(kind: str, steps: Steps) -> None:
    result = MADE[kind](steps)
    low = min(one for one, _ in steps)
    ends = list(accumulate(size for _, size in steps))
    falls = [end for end, ((a, _), (b, _)) in zip(ends, pairwise(steps), strict=False) if b < a]
    least, _ = NAMES[kind]
    above, below = judge(
        result, f"{least} >= {rate(kind, 1.05 * low)}", f"{least} >= {rate(kind, 0.95 * low)}"
    )
    assert (above.outcome, below.outcome) == ("fail", "pass")
    if falls:
        later, sooner = judge(
            result,
            f"cliff.after > {1.05 * falls[0]:.0f} B",
            f"cliff.after > {0.95 * falls[0]:.0f} B",
        )
        assert (later.outcome, sooner.outcome) == ("fail", "pass")
    if kind == "sustained":
        (even,) = judge(result, "level")
        assert even.outcome == "fail"


@Kinds
@Cases
def test_a_mean_is_judged_by_the_lowest_and_the_last_level(kind: str, steps: Steps) -> None:
    result = MADE[kind](steps)
    rates, total = [one for one, _ in steps], sum(size for _, size in steps)
    mean = total / sum(size / one for one, size in steps)
    least, most = min(mean, *rates[1:]), max(mean, rates[-1])
    _, name = NAMES[kind]
    limits = {0.9 * least: "pass", 1.1 * most: "fail"}
    if most > 1.3 * least:
        limits[(least + most) / 2] = "inconclusive"
    rows = judge(result, *(f"{name} >= {limit:.0f} B/s" for limit in limits))
    assert [row.outcome for row in rows] == list(limits.values())
    assert all("cliff" in {doubt.code for doubt in row.doubts} for row in rows)


@Kinds
@Cases
def test_lists_headlines_and_reports_have_levels_and_no_mean(kind: str, steps: Steps) -> None:
    result = MADE[kind](steps)
    levels, found = levels_of(result), KINDS[kind].outcome(result)
    assert found.headline_levels == levels
    said = plain(levels_words(levels))
    assert any(said in sentence for sentence in KINDS[kind].report(result.model_dump()).sentences)
    headline = found.headline.model_dump() if found.headline else {}
    figure: dict[str, Any] = headline if kind == "records" else headline["figure"]
    assert figure["bytes_per_s"] is None
    assert figure["levels"]
    assert headline["selected"] is None


@Kinds
@Cases
def test_tables_have_every_level(kind: str, steps: Steps) -> None:
    result = MADE[kind](steps)
    rates = [round(one.bytes_per_s) for one in levels_of(result)]
    (row, *_) = rows_of(result)
    if kind != "matrix":
        assert [int(one) for one in row["levels_bytes_per_s"].split(",")] == rates
    flags = row["cell_flags" if kind == "matrix" else "flags"].split()
    assert any(flag.partition(":")[0] == "cliff" for flag in flags)


def test_a_rate_is_carried_by_the_last_level_and_buffered_by_the_lowest() -> None:
    """OC-12 is 77.8 MB/s, OC-3 19.4 and 1 Gb/s 125: never a mean of two levels decides."""

    def carried(steps: Steps, key: str) -> Any:
        result = MADE["sustained"](steps)
        assert isinstance(result, SustainedResult)
        return next(one for one in result.cells[0].carry if one.key == key)

    falling = carried(FALLING, "oc12")
    assert (falling.carried, falling.margin) == ("no", pytest.approx(31.46 / 77.76 - 1, abs=0.02))
    assert falling.decides and falling.decides.begin_bytes == pytest.approx(1.7e9, rel=0.02)
    slow = carried(FALLING, "oc3")
    assert (slow.carried, slow.margin) == ("yes", pytest.approx(31.46 / 19.44 - 1, abs=0.05))
    recovering = carried(RECOVERING, "oc12")
    assert recovering.carried == "buffered"
    lacks = (77.76 - 41.94) / 41.94 * 400e6
    assert recovering.buffer_most_bytes == pytest.approx(lacks, rel=0.05)
    assert recovering.decides and recovering.decides.begin_bytes == pytest.approx(1e9, rel=0.02)
    assert carried(RECOVERING, "1g").carried == "buffered"
    assert carried(RISING, "oc3").margin == pytest.approx(41.94 / 19.44 - 1, abs=0.05)


def test_no_shape_is_named_where_there_are_levels() -> None:
    for steps in CASES.values():
        result = MADE["sustained"](steps)
        assert isinstance(result, SustainedResult)
        assert {one.code for one in result.warnings} & {"decline", "rise", "sawtooth"} == set()
        assert result.cells[0].trials[0].shape is None


@pytest.mark.parametrize("seed", range(5))
def test_memory_that_is_full_in_a_short_window_of_records_is_found(seed: int) -> None:
    """Without a warm-up, in a window of six seconds, from 123 to 29.6 MB/s after 1.9 s."""
    steps = of_seconds((123e6, 1.9), (29.6e6, 4.1))
    result = of_records(steps, cv=0.08, seed=seed)
    assert isinstance(result, RecordsResult)
    fast, slow = levels_of(result)
    assert (fast.bytes_per_s, slow.bytes_per_s) == (
        pytest.approx(123e6, rel=0.07),
        pytest.approx(29.6e6, rel=0.07),
    )
    assert fast.to_ns == pytest.approx(1.9e9, abs=2e8)
    (trial,) = result.cells[0].trials
    assert trial.faded is None
    headline = result.headline
    assert headline and headline.levels == trial.levels and headline.bytes_per_s is None
    (row,) = judge(result, "records.rate >= 50 k/s")
    assert row.outcome == "inconclusive"
    (low,) = judge(result, "records.min >= 40 k/s")
    assert low.outcome == "fail"


def test_a_change_in_the_warm_up_is_none_of_the_window() -> None:
    steps = of_seconds((300e6, 3), (100e6, 10))
    result = of_records(steps, warm_up_s=5)
    (trial,) = result.cells[0].trials
    assert trial.levels == [] and trial.cliff and len(trial.cliff.levels) == 2
    assert result.headline and result.headline.levels is None and result.headline.bytes_per_s


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.3, 0.5, 0.7, 1.5, 2.5]), st.floats(2, 8)),
        min_size=1,
        max_size=3,
    ),
    st.floats(0.3, 1.3),
    st.integers(0, 1000),
)
def test_levels_tile_the_trial_and_verdicts_agree_with_them(
    changes: list[tuple[float, float]], share: float, seed: int
) -> None:
    rates = list(accumulate((factor for factor, _ in changes), lambda a, b: a * b, initial=200e6))
    seconds = [4.0, *(length for _, length in changes)]
    result = of_matrix(of_seconds(*zip(rates, seconds, strict=True)), cv=0.03, seed=seed)
    (trial,) = result.cells[0].trials
    levels = levels_of(result)
    assert (levels[0].from_bytes, levels[0].from_ns) == (0, 0)
    assert levels[-1].to_bytes == trial.bytes
    for one, other in pairwise(levels):
        assert (one.to_ns, one.to_bytes) == (other.from_ns, other.from_bytes)
    limit = share * (trial.application_bytes_per_s or 0)
    least, mean = judge(
        result, f"durable.min >= {limit:.0f} B/s", f"durable.mean >= {limit:.0f} B/s"
    )
    lowest, last = min(one.bytes_per_s for one in levels), levels[-1].bytes_per_s
    assert least.measured == lowest
    assert (least.outcome == "pass") == (lowest >= limit)
    if mean.outcome == "pass":
        fallen = since_fall(levels) or levels[-1:]
        assert min(one.bytes_per_s for one in fallen) >= limit - 1
    if mean.outcome == "fail":
        assert last < limit


def test_a_rate_that_only_rose_does_not_fall_back() -> None:
    """100 MB/s, then 150, then 300 for long: a longer trial has a higher mean."""
    rising = of_sustained(of_seconds((100 * MB, 5), (150 * MB, 5), (300 * MB, 40)))
    (row,) = judge(rising, "durable.mean >= 250 MB/s")
    assert row.outcome == "pass"
    fallen = of_sustained(of_seconds((300 * MB, 10), (40 * MB, 4), (300 * MB, 40)))
    (row,) = judge(fallen, "durable.mean >= 250 MB/s")
    assert row.outcome == "inconclusive"


def teeth(high: float, low: float, half_s: float, length_s: float) -> Steps:
    """Return rates that alternate, each for so long."""
    return [*of_seconds((high * MB, half_s), (low * MB, half_s))] * round(length_s / half_s / 2)


FALLS_BESIDE_TEETH: dict[str, tuple[Steps, float, float, float]] = {
    "teeth, then low": ([*teeth(200, 80, 1, 20), *of_seconds((20 * MB, 20))], 140, 20, 2800),
    "teeth, then lower teeth": ([*teeth(280, 120, 1, 14), *teeth(70, 30, 1, 14)], 200, 50, 2800),
    "high, then teeth": ([*of_seconds((200 * MB, 15)), *teeth(80, 20, 1, 20)], 200, 50, 3000),
    "high, then quick teeth": (
        [*of_seconds((200 * MB, 15)), *teeth(80, 20, 0.5, 20)],
        200,
        50,
        3000,
    ),
}
"""Rates, then those before and after the fall in MB/s, and where it is in MB."""


@pytest.mark.parametrize("kind", ["matrix", "sustained"])
@pytest.mark.parametrize("case", FALLS_BESIDE_TEETH)
def test_a_fall_beside_rates_that_alternate_is_found(kind: str, case: str) -> None:
    steps, before, after, at = FALLS_BESIDE_TEETH[case]
    levels = levels_of(MADE[kind](steps, cv=0.03))
    assert [one.bytes_per_s / MB for one in levels] == pytest.approx([before, after], rel=0.1)
    assert levels[1].from_bytes / MB == pytest.approx(at, rel=0.1)


@pytest.mark.parametrize("kind", ["matrix", "sustained"])
@pytest.mark.parametrize("half_s", [1, 2, 3])
def test_rates_that_alternate_all_the_time_have_one_level(kind: str, half_s: int) -> None:
    result = MADE[kind](teeth(200, 40, half_s, 10 * half_s), cv=0.03)
    if isinstance(result, MatrixResult):
        assert not result.cells[0].trials[0].flags
    else:
        assert levels_of(result) == []


def declining(high: float, low: float, length_s: float) -> Steps:
    """Return rates in MB/s that go down evenly in 40 steps."""
    rates = (high + (low - high) * at / 40 for at in range(40))
    return of_seconds(*((rate * MB, length_s / 40) for rate in rates))


@pytest.mark.parametrize("kind", ["matrix", "sustained"])
def test_a_decline_before_a_fall_is_one_level(kind: str) -> None:
    """From 200 to 131 MB/s in 14 s, then 30: it fell for good after 2.3 GB, not before."""
    steps = [*declining(200, 131, 14), *of_seconds((30 * MB, 10))]
    seen = [levels_of(MADE[kind](steps, cv=0.03, seed=seed)) for seed in range(20)]
    single = [levels for levels in seen if len(levels) == 2]
    assert len(single) >= 0.8 * len(seen)
    for levels in single:
        assert [one.bytes_per_s / MB for one in levels] == pytest.approx([166, 30], rel=0.03)
        assert levels[1].from_bytes / MB == pytest.approx(2330, rel=0.03)


@pytest.mark.parametrize("kind", ["matrix", "sustained"])
@pytest.mark.parametrize("seed", range(5))
def test_how_low_a_decline_ends_is_not_lost(kind: str, seed: int) -> None:
    """300 MB/s for 10 s, then from 200 to 100 in 20 s."""
    steps = [*of_seconds((300 * MB, 10)), *declining(200, 100, 20)]
    levels = levels_of(MADE[kind](steps, cv=0.03, seed=seed))
    assert levels[0].bytes_per_s / MB == pytest.approx(300, rel=0.03)
    assert levels[-1].bytes_per_s / MB < 125
