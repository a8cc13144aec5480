"""A hostile host: a real sshd, behind which programs and the probe respond arbitrarily."""

import platform
from pathlib import Path

from assay_worker.install import build, digest

from testing.sshd import Sshd

GIGABYTE = "head -c 1000000000 /dev/zero | tr '\\0' x"


class HostileHost(Sshd):
    """A host whose probe is the real one, except for the verbs given to `answers`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.real = build(platform.machine())
        self.programs = folder / "programs"
        self.programs.mkdir()
        self._verbs = ""
        self.environment["PATH"] = f"{self.programs}:/usr/local/bin:/usr/bin:/bin"

    def replaces(self, program: str, script: str) -> None:
        """Make the host's shell find this instead of one of its programs."""
        self._write(self.programs / program, script)

    def answers(self, verb: str, script: str) -> None:
        """Make the probe do this for `verb`; `$REAL` is the real probe. Its hash is faked."""
        hashed = digest(self.real)
        self.replaces("sha256sum", f"echo '{hashed}  -'")
        probe = self.home / ".cache/assay/probe" / hashed / "assay-probe"
        probe.parent.mkdir(parents=True, exist_ok=True)
        self._verbs += f"{verb})\n{script}\nexit ;;\n"
        choice = f"case $1 in\n{self._verbs}esac"
        self._write(probe, f'REAL={self.real}\n{choice}\nexec $REAL "$@"')

    def _write(self, path: Path, script: str) -> None:
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o700)
