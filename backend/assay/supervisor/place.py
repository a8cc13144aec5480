"""Where one installation stands: its home, the lock on it, its runtime folder and its address.

The home holds all state. The runtime folder holds the queue's socket alone; it is apart and short
because the path of a socket ends at 107 characters, and its name follows from the home so that
every process of the installation finds it without being told.
"""

import contextlib
import fcntl
import hashlib
import os
import socket
import stat
from collections.abc import Generator
from pathlib import Path

PRIVATE = 0o700


class CannotStartError(Exception):
    """Assay cannot start here; the message says why and what to do, in one line."""


def runtime_folder(home: Path) -> Path:
    """The runtime folder that belongs to `home`."""
    name = hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:12]
    return Path(f"/tmp/assay-{os.getuid()}-{name}")  # noqa: S108 (owner and mode are checked)


def queue_socket(home: Path) -> Path:
    """The Unix socket of the embedded queue server of `home`."""
    return runtime_folder(home) / "queue.sock"


def make_home(home: Path) -> None:
    """Make `home`, readable by its owner alone; raise CannotStartError when that fails."""
    try:
        home.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK | os.X_OK):
            raise PermissionError(13, "not writable")
    except OSError as error:
        raise CannotStartError(
            f"the home {home} cannot be used ({error.strerror}): set ASSAY_HOME to a folder that"
            " you may write to"
        ) from error


def make_runtime_folder(home: Path) -> Path:
    """Make the runtime folder; raise CannotStartError when somebody else has put one there."""
    folder = runtime_folder(home)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=PRIVATE)
    found = folder.lstat()
    private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == PRIVATE
    if not private or found.st_uid != os.getuid():
        raise CannotStartError(
            f"{folder} exists and is not a private folder of this user: remove it, then repeat"
        )
    return folder


@contextlib.contextmanager
def locked(home: Path) -> Generator[None]:
    """Hold the one lock on `home`; raise CannotStartError when another supervisor has it."""
    descriptor = os.open(home / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 20).decode().strip()
            raise CannotStartError(
                f"Assay already runs on {home} (process {holder}): stop it first, or set ASSAY_HOME"
                " to another folder"
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def check_address(host: str, port: int) -> None:
    """Raise CannotStartError when nothing can listen on that address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise CannotStartError(
                f"cannot listen on {host} port {port} ({error.strerror}): stop what uses it, or"
                " choose another with ASSAY_PORT"
            ) from error


def address(host: str, port: int) -> str:
    """What a person types into a browser on this machine."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104
    return f"http://{everywhere.get(host, f'[{host}]' if ':' in host else host)}:{port}"
