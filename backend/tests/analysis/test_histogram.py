import json
from pathlib import Path

import pytest
from assay.analysis.histogram import LIMIT, STEPS, index, lower, merge, middle, of_steps
from hypothesis import given
from hypothesis import strategies as st

CONTRACT = Path(__file__).parents[3] / "worker" / "probe" / "contract" / "histogram.json"
LATENCIES = st.integers(0, 2**41)


def of(values: list[int]):
    steps = [[index(value), 1] for value in values]
    return of_steps(steps, min(values, default=None), max(values, default=0), sum(values))


@given(LATENCIES)
def test_a_latency_lies_in_its_step_and_near_the_middle(ns: int) -> None:
    step = index(ns)
    ns = min(ns, LIMIT)
    assert 0 <= step < STEPS
    assert lower(step) <= ns < lower(step + 1)
    assert abs(middle(step) - ns) <= ns / 128


def test_steps_follow_each_other_without_gap_and_are_exact_below_128_ns() -> None:
    assert [index(ns) for ns in range(128)] == list(range(128))
    assert all(lower(step) < lower(step + 1) for step in range(STEPS))
    assert lower(STEPS) == LIMIT + 1


@given(st.lists(LATENCIES, max_size=50), st.lists(LATENCIES, max_size=50))
def test_merging_loses_nothing(a: list[int], b: list[int]) -> None:
    assert merge([of(a), of(b)]) == merge([of(b), of(a)]) == merge([of(a + b)])


@given(st.lists(st.integers(0, LIMIT), min_size=1, max_size=80), st.floats(0, 1))
def test_a_percentile_is_within_0_8_percent_of_the_true_one(values: list[int], q: float) -> None:
    found = of(values).percentile(q)
    assert found is not None
    ordered = sorted(values)
    true = next(v for i, v in enumerate(ordered) if i + 1 >= q * len(ordered))
    assert abs(found - true) <= true / 128


@given(st.lists(st.integers(0, LIMIT), min_size=1))
def test_the_mean_and_the_extremes_are_exact(values: list[int]) -> None:
    latency = of(values)
    assert latency.mean_ns == sum(values) / len(values)
    assert latency.percentile(1) is not None
    assert latency.least_ns == min(values) and latency.greatest_ns == max(values)
    assert min(values) <= (latency.percentile(0) or 0) <= max(values)


@pytest.mark.parametrize(
    ("others", "longest", "stall"),
    [
        (1, 500, 500),
        (1, 250, None),  # as a throttle pauses
        (99, 500, 500),
        (101, 500, None),  # all take long
        (1600, 1700, None),  # 64 MiB blocks at 40 MiB/s
    ],
)
def test_a_stall_is_an_outlier(others: int, longest: int, stall: int | None) -> None:
    milliseconds = [others] * 20 + [longest]
    found = of([value * 10**6 for value in milliseconds]).stall_ns
    assert found == (stall and stall * 10**6)


def test_without_operations_figures_are_null() -> None:
    latency = of([])
    assert latency.mean_ns is None and latency.percentile(0.5) is None and latency.stall_ns is None


def test_a_latency_past_the_last_step_keeps_its_exact_maximum() -> None:
    assert of([2**45]).greatest_ns == 2**45
    assert index(2**45) == STEPS - 1


def test_the_steps_are_those_of_the_contract() -> None:
    contract = json.loads(CONTRACT.read_text())
    assert contract["steps"] == STEPS
    for example in contract["examples"]:
        step = index(example["ns"])
        assert step == example["step"]
        assert lower(step) == example["lower"]
        assert lower(step + 1) - lower(step) == example["width"]
