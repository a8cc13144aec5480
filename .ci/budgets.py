"""The seconds that the tests of each folder may take: the table of `docs/testing.md`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs/testing.md"
SLOWEST = 20


@dataclass(frozen=True)
class Timed:
    """A test, the folder or dotted module that it is in, and how long it took."""

    name: str
    where: str
    seconds: float


def budgets(page: str) -> dict[str, float]:
    """Return the seconds of each folder in a Markdown table `| folder | seconds | …`."""
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \|", page, re.MULTILINE)
    return {folder: float(seconds) for folder, seconds in rows}


def spent(tests: Iterable[Timed], folders: Iterable[str]) -> dict[str, float]:
    """Return the seconds of each folder that tests ran in; tests of no such folder are under `""`.

    If several folders contain a test, the deepest one counts.
    """
    names = sorted(folders, key=len, reverse=True)
    found: dict[str, float] = {}
    for test in tests:
        where = test.where.replace("/", ".")
        of = next((name for name in names if where.startswith(name.replace("/", "."))), "")
        found[of] = found.get(of, 0) + test.seconds
    return found


def report(tests: list[Timed]) -> tuple[list[str], int]:
    """Return the slowest tests and each folder's time as lines, and how many are over budget."""
    if not tests:
        return [], 0
    lines = [f"slowest {min(SLOWEST, len(tests))} tests:"]
    for test in sorted(tests, key=lambda test: test.seconds, reverse=True)[:SLOWEST]:
        lines.append(f"{test.seconds:8.1f} s  {test.where}: {test.name}")
    allowed = budgets(TABLE.read_text())
    lines.append("time of each folder's tests, added up over all processes:")
    overruns = 0
    for folder, seconds in sorted(spent(tests, allowed).items()):
        most = allowed.get(folder)
        over = most is None or seconds > most
        overruns += over
        budget = f"{most:5.0f} s" if most is not None else f"none in {TABLE.relative_to(ROOT)}"
        mark = "  OVER BUDGET" if over else ""
        lines.append(f"{seconds:8.1f} s of {budget}  {folder or 'other folders'}{mark}")
    return lines, overruns
