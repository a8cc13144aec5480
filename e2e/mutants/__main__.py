"""Apply each mutant to the source, run the tests that should detect it, and print the survivors.

    python -m mutants [WORD …]
    python -m mutants [--seed SEED] --count 60 [WORD …]

The second form draws mutants instead of trying the catalog: by default those of the commit's day,
as `testing.rotation` has it. With words, only mutants whose name or path contains one of them. The
source is changed in place and restored, so the working tree must be clean. The exit code is 1 if a
mutant of the catalog survives, or more than 5 of 60 that were drawn, and 2 if the tests fail
without one or a mutant no longer fits the source.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from testing.rotation import day

from mutants.catalog import MUTANTS
from mutants.drawn import MOST_SURVIVORS, Drawn, draw, modules
from mutants.mutant import Mutant

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".venv/bin"
PYTEST_FAILED = 1
"""pytest's exit code when tests ran and some failed; any other but 0 is no verdict."""
NO_TESTS = 5
"""pytest's exit code when no test is selected."""
TIMED_OUT = -1
"""Instead of an exit code: the error made the tests hang."""
END_WITHIN_S = 20
"""How long tests may take to end what they started, after SIGINT."""
SLOWER = 3
"""How much longer than without an error the tests may take, and SPARE_S more."""
SPARE_S = 30


def main(arguments: list[str]) -> int:
    """Try the selected mutants; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m mutants")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--seed", help="repeats a draw; the default is the commit's day")
    parser.add_argument("--count", type=int, help="how many to draw")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # restores the source
    if problems := unclean():
        print("\n".join(problems))
        return 2
    if options.seed is None and options.count is None:
        return try_catalog(options.words)
    count = MOST_SURVIVORS[1] if options.count is None else options.count
    return try_drawn(options.seed or day(), count, options.words)


def try_catalog(words: list[str]) -> int:
    """Try the mutants of the catalog, each with the tests that it names."""
    chosen = [one for one in MUTANTS if not words or any(w in f"{one}" for w in words)]
    if problems := misfits(chosen):
        print("\n".join(problems))
        return 2
    commands = dict.fromkeys(mutant.tests for mutant in chosen)
    # twice, in case the machine was busy during the first run
    if broken := [command for command in commands if test(command) and test(command)]:
        print(f"fail without a mutant: {broken}")
        return 2
    return 1 if survivors_of([(mutant, None) for mutant in chosen]) else 0


def try_drawn(seed: str, count: int, words: list[str]) -> int:
    """Try mutants that a seed draws, each with the tests that mirror its module."""
    print(f"repeat with --seed {seed} --count {count} {' '.join(words)}".rstrip(), flush=True)
    paths = [one for one in modules() if not words or any(w in one for w in words)]
    if not (chosen := draw(seed, count, paths)):
        print(f"nothing to draw: {count} mutants of {len(paths)} modules, use others of {words}")
        return 2
    limits: dict[tuple[str, ...], float] = {}
    for command in dict.fromkeys(mutant.unordered for mutant in chosen):
        took_s = duration_s(command) or duration_s(command)  # twice, as above
        if took_s is None:
            print(f"fail without a mutant: {command}")
            return 2
        limits[command] = SLOWER * took_s + SPARE_S
    survivors = survivors_of([(mutant, limits[mutant.unordered]) for mutant in chosen])
    most, of = MOST_SURVIVORS
    return 1 if len(survivors) * of > most * len(chosen) else 0


def duration_s(command: tuple[str, ...]) -> float | None:
    """Return how long tests take, or None if they fail."""
    began = time.monotonic()
    return None if test(command) else time.monotonic() - began


def survivors_of(
    chosen: Sequence[tuple[Mutant | Drawn, float | None]],
) -> list[Mutant | Drawn]:
    """Try mutants, each within its limit; print and return those that no test detects."""
    survivors = [mutant for mutant, limit_s in chosen if not dies(mutant, limit_s)]
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} mutants are caught")
    for mutant in survivors:
        print(f"survives: {mutant}")
    return survivors


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


def dies(mutant: Mutant | Drawn, limit_s: float | None = None) -> bool:
    """Return whether the tests detect it; those that need more than `limit_s` seconds do."""
    began = time.monotonic()
    with applied(mutant):
        code = test(mutant.tests, limit_s)
    word = {0: "SURVIVES", PYTEST_FAILED: "caught", TIMED_OUT: "caught (hangs)"}.get(
        code, f"caught (exit code {code})"
    )
    print(f"{word:10} {time.monotonic() - began:5.0f} s  {mutant}", flush=True)
    return code != 0


@contextmanager
def applied(mutant: Mutant | Drawn) -> Generator[None]:
    """Apply the error to the source while the block runs."""
    path = ROOT / mutant.path
    source = path.read_text()
    try:
        path.write_text(mutant.apply(source))
        yield
    finally:
        path.write_text(source)


def test(command: tuple[str, ...], limit_s: float | None = None) -> int:
    """Run tests until the first failure; return the exit code, or TIMED_OUT."""
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
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        [*line, *arguments],
        cwd=folder,
        env=environment,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,  # a group, to be ended with all that the tests started
    )
    try:
        code = process.wait(limit_s)
        return 0 if code == NO_TESTS else code  # what does not run detects nothing
    except subprocess.TimeoutExpired:
        return TIMED_OUT
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End the tests, if they still run: first such that they remove what they made."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_WITHIN_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
