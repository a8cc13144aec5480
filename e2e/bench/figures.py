"""A figure of `make bench`: measured values, bar and verdict, as a table."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from probe.intervals import Verdict, of_median, stays_under

HEAD = ("figure", "bar", "measured", "spread", "holds")


@dataclass(frozen=True)
class Figure:
    """One row. `verdict` is None if there is no bar; `facts` has the underlying values."""

    part: str
    name: str
    bar: str
    measured: str
    spread: str
    verdict: Verdict | None
    facts: dict[str, Any]

    @property
    def row(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        return (self.name, self.bar, self.measured, self.spread, self.verdict or "–")


def of_appliance(measured: dict[str, Any]) -> Figure:
    """Return a figure with its values; the verdict uses the interval of their median.

    A value that is measured once, such as a size, is its own interval.
    """
    values, unit = measured["values"], measured["unit"]
    middle = of_median(values)
    bar, verdict = "–", None
    promised: dict[str, float] = measured.get("bar") or {}
    if "below" in promised:
        limit = promised["below"]
        bar, verdict = f"< {limit:g} {unit}", stays_under(middle, limit)
    elif "most" in promised:
        limit = promised["most"]
        bar, verdict = f"≤ {limit:g} {unit}", stays_under(middle, math.nextafter(limit, math.inf))
    spread = f"{short(min(values))}…{short(max(values))} of {len(values)}"
    return Figure(
        "appliance",
        measured["name"],
        bar.strip(),
        f"{short(middle.median)} {unit}".strip(),
        spread if len(values) > 1 else "–",
        verdict,
        measured,
    )


def of_probe(measured: dict[str, Any]) -> Figure:
    """Return a figure of the probe's comparison, with that comparison's verdict."""
    value, _, interval = measured["value"].partition(" (")
    return Figure(
        "probe",
        measured["name"],
        measured["bar"],
        value,
        interval.rstrip(")") or "–",
        measured["verdict"],
        measured,
    )


def short(value: float) -> str:
    """Format with three digits, or all digits of the whole part."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def text(figures: Iterable[Figure]) -> str:
    """Return the table for a terminal."""
    rows = [HEAD, *(figure.row for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def markdown(figures: Iterable[Figure]) -> str:
    """Return the table as Markdown."""
    rows = [HEAD, ("---",) * len(HEAD), *(figure.row for figure in figures)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def plain(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """Return the figures with all underlying values."""
    return [asdict(figure) for figure in figures]
