"""The installation's home directory, its lock, the runtime directory and the listen address.

The home directory (`ASSAY_HOME`) has all state. The runtime directory has only the queue's socket:
it is separate because the path of a socket is limited to 107 characters, and its name is derived
from the home directory so that every process of the installation can find it.
"""

import contextlib
import fcntl
import hashlib
import os
import shlex
import socket
import stat
from collections.abc import Generator
from pathlib import Path

PRIVATE = 0o700
PRIVATE_UMASK = 0o077
OTHERS = 0o077
OTHERS_WRITE = 0o022

MARKER = ".assay-home"
"""Marks a directory as a home, so that a later start may restrict access to it."""


class StartupError(Exception):
    """Assay cannot start; the message has reason and remedy in one line."""


def runtime_folder(home: Path) -> Path:
    """Return the runtime directory of `home`."""
    name = hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:12]
    return Path(f"/tmp/assay-{os.getuid()}-{name}")  # noqa: S108 (owner and mode are checked)


def queue_socket(home: Path) -> Path:
    """Return the Unix socket of the embedded queue server of `home`."""
    return runtime_folder(home) / "queue.sock"


def make_home(home: Path) -> None:
    """Create `home`, or take over one that only this user can write, and restrict it to this user.

    From now on, this process and its children create files and directories without access for
    others. Raises StartupError with the remedy if `home` cannot be used.
    """
    try:
        home.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK | os.X_OK):
            raise PermissionError(13, "not writable")
        os.umask(PRIVATE_UMASK)
        descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _restrict(home, descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StartupError(
            f"the home directory {home} cannot be used ({error.strerror}): set ASSAY_HOME to a"
            " writable directory"
        ) from error


def _restrict(home: Path, descriptor: int) -> None:
    """Mark the open directory as a home and remove the access of others; raises StartupError."""
    found = os.fstat(descriptor)
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid != os.geteuid():
        raise StartupError(
            f"the home directory {home} belongs to user {found.st_uid}, who could read the secrets"
            f" in it: run `chown {os.geteuid()} {_quoted(home)}` if nobody else put files there, or"
            " set ASSAY_HOME to another directory"
        )
    if mode & OTHERS_WRITE:
        raise StartupError(
            f"other users can write in the home directory {home} (mode {mode:04o}): run"
            f" `chmod 700 {_quoted(home)}` if all its files are yours, or set ASSAY_HOME to another"
            " directory"
        )
    names = os.listdir(descriptor)
    if mode & OTHERS and names and MARKER not in names:
        raise StartupError(
            f"other users can read the home directory {home} (mode {mode:04o}), which has files"
            f" that are not Assay's: run `chmod 700 {_quoted(home)}`, or set ASSAY_HOME to an empty"
            " or new directory"
        )
    with contextlib.suppress(PermissionError):  # a file system that has none answers so, too
        os.fchmod(descriptor, PRIVATE)
    if stat.S_IMODE(os.fstat(descriptor).st_mode) & OTHERS:
        raise StartupError(
            f"the file system of the home directory {home} keeps no permissions, so that other"
            " users could read the secrets in it: set ASSAY_HOME to a directory on another one"
        )
    marker = os.open(MARKER, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=descriptor)
    os.close(marker)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def make_runtime_folder(home: Path) -> Path:
    """Create the runtime directory; raises StartupError if another user owns it."""
    folder = runtime_folder(home)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=PRIVATE)
    found = folder.lstat()
    private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == PRIVATE
    if not private or found.st_uid != os.getuid():
        raise StartupError(
            f"{folder} exists and is not a private directory of this user: remove it and try again"
        )
    return folder


@contextlib.contextmanager
def locked(home: Path) -> Generator[None]:
    """Hold the lock on `home`; raises StartupError if another supervisor holds it."""
    descriptor = os.open(home / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 20).decode().strip()
            raise StartupError(
                f"Assay is already running in {home} (process {holder}): stop it, or set ASSAY_HOME"
                " to another directory"
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def check_address(host: str, port: int) -> None:
    """Raise StartupError if the address is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise StartupError(
                f"cannot listen on {host} port {port} ({error.strerror}): stop the process that"
                " uses it, or set another ASSAY_PORT"
            ) from error


def address(host: str, port: int) -> str:
    """Return the URL for a browser on this machine."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104
    return f"http://{everywhere.get(host, f'[{host}]' if ':' in host else host)}:{port}"
