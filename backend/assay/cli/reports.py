"""Reports of an ended campaign for other programs: JUnit XML and Markdown."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import chain, count
from typing import Any

from assay.base import worded
from assay.kinds.result import Report
from assay.runs.markdown import Code, plain, run_markdown, table, title_with_places
from assay.runs.verdicts import words

Results = Sequence[tuple[dict[str, Any], Report]]
"""Runs of a campaign, each with its result in words."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot contain."""


def junit(campaign: dict[str, Any], verdict: dict[str, Any] | None) -> bytes:
    """Return JUnit XML with a test case for each run, and for each criterion of each run.

    A criterion that failed is a failure; one that is inconclusive, and a run that failed or was
    canceled, is an error, because there is no answer. A waived criterion counts as skipped. Doubts
    that cannot change an outcome are the test case's output.
    """
    suite = ET.Element("testsuite", name=_text(campaign["name"]))
    names = _names(campaign)
    for run in campaign["runs"]:
        seconds = _seconds(run["started_at"], run["ended_at"])
        case = _case(suite, names[run["id"]], "the run ended", seconds, _ids(run))
        if run["state"] != "done":
            why = run["error"]["detail"] if run["error"] else run["state"]
            ET.SubElement(case, "error", message=_text(f"{run['state']}: {why}"))
    runs = {run["id"]: run for run in campaign["runs"]}
    for run_id, row in _rows(verdict):
        ids = _ids(runs[run_id]) if run_id else {}
        _add_outcome(_case(suite, names[run_id], row["criterion"], 0.0, ids | _values(row)), row)
    counts = {"tests": "testcase", "failures": ".//failure", "errors": ".//error"}
    for name, path in (counts | {"skipped": ".//skipped"}).items():
        suite.set(name, str(len(suite.findall(path))))
    suite.set("time", f"{sum(float(case.get('time') or 0) for case in suite):.3f}")
    whole = ET.Element("testsuites")
    whole.append(suite)
    ET.indent(whole)
    return ET.tostring(whole, encoding="utf-8", xml_declaration=True)


def markdown(campaign: dict[str, Any], verdict: dict[str, Any] | None, results: Results) -> str:
    """Return the verdict and the results of a campaign as Markdown."""
    outcome = verdict["outcome"] if verdict and verdict["outcome"] else campaign["state"]
    names = _names(campaign)
    lines = [f"# {plain(campaign['name'])}, campaign {campaign['id']}: {outcome}", ""]
    rows = [
        (
            row["outcome"],
            Code(row["criterion"]),
            names[run_id],
            _measured(row),
            words.margin(row["margin"]),
        )
        for run_id, row in _rows(verdict)
    ]
    if rows:
        lines += [*table(("outcome", "criterion", "run", "measured", "margin"), rows), ""]
    noted = [
        f"- `{row['criterion']}`, {plain(names[run_id])}: {plain(_notes(row))}"
        for run_id, row in _rows(verdict)
        if row["doubts"]
    ]
    if noted:
        lines += [*noted, ""]
    for run, report in results:
        lines += run_markdown(run, report)
    return "\n".join(lines)


def _names(campaign: dict[str, Any]) -> dict[int | None, str]:
    """Return a name for each run that is unique and the same in the next campaign of its kind.

    None is the name of no run.
    """
    names: dict[int | None, str] = {None: "no run"}
    for run in campaign["runs"]:
        names[run["id"]] = _unique(title_with_places(run), names.values())
    return names


def _unique(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it is taken."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)


def _rows(verdict: dict[str, Any] | None) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Yield each criterion with the id of the run that it was judged on; None without one."""
    if verdict is None:
        return
    for run in verdict["runs"]:
        yield from ((run["run_id"], row) for row in run["rows"])
    yield from ((None, row) for row in verdict["unjudged"])


def _ids(run: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of a run: ids, several of a kind separated by spaces."""
    parts = run["participants"]
    return {
        "campaign_id": run["campaign_id"],
        "run_id": run["id"],
        "host_ids": " ".join(str(part["host"]["id"]) for part in parts),
        "target_ids": " ".join(str(part["target"]["id"]) for part in parts if part["target"]),
    }


def _values(row: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of a judged criterion; values are in the unit of its dimension."""
    return {name: row[name] for name in ("outcome", "dimension", "measured", "limit", "margin")}


def _case(
    suite: ET.Element, of: str, name: str, seconds: float, properties: dict[str, Any]
) -> ET.Element:
    """Add a test case; a second one of the same name gets a number."""
    of = _text(of)
    taken = [case.get("name") or "" for case in suite if case.get("classname") == of]
    name = _unique(_text(name), taken)
    case = ET.SubElement(suite, "testcase", classname=of, name=name, time=f"{seconds:.3f}")
    within = ET.SubElement(case, "properties")
    for key, value in properties.items():
        if value is not None:
            ET.SubElement(within, "property", name=key, value=_text(str(value)))
    return case


def _add_outcome(case: ET.Element, row: dict[str, Any]) -> None:
    measured = f"measured {_measured(row)}"
    doubts = " ".join(worded.plain(doubt["message"]) for doubt in row["doubts"])
    match row["outcome"]:
        case "fail":
            ET.SubElement(case, "failure", message=_text(measured))
        case "inconclusive":
            ET.SubElement(case, "error", message=_text(f"inconclusive: {doubts or measured}"))
        case "waived":
            ET.SubElement(case, "skipped", message=_text(f"waived: {row['waiver']['reason']}"))
        case _:
            pass
    if row["outcome"] != "inconclusive" and (notes := _notes(row)):
        ET.SubElement(case, "system-out").text = _text(notes)


def _notes(row: dict[str, Any]) -> str:
    """Return what is in doubt about a row, as one line; empty without doubts."""
    messages = [worded.plain(doubt["message"]) for doubt in row["doubts"]]
    return " ".join(words.notes(row["judged"], messages)) if messages else ""


def _measured(row: dict[str, Any]) -> str:
    return words.measured(row["measured"], row["dimension"], row["criterion"])


def _seconds(start: str | None, end: str | None) -> float:
    if start is None or end is None:
        return 0.0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _text(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)
