"""Mutants that a seed draws from all Python modules of the product."""

import random
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mutants.changes import Change, kinds, statements

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".ci"))

import quick  # noqa: E402
from suites import EACH_TIME  # noqa: E402

MOST_SURVIVORS = (5, 60)
"""How many of how many may survive: some change nothing that anyone can notice."""


@dataclass(frozen=True)
class Drawn:
    """An error at one place of the file at `path`, whose text is `source`."""

    path: str
    source: str
    change: Change
    tests: tuple[str, ...]

    def apply(self, source: str) -> str:
        """Return the source with the error."""
        return self.change.apply(source)

    @property
    def unordered(self) -> tuple[str, ...]:
        """The same tests, in one order for all modules of a package."""
        within = {one for one in self.tests for other in self.tests if one.startswith(f"{other}/")}
        return tuple(one for one in self.tests if one not in within)

    def __str__(self) -> str:
        """Return the line before and after; a place of several lines becomes one."""
        first = self.source.rfind("\n", 0, self.change.start) + 1
        last = self.source.find("\n", self.change.end)
        old, rest = self.source[first : self.change.start], self.source[self.change.end : last]
        shown = [
            " ".join(f"{old}{text}{rest}".split())
            for text in (self.source[self.change.start : self.change.end], self.change.new)
        ]
        line = self.source.count("\n", 0, self.change.start) + 1
        return f"{self.path}:{line}, {shown[0]} → {shown[1]}"


def modules() -> list[str]:
    """Return the paths of the product's modules, in order."""
    files = (file for folder in quick.TYPED for file in (ROOT / folder).rglob("*.py"))
    return sorted(str(file.relative_to(ROOT)) for file in files)


def draw(seed: str, count: int, paths: Iterable[str]) -> list[Drawn]:
    """Return mutants of `count` different statements, or of all if these are fewer.

    Each statement is as likely as any other, then each kind of change that it has room for.
    """
    sources = {path: (ROOT / path).read_text() for path in paths}
    places = [(path, changes) for path in sources for changes in statements(sources[path])]
    chance = random.Random(seed)
    found: list[Drawn] = []
    for path, changes in chance.sample(places, min(count, len(places))):
        kind = chance.choice([*kinds(changes)])
        change = chance.choice([one for one in changes if one.kind == kind])
        found.append(Drawn(path, sources[path], change, ("pytest", *EACH_TIME, *tests_of(path))))
    return found


def tests_of(path: str) -> tuple[str, ...]:
    """Return the tests that mirror a module: its own first, then all in their folder."""
    own = quick.mirror(Path(path))
    folder = own.parent if own.suffix else own
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    if str(folder) in (*quick.TEST_ROOTS, *quick.FLOORS):  # what is below mirrors other packages
        files = sorted((ROOT / folder).glob("test_*.py"))
        beside = [file.relative_to(ROOT) for file in files]
    else:
        beside = [folder]
    return tuple(str(one) for one in dict.fromkeys([*([own] if own.suffix else []), *beside]))
