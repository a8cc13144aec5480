"""A figure of `make bench`: what was measured, what it should reach, and both as a table."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

HEAD = ("figure", "bar", "measured", "spread", "holds")


@dataclass(frozen=True)
class Figure:
    """One row. `holds` is None where nothing is promised; `facts` is what it was made of."""

    part: str
    name: str
    bar: str
    measured: str
    spread: str
    holds: bool | None
    facts: dict[str, Any]

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of the table."""
        word = {True: "yes", False: "no", None: "–"}[self.holds]
        return (self.name, self.bar, self.measured, self.spread, word)


def of_appliance(measured: dict[str, Any]) -> Figure:
    """A figure with its values: judged by their median, and their extremes stand beside it."""
    values, unit = measured["values"], measured["unit"]
    middle = median(values)
    bar, holds = "–", None
    match measured.get("bar"):
        case {"below": limit}:
            bar, holds = f"< {limit:g} {unit}", middle < limit
        case {"most": limit}:
            bar, holds = f"≤ {limit:g} {unit}", middle <= limit
    spread = f"{short(min(values))}…{short(max(values))} of {len(values)}"
    return Figure(
        "appliance",
        measured["name"],
        bar.strip(),
        f"{short(middle)} {unit}".strip(),
        spread if len(values) > 1 else "–",
        holds,
        measured,
    )


def of_probe(measured: dict[str, Any]) -> Figure:
    """A figure of the probe's comparison, which has judged it by its own rule."""
    value, _, interval = measured["value"].partition(" (")
    return Figure(
        "probe",
        measured["name"],
        measured["limit"],
        value,
        interval.rstrip(")") or "–",
        measured["good"],
        measured,
    )


def short(value: float) -> str:
    """Three digits, or all of the whole part: more would be noise."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def text(figures: Iterable[Figure]) -> str:
    """The table for a terminal."""
    rows = [HEAD, *(figure.row for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def markdown(figures: Iterable[Figure]) -> str:
    """The table for a page."""
    rows = [HEAD, ("---",) * len(HEAD), *(figure.row for figure in figures)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def plain(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """The figures with everything that they were made of."""
    return [asdict(figure) for figure in figures]
