"""A wall clock that can be set, for processes that are started with it (by libfaketime).

It reaches programs that are linked dynamically: the appliance's, and a host's own commands. The
probe is static and asks the kernel; nothing but the machine's clock changes what it sees.
"""

from pathlib import Path

from lab.commands import call
from lab.mechanisms import faketime, require

SLEEPS = Path(__file__).with_suffix(".c")


class Clock:
    """Wall clock of some processes. Their monotonic clock stays the machine's."""

    def __init__(self, file: Path) -> None:
        """It begins right; `file` says how wrong it is."""
        require("libfaketime", "compiler")
        self._file = file
        self._sleeps = file.with_suffix(".so")
        call("cc", "-shared", "-fPIC", "-O", "-o", self._sleeps, SLEEPS)
        self.set(0)

    def set(self, offset_s: int) -> None:
        """Let it be `offset_s` seconds ahead of the machine's from now on."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{offset_s:+d}\n")
        new.rename(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """What a process has to be started with."""
        return {
            "LD_PRELOAD": f"{self._sleeps}:{faketime()}",
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
