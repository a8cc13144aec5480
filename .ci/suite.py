"""A suite of `make test`, and how it ended: the counts of its runner's reports."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from budgets import Timed
from machine import Used

CPU = "cpu_s"
"""The property of a test with its processor time; conftest.py records it."""
SLICE = "rotating"
"""The property of a test that runs a slice of its cases: the day that chose it."""
FAILURE_LINES = 3
"""Of why a test failed, what the summary shows: the first names the place for some runners."""


class Lane(Enum):
    """What a suite may run beside."""

    CORE = "needs one core; as many at a time as there are"
    CORES = "needs all cores; beside WAITING only"
    WAITING = "mostly waits; beside CORE and CORES"
    ALONE = "measures; beside nothing"


@dataclass(frozen=True)
class Suite:
    """One command; `group` selects it, as in `make lint`."""

    group: str
    title: str
    command: tuple[str, ...]
    folder: str = "."
    reports: bool = False
    """Whether it counts tests and writes the counts as JUnit XML to REPORT."""
    part: str = ""
    """Selects a suite of `make nightly`, as in `make nightly ARGS="mutants faults"`."""
    lane: Lane = Lane.ALONE


@dataclass
class Outcome:
    """How a suite ended, and its counts."""

    suite: Suite
    used: Used
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)
    """Tests that failed, with the first line of why."""
    retries: list[str] = field(default_factory=list)
    """Tests that passed only when repeated, with what failed before."""
    tests: list[Timed] = field(default_factory=list)
    failed_slices: set[str] = field(default_factory=set)
    """The days whose slice of the rotating tests failed."""
    left_out: list[str] = field(default_factory=list)
    """Tests that `make nightly` runs instead."""

    @property
    def ok(self) -> bool:
        """Whether its command succeeded."""
        return self.used.code == 0


def count(outcome: Outcome, report: Path) -> None:
    """Add the counts of a report in JUnit XML."""
    prefix = {"frontend": "frontend/", "e2e": "e2e/specs/"}.get(outcome.suite.folder, "")
    cases: dict[tuple[str, str], ET.Element] = {}
    for case in ET.parse(report).iter("testcase") if report.exists() else ():
        test = Timed(
            case.get("name") or "",
            f"{prefix}{case.get('classname') or ''}",
            float(case.get("time") or 0),
            sum(float(note.get("value") or 0) for note in _properties(case, CPU)),
        )
        outcome.tests.append(test)
        cases[test.where, test.name] = case  # of a test that ran again, the last run counts
    for case in cases.values():
        if failure := _failure(case):
            outcome.failed += 1
            outcome.failures.append(f"{case.get('classname') or ''} {case.get('name')}: {failure}")
            outcome.failed_slices |= {note.get("value") or "" for note in _properties(case, SLICE)}
        elif case.find("skipped") is not None:
            outcome.skipped += 1
        else:
            outcome.passed += 1
        outcome.retries += [
            f"{case.get('name')}: {note.get('value')}" for note in _properties(case, "retried")
        ]
    if prefix and outcome.tests:  # these runners report no processor time: all have equal shares
        share = outcome.used.cpu_s / len(outcome.tests)
        outcome.tests = [replace(test, cpu_s=share) for test in outcome.tests]


def _failure(case: ET.Element) -> str:
    """Return why a test failed, in one line; "" if it did not."""
    for kind in ("failure", "error"):
        if (found := case.find(kind)) is not None:
            lines = f"{found.get('message') or ''}\n{found.text or ''}".split("\n")
            said = [text.strip() for text in lines if text.strip()]
            return " · ".join(said[:FAILURE_LINES]) or kind
    return ""


def _properties(case: ET.Element, name: str) -> list[ET.Element]:
    return [note for note in case.iter("property") if note.get("name") == name]


def line(outcome: Outcome) -> str:
    """Format how a suite ended, in one line."""
    used = outcome.used
    word = "ok" if outcome.ok else f"FAILED ({used.failure})"
    counts = f", {outcome.passed} passed" if outcome.suite.reports else ""
    counts += f", {outcome.failed} failed" if outcome.failed else ""
    counts += f", {outcome.skipped} skipped" if outcome.skipped else ""
    times = f"in {used.seconds:.0f} s, {used.cpu_s:.0f} s of processor time"
    return f"{outcome.suite.title:<18} {word}{counts} {times}"
