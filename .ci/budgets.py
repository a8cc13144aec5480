"""The processor time that the tests of each folder may use: the table of `docs/testing.md`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs/testing.md"
SLOWEST = 20


@dataclass(frozen=True)
class Timed:
    """A test, the folder or dotted module that it is in, its duration and its processor time."""

    name: str
    where: str
    seconds: float
    cpu_s: float


def budgets(page: str) -> dict[str, float]:
    """Return the processor time of each folder in a Markdown table `| folder | seconds | …`."""
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \|", page, re.MULTILINE)
    return {folder: float(seconds) for folder, seconds in rows}


def spent(tests: Iterable[Timed], folders: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return seconds and processor time of each folder that tests ran in; `""` is no such folder.

    If several folders contain a test, the deepest one counts.
    """
    names = sorted(folders, key=len, reverse=True)
    totals: dict[str, tuple[float, float]] = {}
    for test in tests:
        where = test.where.replace("/", ".")
        of = next((name for name in names if where.startswith(name.replace("/", "."))), "")
        seconds, cpu_s = totals.get(of, (0.0, 0.0))
        totals[of] = seconds + test.seconds, cpu_s + test.cpu_s
    return totals


def report(tests: list[Timed], slowness: float) -> tuple[list[str], int]:
    """Return the slowest tests and each folder's time as lines, and how many are over budget.

    Budgets are `slowness` times those of the table.
    """
    if not tests:
        return [], 0
    lines = [f"slowest {min(SLOWEST, len(tests))} tests, with their processor time:"]
    for test in sorted(tests, key=lambda test: test.seconds, reverse=True)[:SLOWEST]:
        lines.append(f"{test.seconds:8.1f} s {test.cpu_s:8.1f} s  {test.where}: {test.name}")
    table = budgets(TABLE.read_text())
    allowed = {folder: seconds * slowness for folder, seconds in table.items()}
    lines.append(
        "each folder's tests: processor time of its budget, and waiting, over all processes"
    )
    overruns = 0
    for folder, (seconds, cpu_s) in sorted(spent(tests, allowed).items()):
        most = allowed.get(folder)
        over = most is None or cpu_s > most
        overruns += over
        budget = f"{most:5.0f} s" if most is not None else f"none in {TABLE.relative_to(ROOT)}"
        mark = "  OVER BUDGET" if over else ""
        waiting = max(0.0, seconds - cpu_s)
        lines.append(
            f"{cpu_s:8.1f} s of {budget} {waiting:8.1f} s  {folder or 'other folders'}{mark}"
        )
    return lines, overruns
