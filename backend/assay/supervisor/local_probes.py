"""Tests on this machine end with the appliance; on other hosts they go on unwatched.

A probe is detached, so that it outlives the worker that started it. On this machine that would
leave a process behind after Ctrl-C. It is stopped like any other, keeps what it has measured, and
removes its files; at the next start its driver finds trials still due and goes on.
"""

import json
import platform
import subprocess
from pathlib import Path

from assay.settings import REPOSITORY

STOPPED = "stopped"
WAIT_MS = 20_000
PATIENCE_S = WAIT_MS / 1000 + 10


def known(home: Path) -> list[Path]:
    """The folders of this machine's runs; whether a probe lives there, only the probe can say."""
    return sorted(path.parent for path in (home.resolve() / "runs").glob("*/generation"))


def stop(run_dir: Path) -> str:
    """Stop the probe of a run and wait for its end; the state that the probe then answers."""
    probe = REPOSITORY / "worker" / "probe" / "build" / platform.machine() / "assay-probe"
    generation = (run_dir / "generation").read_text().strip()
    command = [str(probe), "stop", str(run_dir), "--generation", generation]
    try:
        done = subprocess.run(
            [*command, "--wait-ms", str(WAIT_MS)],
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
            start_new_session=True,  # a second, impatient Ctrl-C does not reach it
        )
        return str(json.loads(done.stdout)["state"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        return str(error)
