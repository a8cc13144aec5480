"""Processes of the machine: identity, search and exit."""

import contextlib
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Self


def _stat(pid: int) -> list[str]:
    """Return the fields of `/proc/PID/stat` from the state on; empty if the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


@dataclass(frozen=True)
class Process:
    """A process, identified by id and start time, because ids are reused."""

    pid: int
    started: str

    @classmethod
    def of(cls, pid: int) -> Self:
        """Return the process that currently has this id."""
        return cls(pid, _started(pid))

    @classmethod
    def of_this(cls) -> Self:
        """Return the current process."""
        return cls.of(os.getpid())

    def is_gone(self) -> bool:
        """Whether it has ended; the first of a namespace ends after all others in it."""
        facts = _stat(self.pid)
        return not facts or facts[0] in "ZX" or _started(self.pid) != self.started


def _started(pid: int) -> str:
    facts = _stat(pid)
    return facts[19] if facts else ""


def marked(mark: str) -> list[int]:
    """Return the processes with `NAME=VALUE` in their environment."""
    found: list[int] = []
    for entry in _all():
        with contextlib.suppress(OSError):
            if mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def beside(pid: int) -> list[int]:
    """Return all live processes in this process's PID namespace."""
    space = Path(f"/proc/{pid}/ns/pid").readlink()
    found: list[int] = []
    for entry in _all():
        with contextlib.suppress(OSError):
            if (entry / "ns/pid").readlink() == space:
                found.append(int(entry.name))
    return found


def _all() -> Generator[Path]:
    return (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
