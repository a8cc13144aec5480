"""Runs the suites of `make test` and prints a summary.

Arguments name groups, such as `lint`; `check` is what `make check` runs, and `nightly` is what
takes too long for every change (it writes a report). Suites that need the processors (linters, type
checkers, vitest, the backend) run beside one whose tests mostly wait; those that judge rates, and
the browser, run alone after them. A failure does not stop later suites. The last line counts all
tests.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import quick
from budgets import report as times
from machine import Machine, Processes
from suite import Lane, Outcome, Suite, count, line

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"


REPORT = "{report}"
FAILED_SLICES = ROOT / ".ci" / "failed-slices"
"""Days whose slices run with each commit; e2e/testing/rotation.py reads it."""
MOST_RETRIES = 4
"""Maximum per run. More indicate an unreliable test instead of a busy machine."""
DEADLINE_S = 75 * 60
"""A run that is not over by then ends with its report; CI would end it without one at 90 min."""
EACH_TIME = ("-m", "not alone and not nightly")
WAITING = ("e2e/appliance", "worker", "e2e/faults", "e2e/lab/tests")
"""Folders whose tests start processes and wait for them; the longest tests first."""
COMPUTING = (".ci/tests", "backend/tests", "e2e/bench/tests")
ALONE = (
    *("worker/tests/on_lab", "worker/probe/tests/test_contention.py"),
    *("worker/probe/tests/test_kthreads.py", "worker/probe/tests/test_pacing.py"),
    "e2e/lab/tests",
    "e2e/appliance/test_transfer_gate.py",
)
"""All files with tests marked `alone`: to find them among all tests takes half a minute."""
TWO_PROCESSES = ("-n", "2", "--dist", "loadgroup")
FOUR_PROCESSES = ("-n", "4", "--dist", "loadgroup")


def checker(group: str, title: str, *command: str, folder: str = ".") -> Suite:
    """Return a suite that counts no tests and needs one core."""
    return Suite(group, title, command, folder, lane=Lane.CORE)


def tests(title: str, lane: Lane, *options: str, group: str = "python") -> Suite:
    """Return a suite of pytest that counts its tests."""
    command = (f"{BIN}/pytest", *options, f"--junit-xml={REPORT}")
    return Suite(group, title, command, reports=True, lane=lane)


PYRIGHT = checker("types", "pyright", f"{BIN}/pyright")
SUITES = (
    # its cache misses that a new file can change the import order of existing ones
    checker("lint", "ruff check", f"{BIN}/ruff", "check", "--no-cache", "."),
    checker("lint", "ruff format", f"{BIN}/ruff", "format", "--check", "."),
    checker("lint", "import-linter", f"{BIN}/lint-imports", "--no-cache"),
    checker("lint", "Biome, front end", *("npm", "run", "-s", "lint"), folder="frontend"),
    checker("lint", "Biome, e2e", *("npm", "run", "-s", "lint"), folder="e2e"),
    checker("lint", "page sizes", *("npm", "run", "-s", "size"), folder="frontend"),
    PYRIGHT,
    checker("types", "tsc, front end", *("npm", "run", "-s", "typecheck"), folder="frontend"),
    checker("types", "tsc, e2e", *("npm", "run", "-s", "typecheck"), folder="e2e"),
    Suite(
        "unit",
        "vitest",
        (
            *("npx", "vitest", "run", "--reporter=default", "--reporter=junit"),
            f"--outputFile={REPORT}",
        ),
        "frontend",
        reports=True,
        lane=Lane.CORES,
    ),
    tests("pytest, computing", Lane.CORES, *TWO_PROCESSES, *EACH_TIME, *COMPUTING),
    tests("pytest, waiting", Lane.WAITING, *FOUR_PROCESSES, *EACH_TIME, *WAITING),
    tests("pytest, alone", Lane.ALONE, "-m", "alone and not nightly", *ALONE),
    Suite(
        "browser",
        "Playwright",
        ("npx", "playwright", "test", "--reporter=list,junit"),
        "e2e",
        reports=True,
    ),
)
NIGHTLY = (
    # the mutants come first, because they need a clean working tree and the faults write a page
    Suite("nightly", "mutants", (f"{BIN}/python", "-m", "mutants"), "e2e", part="mutants"),
    Suite(
        "nightly",
        "drawn mutants",
        (f"{BIN}/python", "-m", "mutants", "--count", "60"),
        "e2e",
        part="drawn",
    ),
    Suite(
        "nightly",
        "every fault",
        (f"{BIN}/pytest", "e2e/faults", "--times", "--write-reliability", f"--junit-xml={REPORT}"),
        reports=True,
        part="faults",
    ),
    Suite(
        "nightly",
        "every slice",
        (
            "env",
            "ROTATE=all",
            f"{BIN}/pytest",
            *TWO_PROCESSES,
            "-m",
            "rotating",
            f"--junit-xml={REPORT}",
        ),
        reports=True,
        part="slices",
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
    typed = quick.typed(paths)
    found = [suite for suite in SUITES if suite.lane is Lane.CORE]
    if typed is not None:
        found.remove(PYRIGHT)
    if typed:
        found.append(replace(PYRIGHT, command=(*PYRIGHT.command, *typed)))
    # beside the type checkers, since it waits for the database and the queue
    found.append(Suite("check", "pytest, quick", command, reports=True, lane=Lane.WAITING))
    front_end = [
        path.removeprefix("frontend/") for path in paths if path.startswith("frontend/src")
    ]
    if front_end:
        related = ("npx", "vitest", "related", "--run", "--passWithNoTests", *front_end)
        found.append(Suite("check", "vitest, changed", related, "frontend"))
    return tuple(found)


class Runner:
    """Runs suites with `path` as their PATH, until the deadline."""

    def __init__(self, path: str, processes: Processes) -> None:
        """Prepare the environment of the suites."""
        # without compiled modules, each process that a test starts compiles the product again
        kept = {n: value for n, value in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
        self._environment = kept | {"PATH": path}
        self._processes = processes

    def run(self, suite: Suite) -> Outcome:
        """Run a suite and count its tests.

        The output of a suite that runs beside others is printed when it ends.
        """
        title = f"\n=== {suite.title}"
        with TemporaryDirectory(prefix="assay-report-") as name:
            folder = Path(name)
            report = folder / "report.xml"
            command = [part.replace(REPORT, str(report)) for part in suite.command]
            environment = self._environment | {
                "PLAYWRIGHT_JUNIT_OUTPUT_NAME": str(report),
                "ASSAY_LEFT_OUT": str(folder / "left_out"),
            }
            alone = suite.lane is Lane.ALONE
            print(title if alone else f"started: {suite.title}", flush=True)
            output = None if alone else folder / "output"
            used = self._processes.run(command, ROOT / suite.folder, environment, output)
            if output:
                print(f"{title}\n{output.read_text(errors='replace')}", end="", flush=True)
            outcome = Outcome(suite, used)
            count(outcome, report)
            if (folder / "left_out").exists():
                outcome.left_out = sorted(set((folder / "left_out").read_text().splitlines()))
            return outcome


def run_all(suites: Sequence[Suite], runner: Runner) -> list[Outcome]:
    """Run the suites in their lanes; return the outcomes in the order of the suites."""
    of = {lane: [suite for suite in suites if suite.lane is lane] for lane in Lane}

    def computing() -> list[Outcome]:
        with ThreadPoolExecutor(os.cpu_count()) as cores:
            outcomes = list(cores.map(runner.run, of[Lane.CORE]))
        return outcomes + [runner.run(suite) for suite in of[Lane.CORES]]

    with ThreadPoolExecutor(2) as lanes:
        beside = lanes.submit(computing)
        waiting = [runner.run(suite) for suite in of[Lane.WAITING]]
        outcomes = beside.result() + waiting
    outcomes += [runner.run(suite) for suite in of[Lane.ALONE]]
    return sorted(outcomes, key=lambda outcome: suites.index(outcome.suite))


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


def remember(outcomes: Sequence[Outcome]) -> list[str]:
    """Write the slices that failed to FAILED_SLICES, or remove it after success; return lines."""
    name = FAILED_SLICES.relative_to(ROOT)
    if slices := sorted(set().union(*(outcome.failed_slices for outcome in outcomes)) - {"all"}):
        known = FAILED_SLICES.read_text().split() if FAILED_SLICES.exists() else []
        FAILED_SLICES.write_text("".join(f"{day}\n" for day in sorted({*known, *slices})))
        return [
            f"a slice of ROTATE={', '.join(slices)} failed: commit {name}, so that it runs again"
        ]
    if FAILED_SLICES.exists() and all(outcome.ok for outcome in outcomes):
        FAILED_SLICES.unlink()
        return [f"the slices of {name} passed: commit its removal"]
    return []


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
    nightly = "nightly" in groups
    machine = Machine()
    with Processes(None if nightly else DEADLINE_S) as processes:
        outcomes = run_all(chosen(groups), Runner(path, processes))

    print("\n=== summary")
    overruns = 0
    if not groups:  # parts of the suite have no budget
        tests = [test for outcome in outcomes for test in outcome.tests]
        shown, overruns = times(tests, machine.slowness())
        print(*shown, sep="\n")
        left_out = sorted({name for outcome in outcomes for name in outcome.left_out})
        print(*(f"left to `make nightly`: {name}" for name in left_out), sep="\n")
        print("left to `make nightly`: an hour of fuzzing, mutants, Compose, bench")
    lines = [line(outcome) for outcome in outcomes]
    lines.append(f"{'the machine':<18} {machine.used()}")
    lines += [f"failed: {failure}" for outcome in outcomes for failure in outcome.failures]
    retries = [retry for outcome in outcomes for retry in outcome.retries]
    lines += [f"tried again: {retry}" for retry in retries]
    failed = sum(outcome.failed for outcome in outcomes)
    # a suite without tests, or one that failed before it counted any, counts as one
    failed += sum(1 for outcome in outcomes if not outcome.ok and not outcome.failed)
    if len(retries) > MOST_RETRIES:
        lines.append(f"{len(retries)} retries: more than {MOST_RETRIES} in one run are a failure")
        failed += 1
    if overruns:
        lines.append(f"{overruns} folders used more than docs/testing.md allows")
        failed += 1
    if not groups:
        lines += remember(outcomes)
    if any(outcome.suite.reports for outcome in outcomes):
        passed = sum(outcome.passed for outcome in outcomes)
        lines.append(f"{passed} passed, {failed} failed")
    print(*lines, sep="\n")
    if nightly:
        ran = [outcome.suite for outcome in outcomes]
        left = [suite.title for suite in NIGHTLY if suite not in ran]
        write_nightly([*lines, *(f"{title:<18} not run" for title in left)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
