"""Runs the suites of `make test` and prints a summary.

Arguments name groups, such as `lint`; `check` is what `make check` runs, and `nightly` is what
takes too long for every change (it writes a report). Linters and type checkers run side by side,
since each uses one core; all others run one after the other. A failure does not stop later suites.
pytest and Playwright run last, so that their summaries are at the end; the last line counts all
tests.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import quick
from budgets import Timed
from budgets import report as times

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"


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


REPORT = "{report}"
MOST_RETRIES = 6
"""Maximum per run. More indicate an unreliable test instead of a busy machine."""
SIDE_BY_SIDE = ("lint", "types")
"""Groups of suites that use one core each and measure nothing."""
SUITES = (
    # its cache misses that a new file can change the import order of existing ones
    Suite("lint", "ruff check", (f"{BIN}/ruff", "check", "--no-cache", ".")),
    Suite("lint", "ruff format", (f"{BIN}/ruff", "format", "--check", ".")),
    Suite("lint", "import-linter", (f"{BIN}/lint-imports", "--no-cache")),
    Suite("lint", "Biome, front end", ("npm", "run", "-s", "lint"), "frontend"),
    Suite("lint", "Biome, e2e", ("npm", "run", "-s", "lint"), "e2e"),
    Suite("lint", "page sizes", ("npm", "run", "-s", "size"), "frontend"),
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
            *("-m", "not alone and not nightly", f"--junit-xml={REPORT}"),
        ),
        reports=True,
    ),
    Suite(
        "python",
        "pytest, alone",
        (f"{BIN}/pytest", "-m", "alone and not nightly", f"--junit-xml={REPORT}"),
        reports=True,
    ),
    Suite(
        "browser",
        "Playwright",
        ("npx", "playwright", "test", "--reporter=list,junit,json"),
        "e2e",
        reports=True,
    ),
)
NIGHTLY = (
    # the mutants come first, because they need a clean working tree and the faults write a page
    Suite("nightly", "mutants", (f"{BIN}/python", "-m", "mutants"), "e2e", part="mutants"),
    Suite(
        "nightly",
        "every fault",
        (f"{BIN}/pytest", "e2e/faults", "--write-reliability", f"--junit-xml={REPORT}"),
        reports=True,
        part="faults",
    ),
    Suite(
        "nightly",
        "every rate",
        (f"{BIN}/pytest", "-m", "nightly", "worker", "backend", "e2e/lab", f"--junit-xml={REPORT}"),
        reports=True,
        part="rates",
    ),
    Suite(
        "nightly",
        "fuzzing, 1 h",
        ("make", "-C", "worker/probe", "fuzz", "SECONDS=3600"),
        part="fuzzing",
    ),
    Suite("nightly", "Compose", (f"{BIN}/python", "-m", "containers"), "e2e", part="compose"),
    Suite("nightly", "bench", (f"{BIN}/python", "e2e/bench/all.py"), part="bench"),
)
"""What `make test` leaves out."""

ON_SQLITE = ("-n", "2", "-m", "not alone and not nightly", "-k", "not postgresql")


def of_check() -> tuple[Suite, ...]:
    """Return the suites of `make check`: lint, types, quick tests, and those of what changed."""
    paths = quick.changed()
    command = (f"{BIN}/pytest", "-q", *ON_SQLITE, *quick.tests_of(paths), f"--junit-xml={REPORT}")
    found = [suite for suite in SUITES if suite.group in ("lint", "types")]
    found.append(Suite("check", "pytest, quick", command, reports=True))
    front_end = [
        path.removeprefix("frontend/") for path in paths if path.startswith("frontend/src")
    ]
    if front_end:
        related = ("npx", "vitest", "related", "--run", "--passWithNoTests", *front_end)
        found.append(Suite("check", "vitest, changed", related, "frontend"))
    return tuple(found)


@dataclass
class Outcome:
    """How a suite ended, and its counts."""

    suite: Suite
    code: int
    seconds: float
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    retries: list[str] = field(default_factory=list)
    """Tests that passed only when repeated, with what failed before."""
    tests: list[Timed] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Tests that `make nightly` runs instead."""


def count(outcome: Outcome, report: Path, playwright: Path) -> None:
    """Add the counts of the reports: JUnit XML of every runner, and Playwright's own of retries."""
    prefix = {"frontend": "frontend/", "e2e": "e2e/specs/"}.get(outcome.suite.folder, "")
    cases: dict[tuple[str, str], ET.Element] = {}
    for case in ET.parse(report).iter("testcase") if report.exists() else ():
        test = Timed(
            case.get("name") or "",
            f"{prefix}{case.get('classname') or ''}",
            float(case.get("time") or 0),
        )
        outcome.tests.append(test)
        cases[test.where, test.name] = case  # of a test that ran again, the last run counts
    for case in cases.values():
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        elif case.find("skipped") is not None:
            outcome.skipped += 1
        else:
            outcome.passed += 1
        outcome.retries += [
            f"{case.get('name')}: {note.get('value')}"
            for note in case.iter("property")
            if note.get("name") == "retried"
        ]
    if playwright.exists():
        outcome.retries += flaky(json.loads(playwright.read_text()))


def flaky(suite: dict) -> list[str]:
    """Return the titles of the specs below a suite of Playwright's report that failed at first."""
    found = [
        f"{spec['file']}: {spec['title']}"
        for spec in suite.get("specs", ())
        if any(test["status"] == "flaky" for test in spec["tests"])
    ]
    return found + [title for inner in suite.get("suites", ()) for title in flaky(inner)]


def run_all(suites: Sequence[Suite], path: str) -> list[Outcome]:
    """Run suites; those of SIDE_BY_SIDE first, as many at a time as there are cores."""
    quiet = [suite for suite in suites if suite.group in SIDE_BY_SIDE]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda suite: run(suite, path), quiet))
    return outcomes + [run(suite, path) for suite in suites if suite not in quiet]


def execute(suite: Suite, command: list[str], environment: dict[str, str]) -> int:
    """Run a suite's command and return its exit code.

    Output is passed through, or printed at the end if other suites run at the same time.
    """
    folder, title = ROOT / suite.folder, f"\n=== {suite.title}"
    if suite.group not in SIDE_BY_SIDE:
        print(title, flush=True)
        return subprocess.call(command, cwd=folder, env=environment)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(f"{title}\n{done.stdout}", end="", flush=True)
    return done.returncode


def run(suite: Suite, path: str) -> Outcome:
    """Run a suite and count its tests."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-report-") as folder:
        report, playwright = Path(folder) / "report.xml", Path(folder) / "playwright.json"
        left_out = Path(folder) / "left_out"
        command = [part.replace(REPORT, str(report)) for part in suite.command]
        # without compiled modules, each process that a test starts compiles the product again
        kept = {n: value for n, value in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        environment = kept | {
            "PATH": path,
            "PLAYWRIGHT_JUNIT_OUTPUT_NAME": str(report),
            "PLAYWRIGHT_JSON_OUTPUT_NAME": str(playwright),
            "ASSAY_LEFT_OUT": str(left_out),
        }
        code = execute(suite, command, environment)
        outcome = Outcome(suite, code, time.monotonic() - began)
        count(outcome, report, playwright)
        if left_out.exists():
            outcome.left_out = sorted(set(left_out.read_text().splitlines()))
        return outcome


def chosen(groups: list[str]) -> tuple[Suite, ...]:
    """Return the suites that groups name; without any, those of `make test`."""
    if groups == ["check"]:
        return of_check()
    if not groups:
        return SUITES
    if groups[0] == "nightly":
        return of_nightly(groups[1:])
    return tuple(suite for suite in (*SUITES, *NIGHTLY) if suite.group in groups)


def of_nightly(parts: list[str]) -> tuple[Suite, ...]:
    """Return the suites of `make nightly` that `parts` name; without any, all."""
    known = [suite.part for suite in NIGHTLY]
    if unknown := set(parts) - set(known):
        sys.exit(f"no such part of the night: {', '.join(unknown)}. Use {', '.join(known)}.")
    return tuple(suite for suite in NIGHTLY if not parts or suite.part in parts)


def line(outcome: Outcome) -> str:
    """Format how a suite ended, in one line."""
    word = "ok" if outcome.code == 0 else f"FAILED (exit code {outcome.code})"
    counts = f", {outcome.passed} passed" if outcome.suite.reports else ""
    counts += f", {outcome.failed} failed" if outcome.failed else ""
    counts += f", {outcome.skipped} skipped" if outcome.skipped else ""
    return f"{outcome.suite.title:<18} {word}{counts} in {outcome.seconds:.0f} s"


def write_nightly(lines: list[str]) -> None:
    """Write the report of a night to `docs/measurements`."""
    moment = datetime.now(UTC)
    text = f"# Nightly run, {moment:%Y-%m-%d %H:%M} UTC\n\n```\n" + "\n".join(lines) + "\n```\n"
    path = ROOT / "docs/measurements" / f"{moment:%Y-%m-%d-%H%M}-nightly.md"
    path.write_text(text)
    print(f"written to {path.relative_to(ROOT)}")


def main() -> int:
    """Run the suites of the groups named as arguments, or all; return the exit code."""
    groups = sys.argv[1:]
    node = subprocess.check_output([sys.executable, ROOT / "bootstrap.py", "--node"], text=True)
    path = f"{node.strip()}{os.pathsep}{os.environ['PATH']}"
    outcomes = run_all(chosen(groups), path)

    print("\n=== summary")
    overruns = 0
    if not groups:  # parts of the suite have no budget
        shown, overruns = times([test for outcome in outcomes for test in outcome.tests])
        print(*shown, sep="\n")
        left_out = sorted({name for outcome in outcomes for name in outcome.left_out})
        print(*(f"left to `make nightly`: {name}" for name in left_out), sep="\n")
        print("left to `make nightly`: an hour of fuzzing, mutants, Compose, bench")
    lines = [line(outcome) for outcome in outcomes]
    retries = [retry for outcome in outcomes for retry in outcome.retries]
    lines += [f"tried again: {retry}" for retry in retries]
    failed = sum(outcome.failed for outcome in outcomes)
    # a suite without tests, or one that failed before it counted any, counts as one
    failed += sum(1 for outcome in outcomes if outcome.code != 0 and not outcome.failed)
    if len(retries) > MOST_RETRIES:
        lines.append(f"{len(retries)} retries: more than {MOST_RETRIES} in one run are a failure")
        failed += 1
    if overruns:
        lines.append(f"{overruns} folders took longer than docs/testing.md allows")
        failed += 1
    if any(outcome.suite.reports for outcome in outcomes):
        passed = sum(outcome.passed for outcome in outcomes)
        lines.append(f"{passed} passed, {failed} failed")
    print(*lines, sep="\n")
    if "nightly" in groups:
        ran = [outcome.suite for outcome in outcomes]
        left = [suite.title for suite in NIGHTLY if suite not in ran]
        write_nightly([*lines, *(f"{title:<18} not run" for title in left)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
