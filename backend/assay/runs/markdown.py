"""A run's result as Markdown, for tickets and chats."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.kinds.result import Report
from assay.runs.places import place_of, titled


def run_markdown(run: Mapping[str, Any], report: Report) -> list[str]:
    """Return the lines of a section: the API's representation of a run, and its result in words."""
    lines = [f"## {plain(title_with_places(run))}: {plain(report.title)}", ""]
    if error := run["error"]:
        lines += [f"{plain(error['title'])}: {plain(error['detail'])}", ""]
    lines += [*table(report.columns, report.rows), ""]
    lines += [f"- {plain(sentence)}" for sentence in report.sentences]
    return [*lines, ""] if report.sentences else lines


def title_with_places(run: Mapping[str, Any]) -> str:
    """Return a run's title with its hosts and the paths of their targets."""
    parts = ((part["host"]["name"], part["target"]) for part in run["participants"])
    return titled(run["title"], (place_of(host, at and at["path"]) for host, at in parts))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return ["| " + " | ".join(map(_cell, line)) + " |" for line in lines]


class Code(str):
    """Text of a cell that is shown as code; it has no backquotes."""

    __slots__ = ()


def _cell(text: str) -> str:
    shown = f"`{text}`" if isinstance(text, Code) else plain(text)
    return shown.replace("|", "\\|")


def plain(text: str) -> str:
    """Return a text on one line, without a meaning in Markdown or HTML."""
    return re.sub(r"([\\`*_~\[\]<>#]|&(?=[#\w]+;))", r"\\\1", " ".join(text.split()))
