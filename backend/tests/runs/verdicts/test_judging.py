"""Judging: outcomes follow limit, doubts and waivers, and never depend on when they are made."""

from dataclasses import asdict
from math import isfinite
from typing import Any

import pytest
from assay.analysis.levels import HeldRate
from assay.kinds.bounds import SENSES, TABLE, Cause, effect
from assay.kinds.doubts import of_levels
from assay.kinds.metrics import Doubt, Measurement, Sense
from assay.kinds.registry import KINDS
from assay.runs.verdicts.criteria import Amount, Criterion, parse
from assay.runs.verdicts.judging import GRAVITY, gravest, judge, judge_run, margin
from assay.runs.verdicts.queries import combined
from assay.runs.verdicts.schemas import VerdictSummary
from golden.runs import KIB, matrix
from hypothesis import given
from hypothesis import strategies as st
from testing.levels import cliff_flag, held_levels

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
    return Criterion("app.mean", (), operator, Amount(str(limit), "B/s"))


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


@given(
    st.sampled_from(list(TABLE)),
    st.sampled_from(SENSES),
    st.sampled_from(list(TABLE)),
    st.floats(0, 1e12),
    st.floats(0, 1e12),
    operators,
    st.integers(0, 10**12),
)
def test_no_doubt_of_the_table_could_turn_a_decided_outcome(
    cause: Cause, sense: Sense, other: Cause, value: float, true: float, operator: str, limit: int
) -> None:
    """The true value is any that one of two doubts allows; only what it may change is undecided."""
    criterion = _criterion(operator, limit)
    effects = [effect(cause, sense), effect(other, sense)]
    bounds = [one for one in effects if one not in ("none", "stated")]
    ranges = [Doubt("contended", "why", bound=None if b == "either" else b) for b in bounds]
    outcome, why = judge(criterion, Measurement(value, doubts=ranges))
    alone = judge(criterion, Measurement(value))[0]
    assert outcome in (alone, "inconclusive")
    possible = {value} | {
        true for one in ranges if one.ends(value)[0] <= true <= one.ends(value)[1]
    }
    truths = {judge(criterion, Measurement(one))[0] for one in possible}
    if outcome != "inconclusive":
        assert truths == {outcome}
        assert why == ranges, "notes remain"
    else:
        ends = [end for one in why for end in one.ends(value)]
        reached = {judge(criterion, Measurement(end))[0] for end in ends if isfinite(end)}
        unbounded = {"pass" if (e > 0) == operator.startswith(">") else "fail"
                     for e in ends if not isfinite(e)}  # fmt: skip
        assert reached | unbounded == {"pass", "fail"}


@given(
    st.lists(st.floats(1, 1e12), min_size=1, max_size=4),
    st.floats(1, 1e12),
    operators,
    st.integers(0, 10**12),
)
def test_the_mean_and_the_lowest_and_the_last_level_decide_if_they_agree(
    later: list[float], mean: float, operator: str, limit: int
) -> None:
    criterion = _criterion(operator, limit)
    doubts = of_levels(mean, [_levels([mean, *later])], "It fell.", {})
    outcome, _ = judge(criterion, Measurement(mean, doubts=doubts))
    each = {judge(criterion, Measurement(one))[0] for one in (mean, min(later), later[-1])}
    assert outcome == (each.pop() if len(each) == 1 else "inconclusive")


@pytest.mark.parametrize(
    ("mean", "later", "text", "outcome"),
    [
        (45.2, [31.5], "app.mean >= 30 MB/s", "pass"),  # 60.2, then 31.5: every level meets it
        (45.2, [31.5], "app.mean >= 40 MB/s", "inconclusive"),
        (45.2, [31.5], "app.mean >= 50 MB/s", "fail"),  # a longer trial is slower still
        (45.2, [31.5], "app.mean <= 50 MB/s", "pass"),
        (45.2, [31.5], "app.mean <= 31 MB/s", "fail"),
        (105, [100, 31.5], "app.mean >= 60 MB/s", "inconclusive"),  # 300, 100, 31.5
        (105, [100, 31.5], "app.mean >= 31 MB/s", "pass"),
        (203, [40, 300], "app.mean >= 100 MB/s", "inconclusive"),  # 300, 40, 300
        (203, [40, 300], "app.mean >= 250 MB/s", "inconclusive"),
        (203, [40, 300], "app.mean >= 301 MB/s", "fail"),
        (203, [40, 300], "app.mean >= 39 MB/s", "pass"),
        (105, [100, 31.5], "app.mean >= 106 MB/s", "fail"),
        (50, [60], "app.mean >= 50 MB/s", "pass"),  # 40, then 60
        (50, [60], "app.mean >= 55 MB/s", "inconclusive"),
    ],
)
def test_a_mean_over_levels_is_judged_by_what_it_changed_to(
    mean: float, later: list[float], text: str, outcome: str
) -> None:
    levels = _levels([1e6 * one for one in (mean, *later)])
    doubts = of_levels(mean * 1e6, [levels], "It changed.", {})
    assert judge(parse(text), Measurement(mean * 1e6, doubts=doubts))[0] == outcome


def _levels(rates: list[float]) -> list[HeldRate]:
    """Return levels of these rates, of ten seconds each."""
    return [HeldRate(rate, 10**10, round(10 * rate), 0, 0, 0, 0) for rate in rates]


@pytest.mark.parametrize(
    ("text", "more", "at_least"),
    [
        ("cliff.after > 99 GB", "pass", "pass"),
        ("cliff.after > 100 GB", "pass", "inconclusive"),
        ("cliff.after >= 100 GB", "pass", "pass"),
        ("cliff.after > 101 GB", "inconclusive", "inconclusive"),
        ("cliff.after < 100 GB", "fail", "fail"),
        ("cliff.after <= 100 GB", "fail", "inconclusive"),
        ("cliff.after < 101 GB", "inconclusive", "inconclusive"),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_a_trial_without_a_cliff_only_tells_of_the_bytes_that_it_moved(
    text: str, more: str, at_least: str, strict: bool
) -> None:
    """Of a bound that the true value may have itself, only what is beyond it decides."""
    outcome = more if strict else at_least
    none = Doubt("censored", "none seen", bound="lower", strict=strict)
    assert judge(parse(text), Measurement(100e9, doubts=[none]))[0] == outcome


_WRITTEN = matrix({(256 * KIB, 1): [1.39e9]}).model_dump(mode="json")
"""The result of one trial."""


def _rows(*texts: str, **changes: Any) -> dict[str, Any]:
    result = MATRIX.result.model_validate(_WRITTEN | changes)
    rows = judge_run(MATRIX, MATRIX.examples.parameters, result, [parse(one) for one in texts])
    return {row.criterion: row for row in rows}


def _cell(**changes: Any) -> list[dict[str, Any]]:
    return [_WRITTEN["cells"][0] | changes]


def test_a_matrix_gives_value_limit_margin_and_evidence() -> None:
    (row,) = _rows("app.mean >= 1250 MB/s").values()
    assert (row.outcome, row.measured, row.limit) == ("pass", 1.39e9, 1.25e9)
    assert row.margin == pytest.approx(0.112)
    assert row.evidence.trial_id == 1
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


def _flagged(code: str, **figures: float) -> list[dict[str, Any]]:
    """Return the cell of the example with one trial, which has a flag."""
    flag = {
        "code": code,
        "evidence": "why",
        "figures": figures,
        "rates": ["durable", "application"],
        "participant_id": None,
    }
    (cell,) = _cell()
    cell["trials"] = [cell["trials"][0] | {"flags": [flag]}]
    return [cell]


MET = ("durable.mean > 1 MB/s", "app.min > 1 MB/s", "stall.max < 1 h", "write.p99 < 1 h")
MISSED = ("durable.mean > 1 TB/s", "app.min > 1 TB/s", "stall.max < 1 ns", "write.p99 < 1 ns")
"""Limits that the example is far from."""


@pytest.mark.parametrize("code", ["contended", "starved"])
def test_a_disturbed_trial_passes_what_it_met_and_does_not_fail(code: str) -> None:
    cells = _flagged(code)
    met, missed = _rows(*MET, cells=cells), _rows(*MISSED, cells=cells)
    assert {row.outcome for row in missed.values()} == {"inconclusive"}
    # an operation of a starved trial is no operation of the storage
    passed = {text for text, row in met.items() if row.outcome == "pass"}
    assert passed == set(MET) - ({"stall.max < 1 h"} if code == "starved" else set())
    notes = {doubt.code for row in (met | missed).values() for doubt in row.doubts}
    assert notes == {code}


@pytest.mark.parametrize("code", ["too_short", "suspended", "short_overlap"])
def test_a_cell_without_a_reliable_trial_is_inconclusive(code: str) -> None:
    rows = _rows(*MET, *MISSED, cells=_flagged(code))
    assert {row.outcome for row in rows.values()} == {"inconclusive"}
    assert {doubt.code for row in rows.values() for doubt in row.doubts} == {code}


def test_reads_by_others_may_have_helped_a_read() -> None:
    cells = _flagged("contended", others_read_bytes=4e8)
    rows = _rows("app.mean > 1 MB/s", "app.mean > 1 TB/s", cells=cells, operation="read")
    assert {row.outcome for row in rows.values()} == {"inconclusive"}


def test_a_mean_over_a_cliff_fails_but_does_not_pass() -> None:
    flag = asdict(cliff_flag((2e9, 2), (4e8, 10)))
    (cell,) = _cell(flags=[flag])
    cell["trials"] = [cell["trials"][0] | {"flags": [flag]}]
    rows = _rows(
        "durable.mean > 1 GB/s",
        "durable.mean > 2 GB/s",
        "durable.mean > 399 MB/s",
        "durable.min > 1 GB/s",
        "cliff.after > 5 GB",
        "cliff.after > 3 GB",
        cells=[cell],
    )
    outcomes = [row.outcome for row in rows.values()]
    assert outcomes == ["inconclusive", "fail", "pass", "fail", "fail", "pass"]
    assert rows["durable.min > 1 GB/s"].measured == 4e8


@pytest.mark.parametrize(
    ("name", "metrics", "per_byte"),
    [
        ("sustained", ("app.mean", "write.mean", "iops.mean"), 1 / 1e6),
        ("records", ("records.payload", "records.rate"), 1 / 1024),
    ],
)
def test_a_fall_is_judged_in_the_unit_of_each_metric(
    name: str, metrics: tuple[str, ...], per_byte: float
) -> None:
    kind = KINDS[name]
    document = kind.examples.result
    (cell,) = document["cells"][:1]
    levels = [asdict(one) for one in held_levels((60.2e6, 10), (31.5e6, 11))]
    told = {
        "sustained": {"levels": {"held": levels, "durable": True}},
        "records": {"levels": levels},
    }
    trials = [cell["trials"][0] | told[name] | {"flags": []}]
    bytes_per_s, operations = REPEATS | {"mean": 45.2e6}, REPEATS | {"mean": 45.2e6 * per_byte}
    rates = {"sustained": ("application", "durable"), "records": ("bytes_per_s",)}[name]
    counted = {"sustained": "iops", "records": "records_per_s"}[name]
    figures = dict.fromkeys(rates, bytes_per_s) | {counted: operations}
    document = document | {"cells": [cell | figures | {"trials": trials}]}
    result = kind.result.model_validate(document)
    units = ("MB/s", "MB/s", "IOPS") if name == "sustained" else ("MB/s", "/s")
    for metric, unit in zip(metrics, units, strict=True):
        scale = 1 if unit == "MB/s" else 1e6 * per_byte
        limits = {"pass": 31, "inconclusive": 40, "fail": 50}
        texts = [f"{metric} >= {limit * scale:.3f} {unit}" for limit in limits.values()]
        rows = judge_run(kind, kind.examples.parameters, result, [parse(one) for one in texts])
        assert [row.outcome for row in rows] == list(limits), metric
        assert all("cliff" in {doubt.code for doubt in row.doubts} for row in rows)


REPEATS = {"n": 1, "mean": 0.0, "median": 0.0, "worst": 0.0, "cv": None, "interval": None}


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
