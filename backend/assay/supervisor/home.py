"""The installation's home directory, its lock, the runtime directory and the listen address.

The home directory (`ASSAY_HOME`) has all state. The runtime directory has only the queue's socket:
it is separate because the path of a socket is limited to 107 characters, and its name is derived
from the home directory so that every process of the installation can find it.
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
    """Create `home`, accessible only by its owner; raises StartupError if that fails."""
    try:
        home.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK | os.X_OK):
            raise PermissionError(13, "not writable")
    except OSError as error:
        raise StartupError(
            f"the home directory {home} cannot be used ({error.strerror}): set ASSAY_HOME to a"
            " writable directory"
        ) from error


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
