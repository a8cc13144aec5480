"""A row of a verdict as text: the measured value in the unit of its limit."""

from collections.abc import Callable, Iterable, Mapping
from math import floor, log10

from assay.base.words import duration, figure, iops, rate, size
from assay.kinds.metrics import Dimension
from assay.runs.verdicts.criteria import Amount, parse
from assay.runs.verdicts.units import PLAIN, UNITS

MOST_DIGITS = 9

LEAST, MOST = 0.01, 100_000
"""A value outside of this range in its limit's unit is shown in the dimension's plain unit."""

_WITHOUT_LIMIT: Mapping[Dimension, Callable[[float], str]] = {
    "rate": rate,
    "duration": duration,
    "size": lambda value: size(round(value)),
    "iops": iops,
}
"""How a value is written that no limit gives a unit to."""

LARGEST_MARGIN = 10
"""A greater distance is told as a multiple of the limit."""

LARGEST_MULTIPLE = 1000
"""Of a greater multiple only that it is one."""


def measured(value: float | None, dimension: Dimension, criterion: str) -> str:
    """Format a measured value in its limit's unit; `–` if it was not measured.

    It has three significant digits, or as many as tell it from the limit.
    """
    if value is None:
        return "–"
    if dimension == "yes_no":
        return "yes" if value else "no"
    if value < 0:
        return f"−{measured(-value, dimension, criterion)}"
    if dimension == "count":
        return f"{value:.0f}"
    limit = parse(criterion).limit
    if dimension == "share" and (small := _small_share(100 * value, limit)):
        return small
    unit = limit.unit if limit else PLAIN[dimension]
    number = value / float(UNITS[dimension][unit])
    if number and not LEAST <= number < MOST:
        unit, limit = PLAIN[dimension], None
        number = value / float(UNITS[dimension][unit])
    return f"{_distinct(number, limit)} {unit}".rstrip()


def unlimited(value: float | None, dimension: Dimension, metric: str) -> str:
    """Format the value of a metric in a unit of its own size; `–` if it was not measured."""
    if value is not None and dimension in _WITHOUT_LIMIT:
        return _WITHOUT_LIMIT[dimension](value)
    return measured(value, dimension, metric)


def judged_cell(cell: str | None, of_cells: int | None) -> str | None:
    """Return which one of several cells was judged; None if there is no other one."""
    if cell is None or of_cells is None or of_cells < 2:
        return None
    others = "The other one was" if of_cells == 2 else f"The other {of_cells - 1} were"
    return f"Judged in the leading cell of {of_cells}: {cell}. {others} not judged."


def judged_participant(name: str | None) -> str | None:
    """Return whose value was judged; None if it is not that of one of several participants."""
    return f"Judged at the worst participant: {name}." if name else None


def notes(judged: str, messages: Iterable[str]) -> list[str]:
    """Return what a row's doubts say: why it is inconclusive, or what cannot change its outcome."""
    if judged == "inconclusive":
        return list(messages)
    return [f"Does not change the outcome: {message}" for message in messages]


def margin(share: float | None) -> str:
    """Format a margin, such as `+11.2 %` or `47.0 × the limit`; `–` without one."""
    if share is None:
        return "–"
    if abs(share) > LARGEST_MARGIN:
        times = 1 + abs(share)
        over = times > LARGEST_MULTIPLE
        return f"over {LARGEST_MULTIPLE} × the limit" if over else f"{figure(times)} × the limit"
    return f"{'−' if share < 0 else '+'}{figure(abs(100 * share))} %"


def _small_share(percent: float, limit: Amount | None) -> str | None:
    """Format a share under 0.01 %, or a tenth of a lower limit, as an upper bound; else None."""
    least = LEAST if limit is None or not limit.value else min(LEAST, 10 * float(limit.value))
    return f"under {least:.9f}".rstrip("0") + " %" if 0 < percent < least else None


def _distinct(number: float, limit: Amount | None) -> str:
    text = figure(number) if number >= 1 else _plain(number)
    if limit is None or float(text) != float(limit.number) or number == float(limit.number):
        return text
    for digits in range(4, MOST_DIGITS):
        rounded = float(f"{number:.{digits}g}")
        if rounded != float(limit.number):
            return f"{rounded:.{MOST_DIGITS}g}"
    return f"{number:.{MOST_DIGITS}g}"


def _plain(number: float) -> str:
    """Format a number below one with three significant digits, without exponent."""
    decimals = 2 - floor(log10(number)) if number > 0 else 0
    return f"{number:.{decimals}f}"
