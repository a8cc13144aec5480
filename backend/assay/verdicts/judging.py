"""Judging: a criterion and a measurement give a row with an outcome.

Pure. A doubt with a bound undermines only the outcome that the true value may change: a rate that a
cache served can still fail, but cannot pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from assay.kinds.kind import Kind
from assay.kinds.metrics import Dimension, Doubt, EvidenceLocation, Measurement, Operator
from assay.kinds.result import BaseResult
from assay.verdicts.applicability import Applied, applied, metric_of
from assay.verdicts.criteria import Criterion, CriterionError

CRITERIA_RULES = "4"
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
    is not met; None without a value or for a limit of zero. `doubts` decided an inconclusive row,
    and limit the others. The value is that of the leading one of `of_cells`, which the evidence
    names; None if it is of all.
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
    if either := [doubt for doubt in doubts if doubt.bound is None]:
        return "inconclusive", either
    met = _meets(criterion, measurement)
    upwards = criterion.operator is None or criterion.operator.startswith(">")
    # the true value may be higher or lower than measured; which direction could change the outcome?
    endangers = "upper" if met == upwards else "lower"
    if decisive := [doubt for doubt in doubts if doubt.bound == endangers]:
        return "inconclusive", decisive
    return "pass" if met else "fail", doubts


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


def _meets(criterion: Criterion, measurement: Measurement) -> bool:
    value, limit = Fraction(measurement.value or 0), criterion.limit
    if criterion.operator is None or limit is None:
        return bool(value)
    if any(doubt.code == "censored" and doubt.bound == "lower" for doubt in measurement.doubts):
        # the true value is more than the measured one
        return value >= limit.value if criterion.operator.startswith(">") else value < limit.value
    return _compare(value, criterion.operator, limit.value)


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
