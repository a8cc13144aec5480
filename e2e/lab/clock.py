"""An adjustable wall clock for processes that are started with it (by libfaketime).

It affects dynamically linked programs: those of the appliance, and a host's commands. The probe is
static and reads the kernel's clock, so only the machine's clock affects it.
"""

from pathlib import Path

from lab.commands import call
from lab.mechanisms import faketime, require

SLEEPS = Path(__file__).with_suffix(".c")


class Clock:
    """Wall clock of some processes; their monotonic clock is unaffected."""

    def __init__(self, file: Path) -> None:
        """Start with the correct time; `file` stores the offset."""
        require("libfaketime", "compiler")
        self._file = file
        self._sleeps = file.with_suffix(".so")
        call("cc", "-shared", "-fPIC", "-O", "-o", self._sleeps, SLEEPS)
        self.set(0)

    def set(self, offset_s: int) -> None:
        """Set the clock `offset_s` seconds ahead of the machine's."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{offset_s:+d}\n")
        new.rename(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for a process that uses the clock."""
        return {
            "LD_PRELOAD": f"{self._sleeps}:{faketime()}",
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
