"""What the lab requires of a machine, with a remedy for each missing mechanism.

A test that needs a mechanism requests it by name and fails with the reason: a lab that cannot be
started must not look like one without findings.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from lab import groups
from lab.commands import LabError, call, environment


class MissingMechanismError(LabError):
    """The machine lacks a required mechanism; the message names it and the remedy."""


def faketime() -> Path | None:
    """Return the libfaketime library for multithreaded programs."""
    return next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


def find(command: str) -> str | None:
    """Return the path of a command, also from directories that are only in root's PATH."""
    return shutil.which(command, path=environment()["PATH"])


def _works(*argv: str) -> bool:
    try:
        call(*argv)
    except LabError:
        return False
    return True


def _commands(*names: str) -> Callable[[], bool]:
    return lambda: all(find(name) for name in names)


def _namespaces() -> bool:
    return _works("unshare", "--mount", "--net", "--uts", "--pid", "--fork", "true")


def _loop_devices() -> bool:
    return os.access("/dev/loop-control", os.W_OK) and bool(find("losetup"))


def _fuse() -> bool:
    return os.access("/dev/fuse", os.W_OK) and bool(find("fusermount3"))


def _tun() -> bool:
    return os.access("/dev/net/tun", os.W_OK)


_UTIL_LINUX = ("unshare", "nsenter", "setpriv", "mount", "umount", "losetup")

MECHANISMS: dict[str, tuple[Callable[[], bool], str]] = {
    "root": (lambda: os.geteuid() == 0, "run it as root"),
    "util-linux": (_commands(*_UTIL_LINUX), "apt-get install util-linux mount"),
    "iproute2": (_commands("ip", "tc", "ss"), "apt-get install iproute2"),
    "sshd": (_commands("sshd", "ssh-keygen"), "apt-get install openssh-server openssh-client"),
    "namespaces": (_namespaces, "allow namespaces (in a container: run it privileged)"),
    "loop devices": (_loop_devices, "load the module loop (in a container: pass /dev/loop*)"),
    "block throttle": (
        lambda: groups.blkio_root() is not None or groups.unified_root("io") is not None,
        "mount the blkio group of cgroup v1, or cgroup v2 with the io controller, writable",
    ),
    "memory group": (
        lambda: groups.memory_root() is not None or groups.unified_root("memory") is not None,
        "mount the memory group of cgroup v1, or cgroup v2 with its controller, writable",
    ),
    "limit of unwritten data": (
        groups.waiting_is_limited,
        "run a kernel of at least 6.2, or mount cgroup v2 with the memory controller",
    ),
    "cpu group": (
        lambda: groups.cpu_root() is not None or groups.unified_root("cpu") is not None,
        "mount the cpu group of cgroup v1, or cgroup v2 with the cpu controller, writable",
    ),
    "ext4": (_commands("mkfs.ext4"), "apt-get install e2fsprogs"),
    "xfs": (_commands("mkfs.xfs"), "apt-get install xfsprogs"),
    "strace": (_commands("strace"), "apt-get install strace"),
    "tun": (_tun, "load the module tun (in a container: pass /dev/net/tun)"),
    "fuse": (_fuse, "apt-get install fuse3, and allow /dev/fuse"),
    "libfaketime": (lambda: faketime() is not None, "apt-get install libfaketime"),
    "compiler": (_commands("cc"), "apt-get install gcc libc6-dev"),
    "fio": (_commands("fio"), "apt-get install fio"),
}
EVERY_LAB = ("root", "util-linux", "iproute2", "sshd", "namespaces")


def require(*names: str) -> None:
    """Raise MissingMechanismError for the first of these mechanisms that is missing."""
    for name in names:
        works, remedy = MECHANISMS[name]
        if not works():
            raise MissingMechanismError(f"the lab needs {name}, which is missing: {remedy}")
