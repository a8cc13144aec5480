"""Which slice of a large family of tests runs with a commit: the day of the commit chooses.

`ROTATE` in the environment repeats the slice of a day, such as `ROTATE=20785`, or runs `all`. Days
whose slice failed are lines of the file FAILED, and their slices run with each commit until they
pass. Tests that depend on it are marked `rotating`.
"""

import itertools
import os
import subprocess
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAILED = ROOT / ".ci" / "failed-slices"
ALL = "all"
DAY_S = 86_400


@cache
def day() -> str:
    """Return the day that chooses, in days since 1970: of the commit's author, as amended or not.

    The day of a tree that is no checkout is 0.
    """
    if given := os.environ.get("ROTATE"):
        if given != ALL and not given.isdecimal():
            raise ValueError(f"ROTATE is {given!r}: use a number of days since 1970, or {ALL!r}")
        return given
    command = ["git", "log", "-1", "--format=%at"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return str(int(done.stdout or 0) // DAY_S)


def turns(parts: int, offset: int = 0) -> set[int]:
    """Return which of `parts` slices run; families with other offsets begin elsewhere."""
    if day() == ALL:
        return set(range(parts))
    failed = FAILED.read_text().split() if FAILED.exists() else []
    return {(int(number) + offset) % parts for number in (day(), *failed)}


def of_name(name: str, parts: int) -> set[int]:
    """Return the slices of a family with this name, so that families do not turn in step."""
    return turns(parts, zlib.crc32(name.encode()))


def numbers(parts: int, first: int = 1) -> Iterator[int]:
    """Yield the numbers of the running slices in order, without an end."""
    chosen = turns(parts)
    return (number for number in itertools.count(first) if number % parts in chosen)
