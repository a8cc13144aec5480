"""A lab's location on the machine: a number, a directory and a name that mark all its parts.

Everything can be found by them after a crash: processes by an environment variable, loop devices by
their image's directory, links and control groups by their names. `remove` removes all of it, in any
state.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import groups, processes
from lab.commands import LabError, begin, call, wait_until

LABS = Path("/var/tmp/assay-lab")
"""On a disk, because it has the images: /run and often /tmp are in memory."""
MARKER = "ASSAY_LAB"
TEST_MARKER = "TESTED_BY"
"""In the environment of all that a test run starts, but of what ends after it; see `survivors`."""
DESCRIPTION = "description"
"""The file with the addresses and keys of a lasting lab, in its directory."""
LASTING_NUMBER = 0
HIGHEST_NUMBER = 255
PACKAGE_PARENT = Path(__file__).resolve().parents[1]
END_WITHIN_S = 120.0
"""Timeout for a lab's removal: gigabytes may have to be written to the machine's disk."""


@dataclass(frozen=True)
class Site:
    """Location of a lab. A lasting lab outlives the process that created it."""

    number: int
    lasting: bool

    @property
    def folder(self) -> Path:
        """Directory for images, keys and logs."""
        return LABS / str(self.number)

    def memory(self, name: str, size: int) -> Path:
        """Return a new directory in memory, for `size` bytes and the file system's metadata."""
        place = self.folder / f"{name}.memory"
        place.mkdir(mode=0o700)
        options = f"size={size + size // 16},mode=0700"
        call("mount", "-t", "tmpfs", "-o", options, f"assay-lab-{self.number}", place)
        return place

    @property
    def name(self) -> str:
        """Prefix of its control groups' names."""
        return f"assay-lab-{self.number}-"

    @property
    def group(self) -> groups.Group:
        """Its control groups."""
        return groups.Group(self.name)

    def link_name(self, index: int) -> str:
        """An interface of the root namespace (15 characters at most)."""
        return f"al{self.number}-{index}"

    def address(self, index: int, end: int) -> str:
        """Return the address of an end (1 or 2) of a link; a link has four addresses."""
        return f"10.213.{self.number}.{4 * index + end}"

    @property
    def network(self) -> str:
        """All addresses of its links."""
        return f"10.213.{self.number}.0/24"

    def begin(self, argv: Sequence[str | Path], log: Path) -> subprocess.Popen[bytes]:
        """Start a process that ends with the lab, and with this process unless it lasts."""
        variables = {MARKER: str(self.number), "PYTHONPATH": str(PACKAGE_PARENT)}
        return begin(argv, log, variables, self.lasting)

    def guard(self) -> subprocess.Popen[bytes]:
        """Start the lab's guardian; this process is the lab's creator, and holds its pipe."""
        maker = processes.Process.of_this()
        words = [str(self.number), str(maker.pid), maker.started]
        command = [sys.executable, "-m", "lab.guardian", *words]
        log = self.folder / "guardian.log"
        # without the marks of the lab and the test run: it ends after all of them
        variables = {"PYTHONPATH": str(PACKAGE_PARENT), TEST_MARKER: ""}
        return begin(command, log, variables, lasting=True, stdin=subprocess.PIPE)


def claim(lasting: bool) -> Site:
    """Take a number, after dead labs are removed: a lasting lab the first, others in turn.

    Raises LabError if a lasting one is starting; see `description` for one that runs.
    """
    with _alone():
        for number in numbers():
            if not _is_in_use(number):
                remove(number)
        if lasting and is_up():
            raise LabError("another lab is starting: wait for it, or see `make lab-down`")
        site = Site(LASTING_NUMBER if lasting else _next_number(), lasting)
        site.folder.mkdir(mode=0o755)
        maker = processes.Process.of_this()
        (site.folder / "owner").write_text(f"{maker.pid} {maker.started}")
        return site


def outlast(site: Site, description: str) -> None:
    """Keep a complete lasting lab running after its creator has exited."""
    (site.folder / DESCRIPTION).write_text(description)
    (site.folder / "owner").write_text("lasting")


def description() -> str | None:
    """Return the description of the lasting lab if it is running."""
    if _owner(LASTING_NUMBER) != ["lasting"] or not is_up():
        return None
    return (LABS / str(LASTING_NUMBER) / DESCRIPTION).read_text()


def _next_number() -> int:
    """Return the number after the last one: an earlier reuse would be confused with it."""
    last = LABS / "last"
    begin_at = int(last.read_text()) if last.exists() else LASTING_NUMBER
    taken = {LASTING_NUMBER, *numbers()}
    for step in range(1, HIGHEST_NUMBER + 2):
        number = (begin_at + step) % (HIGHEST_NUMBER + 1)
        if number not in taken:
            last.write_text(str(number))
            return number
    raise LabError("all lab numbers are in use")


def numbers() -> list[int]:
    """Return the labs of this machine, including dead ones."""
    if not LABS.is_dir():
        return []
    return sorted(int(entry.name) for entry in LABS.iterdir() if entry.name.isdigit())


def is_up() -> bool:
    """Return whether a lasting lab is running or starting."""
    return _is_in_use(LASTING_NUMBER)


def remove_all() -> int:
    """Remove lasting labs and leftovers of killed ones, but no labs in use; return a count."""
    with _alone():
        gone = [n for n in numbers() if _owner(n) == ["lasting"] or not _is_in_use(n)]
        for number in gone:
            remove(number)
        return len(gone)


def remove_if_dead(number: int) -> None:
    """Remove the leftovers of a lab whose creator has exited; keep a newer lab with its number."""
    with _alone():
        if not _is_in_use(number):
            remove(number)


def remove(number: int) -> None:
    """Remove everything that a lab created; idempotent."""
    folder = LABS / str(number)
    site = Site(number, lasting=False)
    _end_processes(site)
    for device in _loop_devices(folder):
        call("losetup", "--detach", f"/dev/{device}")
    wait_until(f"loop devices below {folder} end", lambda: not _loop_devices(folder), END_WITHIN_S)
    for interface in Path("/sys/class/net").glob(f"al{number}-*"):
        try:
            call("ip", "link", "delete", interface.name)
        except LabError:
            if interface.exists():  # otherwise it was removed with its host's network by the kernel
                raise
    groups.remove(site.name)
    shutil.rmtree(folder, ignore_errors=True)
    for place in folder.glob("*.memory"):  # empty by now, if another lab's host also has the mount
        if place.is_mount():
            call("umount", place)
        place.rmdir()
    shutil.rmtree(folder, ignore_errors=True)


def living(number: int) -> list[int]:
    """Return the processes of a lab, which are marked in their environment."""
    return processes.marked(f"{MARKER}={number}")


def _end_processes(site: Site) -> None:
    ending = [processes.Process.of(pid) for pid in living(site.number)]
    for process in ending:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)

    def ended() -> bool:
        gone = all(process.is_gone() for process in ending)
        # A host ends once its dirty data is written, which must not happen at the throttled rate.
        # The last cliff may set a rate as it is killed, which must not stay with the device.
        for device in _loop_devices(site.folder):
            site.group.release(groups.number(device))
        return gone

    wait_until(f"the processes of lab {site.number} end", ended, END_WITHIN_S)


def _loop_devices(folder: Path) -> list[str]:
    found: list[str] = []
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            if backing.read_text().startswith(f"{folder}/"):
                found.append(backing.parts[3])
    return found


def _owner(number: int) -> list[str]:
    try:
        return (LABS / str(number) / "owner").read_text().split()
    except OSError:
        return []


def _is_in_use(number: int) -> bool:
    owner = _owner(number)
    if owner == ["lasting"]:
        return bool(living(number))  # a lab that ran when the machine stopped has no process
    return len(owner) == 2 and not processes.Process(int(owner[0]), owner[1]).is_gone()


@contextlib.contextmanager
def _alone() -> Generator[None]:
    LABS.mkdir(mode=0o755, exist_ok=True)
    if LABS.is_symlink() or LABS.stat().st_uid != os.geteuid():
        # any user can create it in /var/tmp
        raise LabError(f"{LABS} belongs to another user: remove it")
    LABS.chmod(0o755)  # users of the hosts need to traverse it, whatever our umask
    with (LABS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
