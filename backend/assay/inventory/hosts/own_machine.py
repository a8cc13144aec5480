"""The machine that Assay runs on: its host entries and targets are the administrator's.

No test writes where Assay keeps its state or runs from, not even an administrator's. A directory is
recognized under other names: through symbolic links, by its inode, and by what is mounted where.
"""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from sqlalchemy.engine import make_url

from assay.access.permissions import require
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.base.messaging.queue import private_folder
from assay.base.settings import REPOSITORY, settings

LOCAL = "local"
SCRATCH = "scratch"
"""The directory in `ASSAY_HOME` that the first look measures."""

MOUNTS = Path("/proc/self/mountinfo")
MACHINE_ID = Path("/etc/machine-id")
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_OCTAL = re.compile(r"\\([0-7]{3})")


def require_administrator(
    who: Identity,
    connection: str,
    noun: Literal["host", "target"],
    action: str,
    error: FieldError | None = None,
) -> None:
    """Raise a Problem if a host is this machine and the caller may not do this to it.

    `error` is the field that names the machine, or the directory there.
    """
    if connection == LOCAL:
        require(who, f"local_{noun}.{action}", errors=[error] if error else [])


def is_this_machine(found: dict[str, Any]) -> bool:
    """Return whether an inspected host is booted as the machine of this process."""
    return (found.get("machine_id"), found.get("boot_id")) == (_read(MACHINE_ID), _read(BOOT_ID))


def is_assays(path: str) -> bool:
    """Return whether tests in a directory of this machine would write among Assay's own files.

    The scratch directory and directories that contain those of Assay are not among them.
    """
    place, scratch = _Directory.of(path), _Directory.of(settings().home / SCRATCH)
    in_scratch = place.within(scratch)
    return place.is_same(_Directory.of(_database_folder())) or any(
        inside and not excepted
        for root in _roots()
        for inside, excepted in zip(place.within(_Directory.of(root)), in_scratch, strict=True)
    )


def _roots() -> list[Path]:
    """Return the directories with Assay's state and programs."""
    home = settings().home.resolve()
    found = [home, private_folder(), REPOSITORY, Path(sys.prefix), Path(sys.base_prefix)]
    return [root for root in found if root != Path("/")]


def _database_folder() -> Path:
    """Return the directory with the database's files; the home directory without any."""
    url = make_url(settings().resolved_database_url)
    if url.get_backend_name() == "sqlite" and url.database:
        return Path(url.database).parent
    return settings().home


@dataclass(frozen=True)
class _Directory:
    """A directory: its path without links, its path on its device, its inodes up to the root."""

    path: PurePosixPath
    device: str
    on_device: PurePosixPath
    inodes: Sequence[tuple[int, int] | None]

    @classmethod
    def of(cls, path: str | Path) -> "_Directory":
        real = PurePosixPath(os.path.realpath(path))
        device, on_device = _mounted(real)
        return cls(real, device, on_device, [_inode(one) for one in (real, *real.parents)])

    def within(self, root: "_Directory") -> tuple[bool, bool, bool]:
        """Return whether this is `root` or in it: by path, by device, by inode."""
        return (
            self.path.is_relative_to(root.path),
            self.device == root.device and self.on_device.is_relative_to(root.on_device),
            root.inodes[0] is not None and root.inodes[0] in self.inodes,
        )

    def is_same(self, other: "_Directory") -> bool:
        """Return whether both are the same directory."""
        return any(self.within(other)) and any(other.within(self))


def _inode(path: PurePosixPath) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _mounted(path: PurePosixPath) -> tuple[str, PurePosixPath]:
    """Return the device of a path and the path on it, which bind mounts have in common."""
    device, root, point = "", PurePosixPath("/"), PurePosixPath("/")
    for line in MOUNTS.read_text(errors="surrogateescape").splitlines():
        _, _, number, at, where, *_ = map(_unescaped, line.split(" "))
        if path.is_relative_to(where) and PurePosixPath(where).is_relative_to(point):
            device, root, point = number, PurePosixPath(at), PurePosixPath(where)
    return device, root / path.relative_to(point)


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda code: chr(int(code[1], 8)), text)


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip() or None
    except OSError:
        return None
