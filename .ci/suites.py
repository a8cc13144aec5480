"""Runs the checks of `make test` one after the other, all of them, and sums up at the end.

A failing one does not hide what the next would have said. pytest and Playwright run last, so that
their own summaries stand last; the closing line adds all tests up.
"""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"


@dataclass(frozen=True)
class Suite:
    """One command; `group` is what `make lint` and the like select by."""

    group: str
    title: str
    command: tuple[str, ...]
    folder: str = "."
    reports: bool = False
    """Whether it counts tests, and leaves the counts as JUnit XML where REPORT says."""


REPORT = "{report}"
SUITES = (
    # its cache does not know of a new file that changes how an old one has to sort its imports
    Suite("lint", "ruff check", (f"{BIN}/ruff", "check", "--no-cache", ".")),
    Suite("lint", "ruff format", (f"{BIN}/ruff", "format", "--check", ".")),
    Suite("lint", "Biome, front end", ("npm", "run", "-s", "lint"), "frontend"),
    Suite("lint", "Biome, e2e", ("npm", "run", "-s", "lint"), "e2e"),
    Suite("types", "pyright", (f"{BIN}/pyright",)),
    Suite("types", "tsc, front end", ("npm", "run", "-s", "typecheck"), "frontend"),
    Suite("types", "tsc, e2e", ("npm", "run", "-s", "typecheck"), "e2e"),
    Suite(
        "unit",
        "vitest",
        (
            "npx",
            "vitest",
            "run",
            "--reporter=default",
            "--reporter=junit",
            f"--outputFile={REPORT}",
        ),
        "frontend",
        reports=True,
    ),
    Suite(
        "python",
        "pytest",
        (
            *(f"{BIN}/pytest", "-n", "2", "--dist", "loadgroup"),
            *("-m", "not alone", f"--junit-xml={REPORT}"),
        ),
        reports=True,
    ),
    Suite(
        "python",
        "pytest, alone",
        (f"{BIN}/pytest", "-m", "alone", f"--junit-xml={REPORT}"),
        reports=True,
    ),
    Suite(
        "browser",
        "Playwright",
        ("npx", "playwright", "test", "--reporter=list,junit"),
        "e2e",
        reports=True,
    ),
)


@dataclass
class Outcome:
    """How a suite ended, and what it counted."""

    suite: Suite
    code: int
    seconds: float
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def counted(report: Path) -> tuple[int, int, int]:
    """Tests that passed, failed and were skipped, from JUnit XML; none when there is no report."""
    if not report.exists():
        return 0, 0, 0
    passed = failed = skipped = 0
    for case in ET.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def run(suite: Suite, path: str) -> Outcome:
    """Run a suite with its output straight to ours."""
    print(f"\n=== {suite.title}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-report-") as folder:
        report = Path(folder) / "report.xml"
        command = [part.replace(REPORT, str(report)) for part in suite.command]
        environment = os.environ | {"PATH": path, "PLAYWRIGHT_JUNIT_OUTPUT_NAME": str(report)}
        code = subprocess.call(command, cwd=ROOT / suite.folder, env=environment)
        return Outcome(suite, code, time.monotonic() - began, *counted(report))


def main() -> int:
    """Run the suites of the groups named as arguments, or all; the exit code."""
    groups = sys.argv[1:]
    chosen = [suite for suite in SUITES if not groups or suite.group in groups]
    node = subprocess.check_output([sys.executable, ROOT / "bootstrap.py", "--node"], text=True)
    path = f"{node.strip()}{os.pathsep}{os.environ['PATH']}"
    outcomes = [run(suite, path) for suite in chosen]

    print("\n=== summary")
    for outcome in outcomes:
        word = "ok" if outcome.code == 0 else f"FAILED (exit code {outcome.code})"
        counts = f", {outcome.passed} passed" if outcome.suite.reports else ""
        counts += f", {outcome.failed} failed" if outcome.failed else ""
        counts += f", {outcome.skipped} skipped" if outcome.skipped else ""
        print(f"{outcome.suite.title:<18} {word}{counts} in {outcome.seconds:.0f} s")
    failed = sum(outcome.failed for outcome in outcomes)
    # a check without tests of its own, or one that broke down before it counted any, is one
    failed += sum(1 for outcome in outcomes if outcome.code != 0 and not outcome.failed)
    if any(outcome.suite.reports for outcome in outcomes):
        passed = sum(outcome.passed for outcome in outcomes)
        print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
