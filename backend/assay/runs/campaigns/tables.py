"""Scale-out and mesh of a campaign as tables of text, from the API's JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.base.words import code_words


@dataclass(frozen=True)
class TextTable:
    """A table whose first column has the row names."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def scale_out_tables(found: Mapping[str, Any]) -> list[TextTable]:
    """Return a table for each cell: the aggregate rates over growing numbers of targets."""
    columns = ["durable", "efficiency", "application", "efficiency", "fairness", "slowest"]
    tables: list[TextTable] = []
    for curve in found["curves"]:
        title = f"{curve['title']}, {curve['label']}" if curve["label"] else curve["title"]
        rows = [_scaled(run) for run in curve["runs"]]
        named = f"Scale-out of {title}, MB/s"
        tables.append(TextTable(named, [curve["counted"], *columns], rows))
    return tables


def _scaled(run: Mapping[str, Any]) -> list[str]:
    slowest = next(
        (one for one in run["parts"] if one["participant_id"] == run["slowest_participant_id"]),
        None,
    )
    return [
        str(run["targets"]),
        *(_rate(run["durable"])),
        *(_rate(run["application"])),
        "" if run["fairness"] is None else f"{run['fairness']:.3f}",
        f"{slowest['host']} {slowest['path'] or ''}".strip() if slowest else "",
    ]


def _rate(rate: Mapping[str, Any] | None) -> tuple[str, str]:
    """Format a rate and its efficiency, or why it does not compare."""
    if rate is None:
        return "", ""
    reached = "" if rate["bytes_per_s"] is None else f"{rate['bytes_per_s'] / 1e6:.1f}"
    if rate["efficiency"] is not None:
        return reached, f"{100 * rate['efficiency']:.0f} %"
    return reached, code_words(rate["doubt"] or "")


def mesh_tables(found: Mapping[str, Any]) -> list[TextTable]:
    """Return a table for each test: the rates from each place to each other one."""
    names = [f"{one['host']} {one['path'] or ''}".strip() for one in found["places"]]
    tables: list[TextTable] = []
    for grid in found["grids"]:
        cells = {(one["source"], one["sink"]): one for one in grid["cells"]}
        rows = [
            [name, *(_pair(cells.get((source, sink))) for sink in range(len(names)))]
            for source, name in enumerate(names)
        ]
        tables.append(TextTable(f"{grid['title']}, MB/s", ["from, to", *names], rows))
    return tables


def _pair(cell: Mapping[str, Any] | None) -> str:
    """Format the rate of a pair and what limits it; its state if there is no rate."""
    if cell is None:
        return ""
    if cell["bytes_per_s"] is None:
        return f"{cell['state']}, no rate" if cell["headline"] else cell["state"]
    headline: Mapping[str, Any] = cell["headline"] or {}
    limit: str | None = headline.get("limit")
    rate = f"{cell['bytes_per_s'] / 1e6:.1f}"
    return f"{rate} ({limit.replace('_', ' ')})" if limit else rate
