"""Judging: a criterion and a measurement give a row with an outcome.

Pure. A doubt gives the range in which the true value lies, and both of its ends are judged: a rate
that a cache served can still fail, but cannot pass. A doubt that cannot change the outcome is a
note.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from typing import Any, Literal, get_args

from assay.kinds.kind import Kind
from assay.kinds.metrics import Dimension, Doubt, EvidenceLocation, Measurement, Operator
from assay.kinds.result import BaseResult
from assay.runs.verdicts.applicability import Applied, applied, metric_of
from assay.runs.verdicts.criteria import Criterion, CriterionError

CRITERIA_RULES = "6"
"""Version of these rules and of the metrics; changes whenever a result is judged otherwise."""

Judged = Literal["fail", "inconclusive", "pass"]
Outcome = Literal["fail", "inconclusive", "waived", "pass"]
GRAVITY: tuple[Outcome, ...] = get_args(Outcome)
"""The outcomes, the gravest first."""


@dataclass(frozen=True)
class Row:
    """One criterion judged on one run.

    `measured` and `limit` are in the unit of the dimension: bytes per second, ns, bytes, a part of
    one, or a number. `margin` is the distance to the limit as a share of it, negative if the limit
    is not met; None without a value or for a limit of zero. `doubts` decided an inconclusive row;
    of the others they are notes, which cannot change the outcome. The value is that of the leading
    one of `of_cells`, which the evidence names; None if it is of all.
    """

    number: int
    criterion: str
    label: str
    dimension: Dimension
    outcome: Judged
    measured: float | None
    limit: float | None
    margin: float | None
    doubts: Sequence[Doubt]
    evidence: EvidenceLocation
    of_cells: int | None = None


def judge_run(
    kind: Kind, parameters: Any, result: BaseResult, criteria: Sequence[Criterion]
) -> list[Row]:
    """Return a row for each criterion that applies to a run of `kind` with these parameters."""
    rows: list[Row] = []
    for number, criterion in enumerate(criteria):
        found = fitting(kind, parameters, criterion)
        if isinstance(found, str):
            continue
        measurement = found.metric.read(result, found.arguments)
        outcome, doubts = judge(criterion, measurement)
        choices = found.metric.choices
        rows.append(
            Row(
                number=number,
                criterion=str(criterion),
                label=found.metric.label,
                dimension=found.metric.dimension,
                outcome=outcome,
                measured=measurement.value,
                limit=float(criterion.limit.value) if criterion.limit else None,
                margin=margin(criterion, measurement.value),
                doubts=doubts,
                evidence=measurement.evidence,
                of_cells=choices(result, found.arguments) if choices else None,
            )
        )
    return rows


def fitting(kind: Kind, parameters: Any, criterion: Criterion) -> Applied | str:
    """Return the metric by which a criterion judges a run with these parameters, or why not."""
    try:
        found = applied(criterion, kind.name)
    except CriterionError as error:
        return error.reason
    if found is None:
        return "its test kind does not have this metric"
    test = kind.resolved.model_validate({"kind": kind.name, **parameters})
    return found.metric.unavailable(test, found.arguments) or found


def no_run_judged(number: int, criterion: Criterion, reasons: Mapping[str, str]) -> Row:
    """Return the row of a criterion by which no run is judged, and why not, by title of the run."""
    metric = metric_of(criterion)
    whys = "; ".join(f"{title}: {why}" for title, why in reasons.items())
    return Row(
        number=number,
        criterion=str(criterion),
        label=metric.label,
        dimension=metric.dimension,
        outcome="inconclusive",
        measured=None,
        limit=float(criterion.limit.value) if criterion.limit else None,
        margin=None,
        doubts=[Doubt("not_measured", f"No run can give {criterion.metric}. {whys}.")],
        evidence=EvidenceLocation(),
    )


def judge(criterion: Criterion, measurement: Measurement) -> tuple[Judged, list[Doubt]]:
    """Return the outcome, and the doubts that decided it or that remain.

    An inconclusive outcome has at least one doubt.
    """
    doubts = list(measurement.doubts)
    if measurement.value is None:
        return "inconclusive", doubts or [Doubt("not_measured", "It was not measured.")]
    outcomes = _possible(criterion, measurement.value, doubts)
    if len(outcomes) == 1:
        return "pass" if outcomes == {True} else "fail", doubts
    alone = [one for one in doubts if len(_possible(criterion, measurement.value, [one])) > 1]
    return "inconclusive", alone or doubts


def _possible(criterion: Criterion, measured: float, doubts: Sequence[Doubt]) -> set[bool]:
    """Return whether the limit is met at both ends of the range that these doubts leave."""
    ends = [doubt.ends(measured) for doubt in doubts]
    low = min((low for low, _ in ends), default=measured)
    high = max((high for _, high in ends), default=measured)
    # a trial without a cliff, say, shows that the true value is more than the measured one
    is_open = low == measured and any(doubt.strict and doubt.bound == "lower" for doubt in doubts)
    return {_meets(criterion, low, is_open=is_open), _meets(criterion, high)}


def margin(criterion: Criterion, value: float | None) -> float | None:
    """Return the distance to the limit as a share of it; negative if the limit is not met."""
    if value is None or criterion.limit is None or not criterion.limit.value:
        return None
    share = (Fraction(value) - criterion.limit.value) / criterion.limit.value
    return float(share if (criterion.operator or "").startswith(">") else -share)


def gravest(outcomes: Iterable[Outcome]) -> Outcome | None:
    """Return the gravest outcome: fail, then inconclusive, then waived, then pass."""
    present = set(outcomes)
    return next((one for one in GRAVITY if one in present), None)


def _meets(criterion: Criterion, value: float, *, is_open: bool = False) -> bool:
    """Return whether a value meets the limit; of an open end, the values just above it."""
    operator, limit = criterion.operator, criterion.limit
    if operator is None or limit is None:
        return value > 0
    if isinf(value):
        return (value > 0) == operator.startswith(">")
    if is_open:
        operator = ">=" if operator.startswith(">") else "<"
    return _compare(Fraction(value), operator, limit.value)


def _compare(value: Fraction, operator: Operator, limit: Fraction) -> bool:
    match operator:
        case ">=":
            return value >= limit
        case ">":
            return value > limit
        case "<=":
            return value <= limit
        case "<":
            return value < limit
