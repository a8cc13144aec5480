"""Apply each mutant to the source, run the tests that should detect it, and print the survivors.

    python -m mutants [WORD …]

With words, only mutants whose name or path contains one of them. The source is changed in place and
restored, so the working tree must be clean. The exit code is 1 if a mutant survives, and 2 if the
tests fail without one or a mutant no longer fits the source.
"""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from mutants.catalog import MUTANTS
from mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".venv/bin"
PYTEST_FAILED = 1
"""pytest's exit code when tests ran and some failed; any other but 0 is no verdict."""


def main(words: list[str]) -> int:
    """Try the selected mutants; return the exit code."""
    chosen = [one for one in MUTANTS if not words or any(w in f"{one}" for w in words)]
    if problems := [*unclean(), *misfits(chosen)]:
        print("\n".join(problems))
        return 2
    commands = dict.fromkeys(mutant.tests for mutant in chosen)
    # twice, in case the machine was busy during the first run
    if broken := [command for command in commands if test(command) and test(command)]:
        print(f"fail without a mutant: {broken}")
        return 2
    survivors = [mutant for mutant in chosen if not dies(mutant)]
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} mutants are caught")
    for mutant in survivors:
        print(f"survives: {mutant}")
    return 1 if survivors else 0


def unclean() -> list[str]:
    """Return uncommitted changes that a mutant could be mixed up with."""
    changed = subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT, text=True)
    return [f"commit or stash first: {line}" for line in changed.splitlines()]


def misfits(mutants: Iterable[Mutant]) -> list[str]:
    """Return mutants whose place in the source is gone, or is no longer unique."""
    found = []
    for mutant in mutants:
        times = (ROOT / mutant.path).read_text().count(mutant.old)
        if times != 1:
            found.append(f"{mutant}: {mutant.old!r} occurs {times} times")
    return found


def dies(mutant: Mutant) -> bool:
    """Return whether the tests detect it."""
    began = time.monotonic()
    with applied(mutant):
        code = test(mutant.tests)
    word = {0: "SURVIVES", PYTEST_FAILED: "caught"}.get(code, f"caught (exit code {code})")
    print(f"{word:10} {time.monotonic() - began:5.0f} s  {mutant}", flush=True)
    return code != 0


@contextmanager
def applied(mutant: Mutant) -> Generator[None]:
    """Apply the error to the source while the block runs."""
    path = ROOT / mutant.path
    source = path.read_text()
    path.write_text(source.replace(mutant.old, mutant.new))
    try:
        yield
    finally:
        path.write_text(source)


def test(command: tuple[str, ...]) -> int:
    """Run tests until the first failure; return the exit code."""
    runner, *arguments = command
    node = subprocess.check_output([sys.executable, ROOT / "bootstrap.py", "--node"], text=True)
    environment = os.environ | {"PATH": f"{node.strip()}{os.pathsep}{os.environ['PATH']}"}
    lines: dict[str, tuple[list[str | Path], Path]] = {
        # an error that only one database shows is rare
        "pytest": (
            [BIN / "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", "not postgresql"],
            ROOT,
        ),
        "vitest": (["npx", "vitest", "run", "--bail=1"], ROOT / "frontend"),
    }
    line, folder = lines[runner]
    return subprocess.run(
        [*line, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
