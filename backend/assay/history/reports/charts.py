"""Static charts as SVG: rates over two axes, rates by name, throughput over time.

`Paint` has the colors: those of the page that they are in, which follow its theme, or fixed ones
for a file of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10
from typing import Any

from assay.base import words
from assay.history.reports.elements import Markup, element, joined
from assay.kinds.pictures import Picture, RateBars, RateGrid
from assay.runs.samples.columns import SYNC

CIVIDIS = (
    *("#00204d", "#00336f", "#39486b", "#575c6d", "#707173"),
    *("#8a8779", "#a69d75", "#c4b56c", "#e4cf5b", "#ffea46"),
)
OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442")
LEAST_SPAN = 0.1
"""A color scale spans at least this share around its middle: noise is no structure."""

INK = "#14191d"
"""Around the frame of the best cell, which is as light as the cell."""

FEWEST_FOR_A_LINE = 10
"""Fewer samples are drawn as points: a line would suggest values that were not measured."""

MB = 1e6
WIDTH = 760
_ROW, _CELL, _HEAD, _LABELS = 44, 96, 28, 92
_BAR, _NAMES = 26, 280
_PLOT = {"left": 64, "top": 12, "height": 180, "bottom": 34}


@dataclass(frozen=True)
class Paint:
    """Colors of text, of lines, of the best cell and, for a file of its own, of the paper."""

    ink: str = "var(--ink)"
    faint: str = "var(--ink-2)"
    rule: str = "var(--rule)"
    best: str = "var(--gold)"
    paper: str | None = None


ON_PAPER = Paint("#14191d", "#444f57", "#d3dade", "#dca62b", "#ffffff")
"""Colors of a picture that is a file of its own."""

_IN_PAGE = Paint()


@dataclass(frozen=True)
class Drawing:
    """A picture of a size in pixels."""

    width: float
    height: float
    title: str
    body: Markup

    def svg(self, y: float | None = None) -> Markup:
        """Return the picture as an SVG element, or as a part of another one at `y`."""
        return element(
            "svg",
            element("title", self.title),
            self.body,
            xmlns="http://www.w3.org/2000/svg",
            role="img",
            y=None if y is None else f"{y:g}",
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            width=f"{self.width:g}",
            height=f"{self.height:g}",
            font_family="IBM Plex Sans, system-ui, sans-serif",
            font_size=12,
        )


def stacked(title: str, drawings: Sequence[Drawing], paint: Paint = ON_PAPER) -> Drawing:
    """Return pictures below each other, under a title."""
    width = max([*(one.width for one in drawings), 9.5 * len(title)])
    parts, y = [_text(0, 16, title, paint.ink, weight=600, size=15)], 36.0
    for one in drawings:
        parts.append(one.svg(y))
        y += one.height + 24
    edge = 16
    paper = element("rect", x=0, y=0, width="100%", height="100%", fill=paint.paper)
    moved = element("g", *parts, transform=f"translate({edge} {edge})")
    return Drawing(width + 2 * edge, y - 24 + 2 * edge, title, joined([paper, moved]))


def drawing(picture: Picture, paint: Paint = _IN_PAGE) -> Drawing:
    """Draw a picture of a result."""
    if isinstance(picture, RateGrid):
        return grid_chart(picture, paint)
    return bar_chart(picture, paint)


def grid_chart(grid: RateGrid, paint: Paint = _IN_PAGE) -> Drawing:
    """Draw rates as a heatmap; the color scale is that of this grid."""
    width = _LABELS + _CELL * len(grid.columns)
    height = 24 + _HEAD + _ROW * len(grid.rows)
    known = [rate for row in grid.rates for rate in row if rate is not None]
    parts = [_text(0, 14, f"{grid.title}, MB/s", paint.ink, weight=600)]
    parts += [
        _text(_LABELS + _CELL * (n + 0.5), 24 + 18, name, paint.faint, anchor="middle")
        for n, name in enumerate(grid.columns)
    ]
    for y, name in enumerate(grid.rows):
        top = 24 + _HEAD + _ROW * y
        parts.append(_text(_LABELS - 8, top + 27, name, paint.faint, anchor="end"))
        for x, rate in enumerate(grid.rates[y]):
            at = (_LABELS + _CELL * x, top)
            parts += _cell(at, rate, grid.notes[y][x], _heat(rate, known), paint)
    if grid.best is not None:
        y, x = grid.best
        at = {"x": _LABELS + _CELL * x + 2, "y": 24 + _HEAD + _ROW * y + 2}
        size = {"width": _CELL - 5, "height": _ROW - 5}
        parts.append(element("rect", **at, **size, fill="none", stroke=INK, stroke_width=5))
        parts.append(element("rect", **at, **size, fill="none", stroke=paint.best, stroke_width=3))
    return Drawing(width, height, f"{grid.title} by {grid.row_axis.lower()}", joined(parts))


def _cell(
    at: tuple[float, float],
    rate: float | None,
    note: str,
    colors: tuple[str, str],
    paint: Paint,
) -> list[Markup]:
    """Draw a cell at its upper left corner, in the colors of its rate."""
    x, y = at
    size = {"x": x, "y": y, "width": _CELL - 1, "height": _ROW - 1}
    middle = x + _CELL / 2
    if rate is None:
        empty = element("rect", **size, fill="none", stroke=paint.rule)
        return [empty, _text(middle, y + 27, note or "–", paint.faint, anchor="middle")]
    color, ink = colors
    value = words.figure(rate / MB)
    parts = [element("rect", element("title", note) if note else None, **size, fill=color)]
    parts.append(_text(middle, y + (20 if note else 27), value, ink, anchor="middle"))
    if note:
        parts.append(_text(middle, y + 35, _cut(note, 16), ink, anchor="middle", size=10))
    return parts


def _heat(rate: float | None, known: Sequence[float]) -> tuple[str, str]:
    """Return the color of a rate among these, and that of text on it."""
    if rate is None:
        return "none", "none"
    low, high = min(known), max(known)
    middle = (low + high) / 2
    low, high = min(low, middle * (1 - LEAST_SPAN)), max(high, middle * (1 + LEAST_SPAN))
    place = (rate - low) / (high - low) * (len(CIVIDIS) - 1) if high > low else 0.0
    below = min(floor(place), len(CIVIDIS) - 2)
    pair = [[int(color[n : n + 2], 16) for n in (1, 3, 5)] for color in CIVIDIS[below : below + 2]]
    mixed = [round(a + (b - a) * (place - below)) for a, b in zip(*pair, strict=True)]
    light = sum(part * share for part, share in zip(mixed, (0.299, 0.587, 0.114), strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed), "#000000" if light > 118 else "#ffffff"


def bar_chart(chart: RateBars, paint: Paint = _IN_PAGE) -> Drawing:
    """Draw a bar from zero for each name."""
    most = max((rate for _, rate in chart.bars if rate is not None), default=0.0) or 1.0
    room = WIDTH - _NAMES - 90
    parts = [_text(0, 14, f"{chart.title}, MB/s", paint.ink, weight=600)]
    for number, (name, rate) in enumerate(chart.bars):
        y = 28 + _BAR * number
        label = _text(_NAMES - 8, y + 14, _cut(name, 42), paint.faint, anchor="end")
        length = room * (rate or 0.0) / most
        bar = element(
            "rect", x=_NAMES, y=y + 2, width=f"{length:.1f}", height=_BAR - 8, fill=OKABE_ITO[0]
        )
        value = "not measured" if rate is None else words.figure(rate / MB)
        parts += [label, bar, _text(_NAMES + length + 6, y + 14, value, paint.ink)]
    return Drawing(WIDTH, 32 + _BAR * len(chart.bars), chart.title, joined(parts))


def series_chart(
    title: str, series: Sequence[Mapping[str, Any]], names: Sequence[str], paint: Paint = _IN_PAGE
) -> Drawing:
    """Draw throughput over time until the final sync.

    Lines are means, bands reach from minimum to maximum; a series of few samples is drawn as
    points, as on a result's page.
    """
    columns = [_until_sync(one["columns"]) for one in series]
    end_ns = max(time for one in series for time in one["columns"]["t_ns"]) or 1
    most = max(_known(one["rate_max_bytes_per_s"]) for one in columns)
    step = _step(most / MB)
    top = step * (floor(most / MB / step) + 1)
    left, height = _PLOT["left"], _PLOT["height"]
    base = _PLOT["top"] + height
    legend = [*enumerate(names)] if len(names) > 1 else []

    def x(ns: float) -> float:
        return left + (WIDTH - left - 12) * ns / end_ns

    def y(rate: float) -> float:
        return base - height * rate / MB / top

    parts: list[Markup] = []
    for number in range(round(top / step) + 1):
        at = base - height * number * step / top
        parts.append(_line((left, at), (WIDTH - 12, at), paint.rule))
        parts.append(_text(left - 6, at + 4, f"{number * step:g}", paint.faint, anchor="end"))
    seconds = end_ns / 1e9
    every = _step(seconds)
    for number in range(floor(seconds / every) + 1):
        at = x(number * every * 1e9)
        parts.append(_text(at, base + 16, f"{number * every:g} s", paint.faint, anchor="middle"))
    for number, (one, course) in enumerate(zip(series, columns, strict=True)):
        color = (*OKABE_ITO, paint.ink)[number % (len(OKABE_ITO) + 1)]
        if drawn_as_points(one):
            parts += _points(course, color, x, y)
        else:
            parts += _course(course, color, x, y)
    for number, name in legend:
        color = (*OKABE_ITO, paint.ink)[number % (len(OKABE_ITO) + 1)]
        at = base + 40 + 18 * number
        parts += [
            _line((left, at - 4), (left + 20, at - 4), color, 3),
            _text(left + 28, at, name, paint.ink),
        ]
    whole = base + _PLOT["bottom"] + 18 * len(legend)
    return Drawing(WIDTH, whole, f"{title}, MB/s over time", joined(parts))


def drawn_as_points(series: Mapping[str, Any]) -> bool:
    """Return whether a series has too few samples for a line."""
    return series["count"] < FEWEST_FOR_A_LINE


def _until_sync(columns: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the columns before the final sync: no operation is due then, so its zeros mislead."""
    phases = list(columns["phase"])
    end = phases.index(SYNC) if SYNC in phases else len(phases)
    return {name: values[:end] for name, values in columns.items()}


def _points(columns: Mapping[str, Sequence[Any]], color: str, x: Any, y: Any) -> list[Markup]:
    """Return the mean of each interval as a point in its middle."""
    means = columns["rate_mean_bytes_per_s"]
    return [
        element("circle", cx=f"{x(end - length / 2):.1f}", cy=f"{y(rate):.1f}", r=3, fill=color)
        for end, length, rate in zip(columns["t_ns"], columns["dt_ns"], means, strict=True)
        if rate is not None
    ]


def _course(columns: Mapping[str, Sequence[Any]], color: str, x: Any, y: Any) -> list[Markup]:
    """Return the band and the line of one participant, with a gap where a rate is unknown."""
    rates = [columns[f"rate_{of}_bytes_per_s"] for of in ("min", "mean", "max")]
    parts: list[Markup] = []
    rows = zip(columns["t_ns"], *rates, strict=True)
    for known, group in groupby(rows, key=lambda row: None not in row):
        if not known:
            continue
        times, low, mean, high = zip(*group, strict=True)
        across = [x(time) for time in times]
        upper = _path(across, [y(rate) for rate in high])
        lower = _path(across[::-1], [y(rate) for rate in low[::-1]])
        line = f"M{_path(across, [y(rate) for rate in mean])}"
        parts += [
            element("path", d=f"M{upper}L{lower}Z", fill=color, fill_opacity=0.18),
            element("path", d=line, fill="none", stroke=color, stroke_width=1.5),
        ]
    return parts


def _path(across: Sequence[float], down: Sequence[float]) -> str:
    return "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, down, strict=True))


def _known(values: Sequence[float | None]) -> float:
    return max((value for value in values if value is not None), default=0.0)


def _step(span: float) -> float:
    """Return a round distance between about five lines over a span."""
    if span <= 0:
        return 1.0
    power = 10.0 ** floor(log10(span / 5))
    return next(power * n for n in (1, 2, 5, 10) if span / (power * n) <= 5.5)


def _text(
    x: float,
    y: float,
    text: str,
    fill: str,
    *,
    anchor: str = "start",
    weight: int = 400,
    size: int = 12,
) -> Markup:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": fill, "text_anchor": anchor}
    return element("text", text, **place, font_weight=weight, font_size=size)


def _line(
    begin: tuple[float, float], end: tuple[float, float], color: str, width: float = 1
) -> Markup:
    (x1, y1), (x2, y2) = begin, end
    ends = {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    return element("line", **ends, stroke=color, stroke_width=width)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
