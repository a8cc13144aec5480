"""Probes on the appliance's own machine stop with it; on other hosts they continue unwatched.

A probe is detached and outlives its worker, which on this machine would leave a process behind
after Ctrl-C. A stopped probe keeps its measurements and removes its files; after the next start the
driver continues with the missing trials.
"""

import json
import platform
import subprocess
from pathlib import Path

from assay.settings import REPOSITORY

STOPPED = "stopped"
WAIT_MS = 20_000
TIMEOUT_S = WAIT_MS / 1000 + 10


def known(home: Path) -> list[Path]:
    """Return the run directories on this machine; only the probe can tell whether it is running."""
    return sorted(path.parent for path in (home.resolve() / "runs").glob("*/generation"))


def stop(run_dir: Path) -> str:
    """Stop the probe of a run and wait for its exit; return the state that it reports."""
    probe = REPOSITORY / "worker" / "probe" / "build" / platform.machine() / "assay-probe"
    generation = (run_dir / "generation").read_text().strip()
    command = [str(probe), "stop", str(run_dir), "--generation", generation]
    try:
        done = subprocess.run(
            [*command, "--wait-ms", str(WAIT_MS)],
            capture_output=True,
            timeout=TIMEOUT_S,
            check=True,
            start_new_session=True,  # so that a second Ctrl-C does not reach it
        )
        return str(json.loads(done.stdout)["state"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        return str(error)
