"""A file system that mirrors a directory with fault injection: it hangs, delays and fails.

    python -m lab.faulty FOLDER MOUNTPOINT RULE

RULE is a file with one `FileFault` as JSON, read again whenever it changes. A process that waits
for a hung operation is in D state, as with a dead NFS server, and cannot be killed until the
operation continues or this process ends.
"""

import errno
import functools
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mfusepy  # pyright: ignore[reportMissingTypeStubs] (it is one file, without the mark)

from lab.file_faults import FileFault

LOOK_S = 0.02


class Rule:
    """The active fault, read from its file."""

    def __init__(self, path: Path) -> None:
        """Start without a fault until the file exists."""
        self._path = path
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._fault: FileFault | None = None
        self._calls = 0

    def _read(self) -> FileFault | None:
        try:
            status = self._path.stat()
            version = (status.st_ino, status.st_mtime_ns)
            if version != self._version:
                self._fault = FileFault(**json.loads(self._path.read_text()))
                self._version, self._calls = version, 0
        except FileNotFoundError:
            self._version = self._fault = None
        return self._fault

    def meet(self, operation: str) -> None:
        """Wait or raise according to the fault."""
        with self._lock:
            fault = self._read()
            if fault is None or fault.operation not in (operation, "*"):
                return
            self._calls += 1
            if not fault.meets(self._calls):
                return
        time.sleep(fault.delay_s)
        while fault.hang and self._holds(fault):
            time.sleep(LOOK_S)
        if fault.error:
            number = getattr(errno, fault.error)
            raise OSError(number, os.strerror(number))

    def _holds(self, fault: FileFault) -> bool:
        with self._lock:
            return self._read() is fault


def _met(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an operation that applies the fault first."""

    @functools.wraps(method)
    def after_the_rule(self: "Faulty", *arguments: Any, **named: Any) -> Any:
        self.rule.meet(method.__name__)
        return method(self, *arguments, **named)

    return after_the_rule


class Faulty(mfusepy.Operations):
    """Passes every operation to the directory after applying the fault."""

    use_ns = True

    def __init__(self, folder: Path, rule: Rule) -> None:
        """Present `folder`, which no other process may use."""
        self._folder, self.rule = folder, rule

    def _at(self, path: str) -> Path:
        return self._folder / path.lstrip("/")

    @_met
    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        """Return a file's attributes."""
        status = self._at(path).lstat()
        names = ("mode", "nlink", "uid", "gid", "size", "blocks")
        times = {f"st_{name}time": getattr(status, f"st_{name}time_ns") for name in "amc"}
        return {f"st_{name}": getattr(status, f"st_{name}") for name in names} | times

    @_met
    def readdir(self, path: str, fh: int) -> list[str]:
        """Return a directory's entries."""
        return [".", "..", *(entry.name for entry in self._at(path).iterdir())]

    @_met
    def statfs(self, path: str) -> dict[str, int]:
        """Return the used and free space."""
        facts = os.statvfs(self._at(path))
        names = ("bsize", "frsize", "blocks", "bfree", "bavail", "files", "ffree", "favail")
        return {f"f_{name}": getattr(facts, f"f_{name}") for name in names}

    @_met
    def mkdir(self, path: str, mode: int) -> int:
        """Create a directory."""
        self._at(path).mkdir(mode)
        return self._belongs_to_caller(path)

    @_met
    def rmdir(self, path: str) -> int:
        """Remove a directory."""
        self._at(path).rmdir()
        return 0

    @_met
    def unlink(self, path: str) -> int:
        """Remove a file."""
        self._at(path).unlink()
        return 0

    @_met
    def rename(self, old: str, new: str) -> int:
        """Rename a file."""
        self._at(old).rename(self._at(new))
        return 0

    @_met
    def chmod(self, path: str, mode: int) -> int:
        """Change permissions."""
        self._at(path).chmod(mode)
        return 0

    @_met
    def chown(self, path: str, uid: int, gid: int) -> int:
        """Change the owner."""
        os.chown(self._at(path), uid, gid)
        return 0

    @_met
    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        """Change the times; None is now."""
        now = time.time_ns()
        os.utime(self._at(path), ns=times or (now, now))
        return 0

    @_met
    def create(self, path: str, mode: int, fi: Any = None) -> int:
        """Create and open a file."""
        opened = os.open(self._at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        self._belongs_to_caller(path)
        return opened

    @_met
    def open(self, path: str, flags: int) -> int:
        """Open a file without direct I/O, since the buffers of this process are not aligned."""
        return os.open(self._at(path), flags & ~(os.O_DIRECT | os.O_APPEND))

    @_met
    def release(self, path: str, fh: int) -> int:
        """Close a file."""
        os.close(fh)
        return 0

    @_met
    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        """Read bytes."""
        return os.pread(fh, size, offset)

    @_met
    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        """Write bytes."""
        return os.pwrite(fh, data, offset)

    @_met
    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        """Set a file's length."""
        os.truncate(self._at(path) if fh is None else fh, length)
        return 0

    @_met
    def fsync(self, path: str, datasync: int, fh: int) -> int:
        """Sync a file."""
        os.fsync(fh)
        return 0

    def _belongs_to_caller(self, path: str) -> int:
        uid, gid, _ = mfusepy.fuse_get_context()
        os.chown(self._at(path), uid, gid)
        return 0


if __name__ == "__main__":
    _, shown, mountpoint, rule_file = sys.argv
    mfusepy.FUSE(
        Faulty(Path(shown), Rule(Path(rule_file))),
        mountpoint,
        foreground=True,
        allow_other=True,
        default_permissions=True,
        fsname="assay-lab",
        subtype="faulty",
    )
