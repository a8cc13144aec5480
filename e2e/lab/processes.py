"""Processes of this machine: how they are told apart, found and seen to end."""

import contextlib
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Self


def _stat(pid: int) -> list[str]:
    """What the kernel says of a process from its state on; nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


@dataclass(frozen=True)
class Process:
    """One process: its number is used again, but not with the same start."""

    pid: int
    started: str

    @classmethod
    def of(cls, pid: int) -> Self:
        """The process that has this number now."""
        return cls(pid, _started(pid))

    @classmethod
    def of_this(cls) -> Self:
        """The process that asks."""
        return cls.of(os.getpid())

    def is_gone(self) -> bool:
        """Whether it has ended; the first of a namespace ends after all others in it."""
        facts = _stat(self.pid)
        return not facts or facts[0] in "ZX" or _started(self.pid) != self.started


def _started(pid: int) -> str:
    facts = _stat(pid)
    return facts[19] if facts else ""


def marked(mark: str) -> list[int]:
    """The processes that have this, as `NAME=VALUE`, in their environment."""
    found: list[int] = []
    for entry in _all():
        with contextlib.suppress(OSError):
            if mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def beside(pid: int) -> list[int]:
    """All processes in the namespace of processes that this one is in, and lives."""
    space = Path(f"/proc/{pid}/ns/pid").readlink()
    found: list[int] = []
    for entry in _all():
        with contextlib.suppress(OSError):
            if (entry / "ns/pid").readlink() == space:
                found.append(int(entry.name))
    return found


def _all() -> Generator[Path]:
    return (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
