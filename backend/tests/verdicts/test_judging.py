"""Judging: outcomes follow limit, doubts and waivers, and never depend on when they are made."""

from typing import Any

import pytest
from assay.kinds.metrics import Doubt, Measurement
from assay.kinds.registry import KINDS
from assay.verdicts.criteria import Criterion, Quantity, parse
from assay.verdicts.judging import GRAVITY, gravest, judge, judge_run, margin
from assay.verdicts.queries import combined
from assay.verdicts.schemas import VerdictSummary
from hypothesis import given
from hypothesis import strategies as st

MATRIX = KINDS["matrix"]

doubts = st.lists(
    st.builds(
        Doubt,
        st.sampled_from(["cache_served", "contended", "censored", "bounded"]),
        st.just("why"),
        st.just({}),
        st.sampled_from(["upper", "lower", None]),
    ),
    max_size=3,
)
measurements = st.builds(
    lambda value, doubts: Measurement(value, doubts=doubts),
    st.one_of(st.none(), st.floats(0, 1e12)),
    doubts,
)
operators = st.sampled_from([">=", ">", "<=", "<"])
EASE = {"fail": 0, "inconclusive": 1, "pass": 2}


def _criterion(operator: Any, limit: int) -> Criterion:
    return Criterion("app.mean", (), operator, Quantity(str(limit), "B/s"))


@given(measurements, operators, st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_stricter_limit_never_gives_a_better_outcome(
    measurement: Measurement, operator: str, one: int, other: int
) -> None:
    low, high = sorted((one, other))
    easy, strict = (low, high) if operator.startswith(">") else (high, low)
    at_easy = EASE[judge(_criterion(operator, easy), measurement)[0]]
    assert EASE[judge(_criterion(operator, strict), measurement)[0]] <= at_easy


@given(measurements, operators, st.integers(0, 10**12))
def test_judging_twice_gives_the_same_and_inconclusive_has_a_reason(
    measurement: Measurement, operator: str, limit: int
) -> None:
    criterion = _criterion(operator, limit)
    outcome, why = judge(criterion, measurement)
    assert (outcome, why) == judge(criterion, measurement)
    assert outcome != "inconclusive" or why


@given(measurements, operators, st.integers(1, 10**12))
def test_the_margin_is_negative_exactly_if_the_limit_is_missed(
    measurement: Measurement, operator: str, limit: int
) -> None:
    criterion = _criterion(operator, limit)
    found = margin(criterion, measurement.value)
    outcome, _ = judge(criterion, Measurement(measurement.value))
    if found:
        assert (found > 0) == (outcome == "pass")


@given(st.lists(st.sampled_from(GRAVITY), min_size=1), st.randoms())
def test_the_gravest_outcome_wins_in_any_order(outcomes: list[Any], random: Any) -> None:
    shuffled = list(outcomes)
    random.shuffle(shuffled)
    found = gravest(shuffled)
    assert found == gravest(outcomes) == min(outcomes, key=GRAVITY.index)
    assert GRAVITY == ("fail", "inconclusive", "waived", "pass")


@given(
    st.lists(
        st.builds(
            lambda outcome, rules: VerdictSummary(
                outcome=outcome, failed=0, inconclusive=0, waived=0, passed=0, rules=[rules]
            ),
            st.sampled_from(GRAVITY),
            st.sampled_from(["8.1", "9.1", "9.2"]),
        ),
        min_size=1,
    )
)
def test_verdicts_of_different_rules_are_never_combined_into_a_pass(
    parts: list[VerdictSummary],
) -> None:
    found = combined(parts)
    assert found.rules == sorted({rule for part in parts for rule in part.rules})
    if len(found.rules) > 1:
        assert found.outcome in ("fail", "inconclusive")


@pytest.mark.parametrize(
    ("text", "value", "bound", "outcome"),
    [
        ("app.mean >= 5 B/s", 6, None, "inconclusive"),
        ("app.mean >= 5 B/s", 4, None, "inconclusive"),
        ("app.mean >= 5 B/s", 6, "upper", "inconclusive"),  # a cache may have served it
        ("app.mean >= 5 B/s", 4, "upper", "fail"),  # even the cache was too slow
        ("app.mean >= 5 B/s", 6, "lower", "pass"),
        ("app.mean >= 5 B/s", 4, "lower", "inconclusive"),
        ("stall.max < 5 ns", 4, "lower", "inconclusive"),
        ("stall.max < 5 ns", 6, "lower", "fail"),
        ("steady", 1, "upper", "inconclusive"),
        ("steady", 0, "upper", "fail"),
        ("steady", 1, "lower", "pass"),
        ("steady", 0, "lower", "inconclusive"),
    ],
)
def test_a_doubt_undermines_only_what_the_true_value_may_change(
    text: str, value: float, bound: Any, outcome: str
) -> None:
    doubt = Doubt("cache_served", "why", bound=bound)
    assert judge(parse(text), Measurement(value, doubts=[doubt]))[0] == outcome


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("cliff.after > 99 GB", "pass"),
        ("cliff.after > 100 GB", "pass"),
        ("cliff.after > 101 GB", "inconclusive"),
        ("cliff.after < 100 GB", "fail"),
        ("cliff.after < 101 GB", "inconclusive"),
    ],
)
def test_a_trial_without_a_cliff_only_tells_of_the_bytes_that_it_moved(
    text: str, outcome: str
) -> None:
    none = Doubt("censored", "none seen", bound="lower")
    assert judge(parse(text), Measurement(100e9, doubts=[none]))[0] == outcome


def _rows(*texts: str, **changes: Any) -> dict[str, Any]:
    result = MATRIX.result.model_validate(MATRIX.examples.result | changes)
    rows = judge_run(MATRIX, MATRIX.examples.parameters, result, [parse(one) for one in texts])
    return {row.criterion: row for row in rows}


def _cell(**changes: Any) -> list[dict[str, Any]]:
    return [MATRIX.examples.result["cells"][0] | changes]


def test_a_matrix_gives_value_limit_margin_and_evidence() -> None:
    (row,) = _rows("durable.mean >= 1250 MB/s").values()
    assert (row.outcome, row.measured, row.limit) == ("pass", 1.39e9, 1.25e9)
    assert row.margin == pytest.approx(0.112)
    assert row.evidence.trial_id == 101
    assert row.evidence.parameters == {"block": 262144, "threads": 1}


def test_a_criterion_judges_only_runs_whose_operation_has_its_metric() -> None:
    assert list(_rows("read.p99 < 1 s", "write.p99 < 1 s")) == ["write.p99 < 1 s"]


def test_who_served_the_data_matters_to_durability_and_not_to_the_application() -> None:
    source = {
        "source": "page_cache",
        "reason": "device_bytes",
        "evidence": "After the sync, 3 % of the data had reached the device.",
        "figures": {},
        "participant_id": None,
    }
    cells = _cell(served_by={"application": source, "durable": source})
    rows = _rows("durable.mean >= 1 GB/s", "durable.min > 2 GB/s", "app.mean > 1 GB/s", cells=cells)
    assert [row.outcome for row in rows.values()] == ["inconclusive", "fail", "pass"]
    (doubt,) = rows["durable.mean >= 1 GB/s"].doubts
    assert doubt.code == "cache_served"


@pytest.mark.parametrize("code", ["contended", "too_short", "suspended"])
def test_a_cell_without_a_reliable_trial_is_inconclusive(code: str) -> None:
    flag = {
        "code": code,
        "evidence": "why",
        "figures": {},
        "rates": ["durable", "application"],
        "participant_id": None,
    }
    (cell,) = _cell()
    cell["trials"] = [cell["trials"][0] | {"flags": [flag]}]
    rows = _rows("durable.mean > 1 MB/s", "stall.max < 1 h", "app.min > 1 MB/s", cells=[cell])
    assert {row.outcome for row in rows.values()} == {"inconclusive"}
    assert {doubt.code for row in rows.values() for doubt in row.doubts} == {code}


def test_a_mean_over_a_cliff_fails_but_does_not_pass() -> None:
    flag = {
        "code": "cliff",
        "evidence": "After 4 s the rate fell.",
        "figures": {
            "before_bytes": 4e9,
            "before_bytes_per_s": 2e9,
            "after_bytes_per_s": 4e8,
            "flagged_trials": 1,
            "trials": 1,
        },
        "rates": ["durable", "application"],
        "participant_id": None,
    }
    (cell,) = _cell(flags=[flag])
    cell["trials"] = [cell["trials"][0] | {"flags": [flag]}]
    rows = _rows(
        "durable.mean > 1 GB/s",
        "durable.mean > 2 GB/s",
        "durable.min > 1 GB/s",
        "cliff.after > 5 GB",
        "cliff.after > 3 GB",
        cells=[cell],
    )
    outcomes = [row.outcome for row in rows.values()]
    assert outcomes == ["inconclusive", "fail", "fail", "fail", "pass"]
    assert rows["durable.min > 1 GB/s"].measured == 4e8


def test_a_percentile_of_too_few_operations_is_inconclusive() -> None:
    (cell,) = _cell()
    cell["latency"] = cell["latency"] | {"operations": 900}
    rows = _rows("write.p99 < 1 s", "write.p99.9 < 1 s", cells=[cell])
    assert [row.outcome for row in rows.values()] == ["pass", "inconclusive"]


def test_an_interrupted_run_is_inconclusive() -> None:
    warning = {
        "code": "cut_short",
        "message": "The run was canceled: none of the planned trials was completed.",
        "figures": {"trials": 0.0, "planned_trials": 5.0},
        "rate": None,
    }
    nothing = {"durable": None, "application": None}
    rows = _rows("durable.mean > 1 B/s", "stall.max < 1 h", cells=[], best=nothing,
                 warnings=[warning])  # fmt: skip
    assert {row.outcome for row in rows.values()} == {"inconclusive"}
    assert {doubt.code for row in rows.values() for doubt in row.doubts} == {"interrupted"}
