"""Which runs a criterion judges: those whose kind has the metric and whose test can give it.

Pure: tests are those of a profile, or the parameters of a run.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, NoReturn

from assay.kinds.figures import cell_name, cell_of
from assay.kinds.kind import Kind
from assay.kinds.metrics import OPPOSITE, Argument, Arguments, Metric, Operator
from assay.kinds.registry import KINDS
from assay.runs.verdicts.criteria import Amount, Criterion, CriterionError, Given, Word, parse
from assay.runs.verdicts.units import NAMES, PLAIN, UNITS, USUAL

MOST_ALTERNATIVES = 12

_CELL = "cell"

_COMPARED = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}


@dataclass(frozen=True)
class Applied:
    """A criterion's metric in one kind, with its arguments as plain values."""

    metric: Metric
    arguments: Arguments


def applied(criterion: Criterion, kind: str) -> Applied | None:
    """Return the metric of this kind with its arguments, or None if the kind does not have it.

    Raises CriterionError for arguments or units that do not fit.
    """
    metric = next((one for one in KINDS[kind].metrics if one.name == criterion.metric), None)
    if metric is None:
        return None
    _check_limit(criterion, metric)
    return Applied(metric, _arguments(criterion, metric))


def checked(text: str, tests: Sequence[Any] | None = None) -> Criterion:
    """Parse a criterion and look it up; raises CriterionError.

    With `tests`, at least one of them must be able to give the metric; else any kind must have it.
    """
    criterion = parse(text)
    kinds = list(KINDS) if tests is None else [test.kind for test in tests]
    found, refusals = list[tuple[int, Applied]](), list[CriterionError]()
    for number, kind in enumerate(kinds):
        try:
            one = applied(criterion, kind)
        except CriterionError as error:
            refusals.append(error)
        else:
            found += [(number, one)] if one else []
    if refusals and not found:
        raise _furthest(refusals)
    if not found:
        _unknown(criterion, tests)
    if tests is None:
        return criterion
    reasons: list[str] = []
    for number, one in found:
        why = one.metric.unavailable(tests[number], one.arguments)
        if why is None:
            return criterion
        reasons.append(f"{tests[number].title}: {why}")
    others = available(tests)
    raise CriterionError(
        criterion.text,
        criterion.position,
        f"no test can give {criterion.metric}. {'; '.join(dict.fromkeys(reasons))}",
        _instead(others),
        tuple(others),
    )


def named_cell(text: str, kind: Kind) -> dict[str, float | str]:
    """Return the arguments that name a cell, such as `block=1 MiB, threads=4`; words as such.

    Raises CriterionError for those that no metric of the kind has.
    """
    criterion = parse(f"{_CELL}({text})")
    free = [one for one in kind.metrics if not any(own.required for own in one.arguments)]
    known = {own.name: own for one in free for own in one.arguments if own.of_cell}
    cell = replace(free[0], name=_CELL, arguments=[*known.values()])
    return cell_of(cell_name(cell, _arguments(criterion, cell)))


def metric_of(criterion: Criterion) -> Metric:
    """Return the metric of a checked criterion, as the first kind that has it defines it."""
    return next(
        one for kind in KINDS.values() for one in kind.metrics if one.name == criterion.metric
    )


def available(tests: Iterable[Any] | None) -> list[str]:
    """Return the names of the metrics that at least one of these tests can give.

    Without tests, they are those of every kind.
    """
    if tests is None:
        return list({one.name: None for kind in KINDS.values() for one in kind.metrics})
    names = {
        metric.name: None
        for test in tests
        for metric in KINDS[test.kind].metrics
        if metric.unavailable(test, {}) is None
    }
    return list(names)


def check_together(criteria: Sequence[Criterion]) -> None:
    """Raise CriterionError if two criteria are the same or contradict each other."""
    for number, one in enumerate(criteria):
        for other in criteria[:number]:
            if one == other or str(one) == str(other):
                _conflict(one, f"repeats {other}", "Remove one of them.")
            low, high = (one, other) if (one.operator or "").startswith(">") else (other, one)
            if _never_above(low, high) and _excludes(low, high):
                _conflict(
                    one,
                    f"contradicts {other}: nothing meets both",
                    "Correct or remove one of them.",
                )


def problem_of(
    texts: Sequence[str], tests: Sequence[Any] | None = None
) -> tuple[int, CriterionError] | None:
    """Return the first criterion, by its index, that these tests or another one refuse.

    Without tests, it is the first one that no kind can give, or that another one excludes.
    """
    accepted: list[Criterion] = []
    for number, text in enumerate(texts):
        try:
            accepted.append(checked(text, tests))
            check_together(accepted)
        except CriterionError as error:
            return number, error
    return None


def meaning(criterion: Criterion) -> str:
    """Return the criterion as a sentence; it has been checked."""
    metric = metric_of(criterion)
    given = ", ".join(
        f"{argument.name or metric.arguments[position].name} {argument.value}"
        for position, argument in enumerate(criterion.arguments)
    )
    subject = f"The {metric.label}{f' ({given})' if given else ''}"
    if metric.choices and not _names_cell(criterion, metric):
        subject += " in the leading cell"
    if criterion.operator is None:
        return f"{subject} is reached."
    return f"{subject} is {_COMPARED[criterion.operator]} {criterion.limit}."


def _names_cell(criterion: Criterion, metric: Metric) -> bool:
    """Return whether an argument is about the cell; a required one is the metric's own."""
    own = sum(one.required for one in metric.arguments)
    return len(criterion.arguments) > own


def _arguments(criterion: Criterion, metric: Metric) -> dict[str, float]:
    known = {one.name: one for one in metric.arguments}
    values: dict[str, float] = {}
    for position, given in enumerate(criterion.arguments):
        name = given.name
        if name is None and position == 0 and metric.arguments:
            name = metric.arguments[0].name
        if name is None or name not in known:
            _wrong_argument(criterion, metric, given)
        values[name] = _argument(criterion, known[name], given.value)
    if missing := [one.name for one in metric.arguments if one.required and one.name not in values]:
        raise CriterionError(
            criterion.text,
            criterion.position,
            f"{metric.name} needs the argument {missing[0]}",
            f"Write {metric.name}({missing[0]}=…).",
            (missing[0],),
        )
    return values


def _argument(criterion: Criterion, argument: Argument, given: Amount | Word) -> float:
    """Return the value of an argument, or the index of the word that it is."""
    wanted, choices = argument.dimension, tuple(argument.choices)
    if isinstance(given, Amount) and given.value < 0:
        reason = f"{argument.name} cannot be negative, and is {given}"
        raise CriterionError(criterion.text, given.position, reason, "Omit the minus sign.")
    if isinstance(given, Amount) and given.dimension == wanted:
        return float(given.value)
    if isinstance(given, Word) and given.value in choices:
        return choices.index(given.value)
    if wanted == "word":
        reason = f"{argument.name} cannot be {given}"
        raise CriterionError(criterion.text, given.position, reason, _one_of(choices), choices)
    reason = f"{argument.name} is {NAMES[wanted]}, not {NAMES[given.dimension]}"
    remedy = f"Use {USUAL[wanted]}."
    raise CriterionError(criterion.text, given.position, reason, remedy, tuple(UNITS[wanted]))


def _one_of(choices: Sequence[str]) -> str:
    return f"Use {', '.join(choices[:-1])} or {choices[-1]}."


def _furthest(refusals: Sequence[CriterionError]) -> CriterionError:
    """Return the refusal of the kind that accepts most of a criterion, with all alternatives."""
    furthest = max(refusals, key=lambda one: one.position)
    alike = [one for one in refusals if one.position == furthest.position]
    names = tuple(dict.fromkeys(name for one in alike for name in one.alternatives))
    if names == furthest.alternatives:
        return furthest
    return CriterionError(furthest.text, furthest.position, furthest.reason, _each(names), names)


def _each(names: Sequence[str]) -> str:
    return f"Use {', '.join(names)}, each with =." if names else "Remove the parentheses."


def _wrong_argument(criterion: Criterion, metric: Metric, given: Given) -> NoReturn:
    names = tuple(one.name for one in metric.arguments)
    raise CriterionError(
        criterion.text,
        given.position,
        f"{metric.name} has no argument {given.name}" if given.name else "expected a name",
        _each(names),
        names,
    )


def _check_limit(criterion: Criterion, metric: Metric) -> None:
    limit = criterion.limit
    if metric.dimension == "yes_no":
        if limit is not None:
            raise CriterionError(
                criterion.text,
                limit.position,
                f"{metric.name} is either the case or not",
                f"Write only {metric.name}.",
            )
        return
    if limit is None:
        raise CriterionError(
            criterion.text,
            len(criterion.text),
            f"expected a limit: {metric.name} is {NAMES[metric.dimension]}",
            f"Add an operator and a value in {USUAL[metric.dimension]}.",
            (">=", ">", "<=", "<"),
        )
    if limit.dimension != metric.dimension:
        raise CriterionError(
            criterion.text,
            limit.position,
            f"{metric.name} is {NAMES[metric.dimension]}, not {NAMES[limit.dimension]}",
            f"Use {USUAL[metric.dimension]}.",
            tuple(UNITS[metric.dimension]),
        )
    if criterion.operator is not None:
        _check_possible(criterion, metric, criterion.operator, limit)


_TOGGLED: dict[Operator, Operator] = {">=": ">", ">": ">=", "<=": "<", "<": "<="}
"""The operator that differs only at the limit itself."""


def _check_possible(
    criterion: Criterion, metric: Metric, operator: Operator, limit: Amount
) -> None:
    """Raise CriterionError for a limit that every value meets, or none, or that is negative."""
    possible, value = metric.possible, limit.value

    def decides(one: Operator) -> bool:
        return possible.has(one, value) and possible.has(OPPOSITE[one], value)

    if decides(operator) and value >= 0:
        return
    if decides(operator):
        said = f"the limit {limit} is negative"
    elif possible.has(operator, value):
        said = f"every value meets {operator} {limit}"
    else:
        said = f"no value meets {operator} {limit}"
    if possible.most is not None and value >= possible.most:
        remedy = f"a limit below {_plainly(possible.most, metric)}"
    elif possible.least is None:
        remedy = f"a limit of {_plainly(0, metric)} or more"
    else:
        remedy = f"a limit above {_plainly(possible.least, metric)}"
    if decides(other := _TOGGLED[operator]) and value >= 0:
        remedy = f"{other} {limit}, or {remedy}"
    raise CriterionError(
        criterion.text,
        limit.position,
        f"{said}: {metric.name} is {_range_words(metric)}",
        f"Use {remedy}.",
    )


def _range_words(metric: Metric) -> str:
    """Format the values that a metric can have: `from 0 % to 100 %`, `more than 0 ms`."""
    least, most = (
        None if one is None else _plainly(one, metric)
        for one in (metric.possible.least, metric.possible.most)
    )
    if least is None or most is None:
        above = "more than" if metric.possible.positive else "at least"
        return f"at most {most}" if least is None else f"{above} {least}"
    return f"from {least} to {most}"


def _plainly(value: float, metric: Metric) -> str:
    unit = PLAIN[metric.dimension]
    return f"{value / float(UNITS[metric.dimension][unit]):g} {unit}".rstrip()


def _unknown(criterion: Criterion, tests: Sequence[Any] | None) -> NoReturn:
    every, known = available(None), available(tests)
    near = tuple(get_close_matches(criterion.metric, known, MOST_ALTERNATIVES, 0.5))
    others = near or tuple(known)
    raise CriterionError(
        criterion.text,
        criterion.position,
        f"no test can give {criterion.metric}"
        if criterion.metric in every
        else f"unknown metric {criterion.metric!r}",
        _instead(others),
        others,
    )


def _instead(names: Sequence[str]) -> str:
    if not names:
        return "Remove it: these tests have no metrics."
    more = ", …" if len(names) > MOST_ALTERNATIVES else ""
    return f"Use {', '.join(names[:MOST_ALTERNATIVES])}{more}."


def _never_above(low: Criterion, high: Criterion) -> bool:
    """Return whether the value of one criterion cannot be above that of the other."""
    one, other = metric_of(low), metric_of(high)
    if _given(low, one) != _given(high, other):
        return False
    if one.percentile is None or other.percentile is None:
        return one.name == other.name
    return one.percentile[0] == other.percentile[0] and one.percentile[1] <= other.percentile[1]


def _given(criterion: Criterion, metric: Metric) -> frozenset[tuple[str, Fraction | str]]:
    """Return the arguments; their order and units do not matter."""
    return frozenset(
        (one.name or metric.arguments[place].name, one.value.value)
        for place, one in enumerate(criterion.arguments)
    )


def _excludes(low: Criterion, high: Criterion) -> bool:
    """Return whether no value meets both a lower and an upper limit."""
    if low.limit is None or high.limit is None or low.operator is None or high.operator is None:
        return False
    if low.operator[0] == high.operator[0]:
        return False
    if low.limit.value == high.limit.value:
        return "=" not in low.operator or "=" not in high.operator
    return low.limit.value > high.limit.value


def _conflict(criterion: Criterion, reason: str, remedy: str) -> NoReturn:
    raise CriterionError(criterion.text, criterion.position, reason, remedy)
