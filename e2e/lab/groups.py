"""Control groups of both versions: rates of devices, limits of memory and CPU time.

With version 1 a rate is set in the root group of blkio, because writeback is done by kernel
threads, to which the limits of a child group do not apply. With version 2 the root has no limits,
but writeback is attributed to the group that dirtied the pages; a lab therefore has a group with
its hosts in groups below.

A machine allows a fifth of its memory to be dirty before it slows its writers, and a group of
version 2 a fifth of its own. A group of version 1 allows all of it, so there the device is limited
instead.
"""

import errno
from pathlib import Path

from lab.commands import LabError

ROOT_RATE = {
    "read": "blkio.throttle.read_bps_device",
    "write": "blkio.throttle.write_bps_device",
}
UNIFIED_RATE = {"read": "rbps", "write": "wbps"}
BACKING_DEVICES = Path("/sys/class/bdi")
CPU_PERIOD_US = 100_000
WAITING_SHARE = 5
"""Dirty memory is limited to a fifth of the memory (the kernel's `vm.dirty_ratio`)."""


def _mounts() -> list[tuple[Path, str, set[str]]]:
    lines = Path("/proc/mounts").read_text().splitlines()
    words = [line.split() for line in lines]
    return [(Path(w[1]), w[2], set(w[3].split(","))) for w in words if w[2].startswith("cgroup")]


def _root_of(controller: str) -> Path | None:
    for path, kind, options in _mounts():
        if kind == "cgroup" and controller in options and "rw" in options:
            return path
    return None


def blkio_root() -> Path | None:
    """The root group of version 1's blkio, where it is mounted and can be throttled."""
    root = _root_of("blkio")
    return root if root and (root / ROOT_RATE["write"]).exists() else None


def memory_root() -> Path | None:
    """The root group of version 1's memory."""
    return _root_of("memory")


def cpu_root() -> Path | None:
    """The root group of version 1's cpu."""
    return _root_of("cpu")


def unified_root(controller: str) -> Path | None:
    """The root of version 2, where it has that controller."""
    for path, kind, options in _mounts():
        names = path / "cgroup.controllers"
        if kind == "cgroup2" and "rw" in options and controller in names.read_text().split():
            return path
    return None


def waiting_is_limited() -> bool:
    """Return whether dirty memory can be limited according to a host's memory."""
    return memory_root() is None or any(BACKING_DEVICES.glob("*/strict_limit"))


def number(device: str) -> str:
    """A block device's number, `MAJOR:MINOR`, by its name below /dev."""
    return Path(f"/sys/block/{device}/dev").read_text().strip()


class Group:
    """The control groups of one lab, for its processes and its device throttles."""

    def __init__(self, name: str) -> None:
        """Use names that start with `name`; groups are created on demand."""
        self.name = name

    def throttle(self, device: str, **rates: int | None) -> None:
        """Set a device's rates (`read`, `write`) in bytes per second; None is no limit."""
        root = blkio_root()
        for way, rate in rates.items():
            if root:
                (root / ROOT_RATE[way]).write_text(f"{device} {rate or 0}\n")
            else:
                limit = f"{device} {UNIFIED_RATE[way]}={rate or 'max'}\n"
                (self._unified() / "io.max").write_text(limit)

    def limit_waiting(self, device: str, memory: int | None) -> None:
        """Limit dirty memory of a device as on a machine with `memory` bytes; None is no limit."""
        if memory_root() is None or not waiting_is_limited():
            return
        settings = BACKING_DEVICES / device
        if memory is None:
            (settings / "strict_limit").write_text("0")
            (settings / "max_ratio").write_text("100")
        else:
            (settings / "max_bytes").write_text(str(memory // WAITING_SHARE))
            (settings / "strict_limit").write_text("1")

    def release(self, device: str) -> None:
        """Remove a device's limits, which would otherwise stay with its device number."""
        if blkio_root() or unified_root("io"):
            self.throttle(device, read=None, write=None)
        self.limit_waiting(device, None)

    def members_files(self, host: str, memory: int | None, cores: float | None) -> list[Path]:
        """Create the groups of a host; return the files that take its process ids."""
        files: list[Path] = []
        if blkio_root() is None and unified_root("io"):
            files.append(self._unified(host) / "cgroup.procs")
        if memory is not None:
            files.append(self.limit_memory(host, memory) / "cgroup.procs")
        if cores is not None:
            files.append(self.limit_cpu(host, cores) / "cgroup.procs")
        return files

    def limit_cpu(self, host: str, cores: float) -> Path:
        """Set how much CPU time a host's processes may use: so many cores on average."""
        root = cpu_root()
        folder = root / f"{self.name}{host}" if root else self._unified(host, "cpu")
        folder.mkdir(exist_ok=True)
        quota = round(cores * CPU_PERIOD_US)
        if root:
            (folder / "cpu.cfs_period_us").write_text(str(CPU_PERIOD_US))
            (folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (folder / "cpu.max").write_text(f"{quota} {CPU_PERIOD_US}")
        return folder

    def limit_memory(self, host: str, memory: int) -> Path:
        """Set the memory, in bytes, that a host's processes and their page cache may use."""
        root = memory_root()
        folder = root / f"{self.name}{host}" if root else self._unified(host)
        folder.mkdir(exist_ok=True)
        limit = folder / ("memory.limit_in_bytes" if root else "memory.max")
        try:
            limit.write_text(str(memory))
        except OSError as error:
            raise LabError(f"{limit}: {memory} bytes were rejected: {error.strerror}") from error
        return folder

    def _unified(self, host: str | None = None, *more: str) -> Path:
        root = unified_root("io") or unified_root("memory")
        if root is None:
            raise LabError("there is no cgroup v2 with the io controller")
        lab = root / self.name
        lab.mkdir(exist_ok=True)
        for folder in (root, lab):
            for controller in ("io", "memory", *more):
                (folder / "cgroup.subtree_control").write_text(f"+{controller}")
        leaf = lab / host if host else lab
        leaf.mkdir(exist_ok=True)
        return leaf


def remove(prefix: str) -> None:
    """Remove the groups whose names start with `prefix`, after their processes have exited."""
    for path, _, _ in _mounts():
        for group in [*path.glob(f"{prefix}*/*/"), *path.glob(f"{prefix}*/")]:
            try:
                group.rmdir()
            except OSError as error:
                if error.errno != errno.ENOENT:
                    raise LabError(f"{group} cannot be removed: {error.strerror}") from error
