"""Execution of commands and their errors."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Directories of `losetup`, `tc` and similar tools, missing from the PATH of ordinary users."""
TIMEOUT_S = 60.0


class LabError(Exception):
    """A command or another operation of the lab failed."""


def environment(**more: str) -> dict[str, str]:
    """Return the environment of the lab's commands."""
    path = os.pathsep.join([os.environ.get("PATH", "/usr/bin:/bin"), SYSTEM_FOLDERS])
    return os.environ | {"PATH": path, "LC_ALL": "C", **more}


def call(*argv: str | Path, stdin: str = "", timeout_s: float = TIMEOUT_S) -> str:
    """Run a command and return its output; raises LabError with its standard error."""
    words = [str(word) for word in argv]
    try:
        done = subprocess.run(
            words,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout_s,
            env=environment(),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"{' '.join(words)}: {error}") from error
    if done.returncode != 0:
        complaint = done.stderr.strip() or f"exit code {done.returncode}"
        raise LabError(f"{' '.join(words)}: {complaint}")
    return done.stdout


def begin(
    argv: Sequence[str | Path],
    log: Path,
    variables: Mapping[str, str],
    lasting: bool,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a process of the lab; unless it is `lasting`, the kernel kills it with this one."""
    wrapper = [] if lasting else ["setpriv", "--pdeathsig", "KILL", "--"]
    with log.open("ab") as output:
        return subprocess.Popen(
            [*wrapper, *argv],
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C must reach only the lab itself
            env=environment(**variables),
        )


def wait_until(what: str, true: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until `true()` is true; raises LabError with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise LabError(f"{what}: not within {seconds:g} s")
        time.sleep(0.01)
