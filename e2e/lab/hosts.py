"""Hosts: sets of namespaces with their own sshd, user, identity and mounts.

All processes of a host are descendants of its first process, in a separate PID namespace: when
the kernel ends that one, it ends all others, and mounts, network and disks disappear with them. A
host can thus be powered off at any moment, and nothing of it survives the lab.
"""

import contextlib
import fcntl
import os
import secrets
import signal
import struct
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

from lab import site
from lab.commands import TIMEOUT_S, LabError, call, environment, wait_until
from lab.disks import Disk
from lab.faults import Fault, Faults
from lab.file_faults import FileFault
from lab.links import End, Link
from lab.mechanisms import find, require
from lab.processes import Process, beside

HERE = Path(__file__).parent
USER = "assay"
USER_ID = 64017
"""A user id that no machine uses; the login user in the host."""
SSH_PORT = 22
GOING_DOWN = 0x8004587D
"""The ioctl that shuts down a file system: XFS_IOC_GOINGDOWN, also supported by ext4."""
WITHOUT_LOG = 2


class Host:
    """A host of a lab; create it with `Lab.host`."""

    port = SSH_PORT
    user = USER

    def __init__(
        self,
        place: site.Site,
        index: int,
        name: str,
        public_key: Path,
        memory: int | None,
        cores: float | None,
        uptime_ahead_s: int,
    ) -> None:
        """Create its directory and keys and power it on; `memory` in bytes and `cores` limit it.

        Its clocks since boot are `uptime_ahead_s` ahead of the machine's.
        """
        self.name, self._site, self._index = name, place, index
        self.folder = place.folder / name
        self.home = self.folder / "home"
        self.address = place.address(index, 2)
        self.disks: dict[str, Disk] = {}
        self._public_key, self._memory, self._cores = public_key, memory, cores
        self._ahead_s = uptime_ahead_s
        self._reaches_others = False
        self._process: subprocess.Popen[bytes] | None = None
        self.folder.mkdir()
        self.home.mkdir()
        self.faults = Faults(self.folder)
        for path in (self.folder, self.home, self.folder / "traces"):
            os.chown(path, USER_ID, USER_ID)
        self._furnish()
        self.up()

    def _furnish(self) -> None:
        shell = self.folder / "shell"
        shell.write_text((HERE / "shell.sh").read_text())
        shell.chmod(0o755)
        entry = f"{USER}:*:{USER_ID}:{USER_ID}:a host of the lab:{self.home}:{shell}\n"
        (self.folder / "passwd").write_text(Path("/etc/passwd").read_text() + entry)
        (self.folder / "machine_id").write_text(secrets.token_hex(16) + "\n")
        call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "host_key")
        lines = [
            f"Port {self.port}",
            f"ListenAddress {self.address}",
            f"HostKey {self.folder / 'host_key'}",
            f"AuthorizedKeysFile {self._public_key}",
            f"PidFile {self.folder / 'sshd.pid'}",
            "AuthenticationMethods publickey",
            "StrictModes no",
            "UsePAM no",
            "UseDNS no",
            "MaxStartups 100",
            "MaxSessions 100",
            "Subsystem sftp internal-sftp",
        ]
        (self.folder / "sshd_config").write_text("\n".join(lines) + "\n")

    # -- identity

    @property
    def host_key(self) -> str:
        """The public host key as `TYPE BASE64`."""
        return " ".join((self.folder / "host_key.pub").read_text().split()[:2])

    @property
    def fingerprint(self) -> str:
        """The host key's fingerprint in the format of ssh."""
        return call("ssh-keygen", "-l", "-f", self.folder / "host_key.pub").split()[1]

    @property
    def private_key(self) -> str:
        """The private key for logins, as text."""
        return self._public_key.with_suffix("").read_text()

    def allow_logins_from_here(self) -> None:
        """Give its user the key with which the user logs in at every host of the lab."""
        folder = self.home / ".ssh"
        folder.mkdir(mode=0o700)
        key = folder / "id_ed25519"
        key.write_text(self.private_key)
        key.chmod(0o600)
        for path in (folder, key):
            os.chown(path, USER_ID, USER_ID)

    # -- network

    def reach_others(self) -> None:
        """Connect it, by its own card, with all hosts for which this was called.

        The machine forwards their packets. It does so between their links alone, and forgets it
        with them.
        """
        self._reaches_others = True
        self._route()

    def _route(self) -> None:
        near = self.link.near
        Path(f"/proc/sys/net/ipv4/conf/{near.interface}/forwarding").write_text("1")
        self.run_as_root("ip", "route", "replace", self._site.network, "via", near.address)

    # -- power

    @property
    def process(self) -> int:
        """Process id of the host's init on the machine; raises LabError if the host is off."""
        if self._process is None:
            raise LabError(f"host {self.name} is off")
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        words = children.read_text().split() if children.exists() else []
        if not words:
            raise LabError(f"host {self.name} died: {self.log}")
        return int(words[0])

    @property
    def log(self) -> str:
        """Output of the host's init and sshd."""
        names = ("host.log", "sshd.log")
        logs = [self.folder / name for name in names if (self.folder / name).exists()]
        return "\n".join(path.read_text(errors="replace") for path in logs)

    def up(self) -> None:
        """Power it on: new boot id, link up, disks mounted, sshd listening."""
        (self.folder / "boot_id").write_text(f"{uuid.uuid4()}\n")
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        namespaces = ["--mount", "--net", "--uts", "--pid", "--fork", "--kill-child"]
        if self._ahead_s:
            offset = str(self._ahead_s)
            namespaces += ["--time", "--boottime", offset, "--monotonic", offset]
        first = ["sh", HERE / "host.sh", self.folder, self.name]
        log = self.folder / "host.log"
        self._process = self._site.begin(["unshare", *namespaces, *first], log)
        wait_until(f"host {self.name} starts: {self.log}", ready.exists)
        near = End(self._site.link_name(self._index), self._site.address(self._index, 1))
        self.link = Link(near, End("eth0", self.address, self.process))
        self.run_as_root("ip", "link", "set", "lo", "up")
        if self._reaches_others:
            self._route()
        for disk in self.disks.values():
            self._mount(disk)
        self.start_sshd()

    def down(self) -> None:
        """Power it off without a shutdown."""
        if self._process is not None:
            alive = self._process.poll() is None
            first = [Process.of(self.process)] if alive else []
            self._process.kill()
            self._process.wait()
            self._process = None
            for process in first:
                wait_until(f"host {self.name} ends", process.is_gone, 60)
            link = Path("/sys/class/net", self._site.link_name(self._index))
            # the kernel removes it with the host's network, a little later
            wait_until(f"the link of {self.name} ends", lambda: not link.exists(), 60)

    def reboot(self) -> None:
        """Power it off and on."""
        self.down()
        self.up()

    # -- processes

    def _enter(self) -> list[str]:
        clocks = ["-T"] if self._ahead_s else []
        return ["nsenter", "-t", str(self.process), "-m", "-n", "-u", "-p", *clocks, "--"]

    def run_as_root(self, *argv: str | Path, timeout_s: float = TIMEOUT_S) -> str:
        """Run a command as root on the host; return its output. Raises LabError."""
        return call(*self._enter(), *argv, timeout_s=timeout_s)

    def log_in(self, command: str) -> str:
        """Run a shell command as the user over SSH; return its output. Raises LabError."""
        options = ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"]
        words = [word for option in options for word in ("-o", option)]
        key = self._public_key.with_suffix("")
        return call("ssh", "-q", "-i", key, *words, f"{self.user}@{self.address}", command)

    def begin(self, argv: Sequence[str | Path], log: Path) -> subprocess.Popen[bytes]:
        """Start a process as root on the host; it ends with the host."""
        return self._site.begin([*self._enter(), *argv], log)

    def processes(self, name: str = "") -> list[int]:
        """Return process ids of the host in the machine's namespace, optionally by name prefix."""
        found: list[int] = []
        for pid in beside(self.process):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/comm").read_text().startswith(name):
                    found.append(pid)
        return sorted(found)

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal to processes with this name prefix; return their number."""
        found = self.processes(name)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(found)

    # -- sshd

    def start_sshd(self) -> None:
        """Start sshd and wait until it listens."""
        require("sshd")
        entries = self._site.group.members_files(self.name, self._memory, self._cores)
        program = [find("sshd") or "sshd", "-f", self.folder / "sshd_config"]
        # the shell enters the control groups, which its children inherit
        script = 'for file in $GROUPS_TO_ENTER; do echo $$ >"$file"; done; exec "$@"'
        done = subprocess.run(
            ["sh", "-c", script, "sh", *self._enter(), *program, "-E", self.folder / "sshd.log"],
            env=environment(GROUPS_TO_ENTER=" ".join(map(str, entries))),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise LabError(f"sshd of {self.name}: {done.stderr}{self.log}")
        wait_until(f"sshd of {self.name} listens", (self.folder / "sshd.pid").exists)

    def stop_sshd(self) -> None:
        """Stop sshd and its sessions, but not processes that they left running."""
        self.kill("sshd")
        wait_until(f"sshd of {self.name} ends", lambda: not self.processes("sshd"))
        (self.folder / "sshd.pid").unlink(missing_ok=True)

    # -- disks

    def mount(self, disk: Disk) -> Path:
        """Mount a disk, now and at each boot; return the directory for tests on it."""
        self.disks[disk.name] = disk
        self._mount(disk)
        return self.target(disk)

    def _mount(self, disk: Disk) -> None:
        point = self.target(disk)
        self.run_as_root("mkdir", "-p", point)
        self.run_as_root("mount", "-o", "noatime", disk.device, point)
        self.run_as_root("chown", f"{USER_ID}:{USER_ID}", point)

    def target(self, disk: Disk) -> Path:
        """Return the mount point of a disk as seen by the host."""
        return Path("/mnt") / disk.name

    def unmount(self, disk: Disk) -> None:
        """Unmount, even while a test uses it; the mount point remains."""
        self.run_as_root("umount", "--lazy", self.target(disk))

    def remount(self, disk: Disk) -> None:
        """Mount it again."""
        self._mount(disk)

    def make_read_only(self, disk: Disk) -> None:
        """Make it read-only, as after a file system error: reads succeed, writes fail."""
        self.run_as_root("mount", "-o", "remount,ro", self.target(disk))

    def break_file_system(self, disk: Disk) -> None:
        """Shut it down, as after a fatal error: EIO for everything until it is remounted."""
        mount_point = os.open(self.seen_from_here(self.target(disk)), os.O_RDONLY)
        try:
            fcntl.ioctl(mount_point, GOING_DOWN, struct.pack("I", WITHOUT_LOG))
        finally:
            os.close(mount_point)

    def fill(self, disk: Disk, leaving: int) -> None:
        """Fill the disk until only this many bytes are free."""
        free = os.statvfs(self.seen_from_here(self.target(disk)))
        size = free.f_bavail * free.f_frsize - leaving
        self.run_as_root("fallocate", "-l", str(size), self.target(disk) / "others-data")

    def seen_from_here(self, path: Path) -> Path:
        """Return a path of the host as seen from this process."""
        return Path(f"/proc/{self.process}/root") / path.relative_to("/")

    def limit_waiting(self, disk: Disk) -> None:
        """Limit dirty memory for a disk as on a machine with the host's memory."""
        if self._memory is None:
            raise LabError(f"host {self.name} has no memory limit")
        require("limit of unwritten data")
        self._site.group.limit_waiting(disk.number, self._memory)

    # -- faults

    def mount_faulty(self, name: str) -> Path:
        """Mount a file system with fault injection; return its directory for tests."""
        require("fuse")
        shown, point = self.folder / f"{name}.shown", Path("/mnt") / name
        shown.mkdir(mode=0o777, exist_ok=True)  # it is outside the host, and outlives it
        os.chown(shown, USER_ID, USER_ID)
        self.run_as_root("mkdir", point)
        log = self.folder / f"{name}.log"
        words = [shown, point, self._rule(name)]
        self.begin([sys.executable, "-m", "lab.faulty", *words], log)
        mounted = f" {point} fuse"
        wait_until(
            f"{name} is mounted: see {log}",
            lambda: mounted in self.run_as_root("cat", "/proc/mounts"),
        )
        return point

    def fault_file_system(self, name: str, fault: FileFault | None) -> None:
        """Inject a fault into a faulty file system; None removes it."""
        if fault is None:
            self._rule(name).unlink(missing_ok=True)
        else:
            fault.write(self._rule(name))

    def _rule(self, name: str) -> Path:
        return self.folder / f"{name}.rule"

    def fault(self, fault: Fault) -> None:
        """Inject a fault into the probe's next start; see `Fault`."""
        require("strace")
        self.faults.put(fault)
