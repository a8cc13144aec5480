"""Installation of the probe on hosts: uploaded once per hash, verified before each use.

Assay's directory on a host (`~/.cache/assay`, or the one set for the host) contains
`probe/HASH/assay-probe` and `runs/`. On the appliance's own machine the probe is started from its
build directory, and runs are in `ASSAY_HOME`.
"""

import hashlib
from functools import lru_cache
from pathlib import Path, PurePosixPath

from assay.base.settings import REPOSITORY, settings

from assay_worker.connectors.connection import Connection
from assay_worker.errors import (
    ArchitectureError,
    HomeReadOnlyError,
    ProbeAlteredError,
    ProbeFailedError,
    ProbeNotBuiltError,
)
from assay_worker.probe import ExitCode, Probe

BUILDS = REPOSITORY / "worker" / "probe" / "build"
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
"""Build for each output of `uname -m`."""

SURVEY = r"""
base=${1:-$HOME/.cache/assay}
case $base in "~/"*) base=$HOME/${base#??} ;; esac
machine=$(uname -m)
printf '%s\0%s\0%s\0' "$(uname -s)" "$machine" "$base"
case $machine in x86_64 | amd64) hash=$2 ;; aarch64 | arm64) hash=$3 ;; *) exit 0 ;; esac
file=$base/probe/$hash/assay-probe
find "$base/probe" -name 'assay-probe.*.new' -mmin +60 -exec rm -f -- {} + 2>/dev/null
[ ! -f "$file" ] || sha256sum < "$file"
"""
"""Prints system, machine, Assay's directory, and the hash of the probe if it is installed.

Also removes files of interrupted uploads after an hour: a newer one may be an upload in progress.
"""


REMOVAL = r"""
cd -- "$1" || exit
for file in probe/*/assay-probe.*.new probe/*/assay-probe; do
  [ ! -f "$file" ] || { rm -f -- "$file"; rmdir -- "${file%/*}"; }
done
rmdir -- probe runs "$1"
[ ! -e probe ]
"""
"""Removes only Assay's files: a configured directory may contain others."""


def build(architecture: str) -> Path:
    """Return the path of the probe's release build; raises ProbeNotBuiltError."""
    path = BUILDS / architecture / "assay-probe"
    if not path.is_file():
        raise ProbeNotBuiltError(f"{path} is missing")
    return path


def digest(path: Path) -> str:
    """Return a build's SHA-256, cached until the file changes."""
    return _digest(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _digest(path: Path, _changed_at: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def local_probe(connection: Connection) -> Probe:
    """Return the probe on the appliance's own machine."""
    path = build(architecture(*await _system(connection)))
    return Probe(connection, str(path), str(settings().home.resolve() / "runs"), digest(path))


def architecture(system: str, machine: str) -> str:
    """Return the build name for a machine; raises ArchitectureError."""
    if system != "Linux" or machine not in MACHINES:
        raise ArchitectureError(f"the host reports {system} on {machine}")
    return MACHINES[machine]


async def _system(connection: Connection) -> tuple[str, str]:
    words = (await connection.run(["uname", "-sm"])).stdout.decode(errors="replace").split()
    return (words[0], words[-1]) if words else ("", "")


async def remote_probe(connection: Connection, folder: str | None) -> Probe:
    """Return the probe on a host; upload it if it is missing. Raises HostError."""
    hashes = [_known(name) for name in ("x86_64", "aarch64")]
    survey = await connection.run(["sh", "-c", SURVEY, "sh", folder or "", *hashes])
    parts = survey.stdout.split(b"\0")
    if len(parts) != 4:
        raise ProbeFailedError(f"the host's shell does not respond: {survey.complaint}")
    system, machine, base, found = (part.decode(errors="replace") for part in parts)
    local = build(architecture(system, machine))
    wanted = digest(local)
    path = str(PurePosixPath(base) / "probe" / wanted / "assay-probe")
    probe = Probe(connection, path, str(PurePosixPath(base) / "runs"), wanted)
    if found.split()[:1] == [wanted]:
        return probe
    if survey.exit_code == ExitCode.NOT_FOUND and await _read_back(connection, path) == wanted:
        return probe
    await _upload(connection, local, path)
    return probe


async def uninstall(probe: Probe) -> None:
    """Remove the probe and directories that are then empty; raises HostError.

    Run directories of other Assay installations are kept.
    """
    base = str(PurePosixPath(probe.runs).parent)
    finished = await probe.connection.run(["sh", "-c", REMOVAL, "sh", base])
    if finished.exit_code != 0:
        raise ProbeFailedError(f"{base} could not be removed: {finished.complaint}")


async def _upload(connection: Connection, local: Path, path: str) -> None:
    parent = str(PurePosixPath(path).parent)
    made = await connection.run(["sh", "-c", 'umask 077; mkdir -p -- "$1"', "sh", parent])
    if made.exit_code != 0:
        raise HomeReadOnlyError(made.complaint)
    await connection.upload(local.read_bytes(), path)
    if await _read_back(connection, path) != digest(local):
        raise ProbeAlteredError(f"{path}: wrong hash after the upload")


async def _read_back(connection: Connection, path: str) -> str:
    """Hash a remote file locally: for hosts without `sha256sum`, and after an upload."""
    finished = await connection.run(["cat", "--", path])
    return hashlib.sha256(finished.stdout).hexdigest()


def _known(name: str) -> str:
    path = BUILDS / name / "assay-probe"
    return digest(path) if path.is_file() else "not-built"
