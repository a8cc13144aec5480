"""`assay compare` and `assay run comparable`: runs side by side, and which can be compared."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from assay.base import words
from assay.base.printable import printable
from assay.cli.connection import connected
from assay.cli.console import AsJson, Cell, in_order, minute, print_json, print_list
from assay.cli.options import filtered
from assay.cli.results import named
from assay.client.runs import CandidateFilter
from assay.history.compare.schemas import Comparison, ConditionDifference
from assay.history.exports.comparison import ratios
from assay.runs.schemas import RunSummary


def compare(
    runs: Annotated[list[int], typer.Argument(help="Ids of two runs or more, the base first")],
    as_json: AsJson = False,
) -> None:
    """Compare runs with the first: conditions that differ, and each figure beside its own."""
    with connected("viewer") as assay:
        found = assay.runs.compare(runs)
    if as_json:
        print_json(found)
        return
    columns: dict[str, Cell] = {"condition": "what"}
    for position, one in enumerate(found.runs):
        columns[f"{'run' if position else 'base'} {one.id}"] = partial(_condition, position)
    print_list(found.differences, columns, as_json=False, title="differing conditions")
    for outcome in filter(None, (found.outcome, *found.others)):
        for sentence in outcome.sentences:
            typer.echo(words.capital(printable(sentence)))
    figures = in_order("cell", "figure", "base", "run", "ratio", "finding")
    for run_id, rows in _figures(found).items():
        title = f"run {run_id} beside run {found.runs[0].id}"
        print_list(rows, figures, as_json=False, title=title)


def _condition(position: int, one: ConditionDifference) -> str:
    return _value(one.values[position])


def _value(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _figures(found: Comparison) -> dict[int, list[Sequence[str]]]:
    """Return the figures of each run beside those of the base."""
    rows: dict[int, list[Sequence[str]]] = {}
    for block in ratios(found):
        for _, run_id, _, cell, name, base, value, ratio, of, _, answer in block:
            share = "" if ratio is None else f"{words.figure(ratio)} {of}"
            both = (_number(name, base), _number(name, value))
            rows.setdefault(run_id, []).append(
                (cell, _label(name), *both, share, words.code_words(answer or ""))
            )
    return rows


UNITS: Mapping[str, Callable[[float], str]] = {
    "_bytes_per_s": words.rate,
    "_bytes": lambda value: words.size(round(value)),
    "_ns": words.duration,
}
"""The ends of the names of figures with a unit."""


def _number(name: str, value: float | None) -> str:
    """Return a figure with the unit that its name has."""
    if value is None:
        return ""
    for end, formatted in UNITS.items():
        if name.endswith(end):
            return formatted(value)
    return words.figure(value)


def _label(name: str) -> str:
    """Return the name of a figure without its unit, which is printed with the value."""
    for end in UNITS:
        name = name.removesuffix(end)
    return words.code_words(name)


@filtered(CandidateFilter, most=20)
def comparable(
    runs: Annotated[list[int], typer.Argument(help="Ids of one run or more that are compared")],
    query: dict[str, Any],
    as_json: AsJson = False,
) -> None:
    """List the runs that compare with others.

    First come those with which the first one is most often compared, then the newest.
    """
    with connected("viewer") as assay:
        suggested = assay.runs.suggestions(runs[0])
        others = list(assay.runs.candidates(beside=",".join(map(str, runs)), **query))
    if as_json:
        print_json({"suggestions": suggested, "candidates": others})
        return
    previous = [suggested.previous] if suggested.previous else []
    rows = [("previous", one) for one in previous]
    rows += [("elsewhere", one) for one in suggested.elsewhere]
    listed = {one.id for _, one in rows}
    rows += [("", one) for one in others if one.id not in listed]
    columns = in_order("", "run", "test and place", "campaign", "ended (UTC)")
    print_list([_candidate(*row) for row in rows], columns, as_json=False)


def _candidate(why: str, one: RunSummary) -> Sequence[str]:
    return (why, str(one.id), named(one), one.campaign_name, minute(one.ended_at))
