"""A host that means harm: a real sshd, behind which programs and the probe answer as they like."""

import platform
from pathlib import Path

from assay_worker.install import build, digest

from testing.sshd import Sshd

GIGABYTE = "head -c 1000000000 /dev/zero | tr '\\0' x"


class HostileHost(Sshd):
    """Its probe is the real one, but for the verbs that `answers` was called for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.real = build(platform.machine())
        self.programs = folder / "programs"
        self.programs.mkdir()
        self._verbs = ""
        self.environment["PATH"] = f"{self.programs}:/usr/local/bin:/usr/bin:/bin"

    def replaces(self, program: str, script: str) -> None:
        """Have the host's shell find this instead of one of its programs."""
        self._write(self.programs / program, script)

    def answers(self, verb: str, script: str) -> None:
        """Have the probe do this for `verb`; `$REAL` is the real probe. Its hash is lied about."""
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
