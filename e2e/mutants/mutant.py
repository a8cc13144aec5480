"""A mutant: an error in the source that tests must detect."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """An error: `old`, which occurs once in the file at `path`, becomes `new`.

    `tests` is a runner (`pytest`, `vitest`) and its arguments.
    """

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, source: str) -> str:
        """Return the source with the error."""
        return source.replace(self.old, self.new)

    def __str__(self) -> str:
        return f"{self.name} ({self.path})"


def probe(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the probe."""
    found = tuple(f"worker/probe/tests/{test}" for test in tests)
    return Mutant(name, f"worker/probe/src/{file}", old, new, ("pytest", *found))


def backend(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the backend."""
    found = tuple(f"backend/tests/{test}" for test in tests)
    return Mutant(name, f"backend/assay/{file}", old, new, ("pytest", *found))


def worker(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the worker."""
    found = tuple(f"worker/tests/{test}" for test in tests)
    return Mutant(name, f"worker/assay_worker/{file}", old, new, ("pytest", *found))


def page(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """An error in the front end."""
    found = tuple(f"src/{test}" for test in tests)
    return Mutant(name, f"frontend/src/{file}", old, new, ("vitest", *found))
