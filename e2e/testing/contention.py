"""Whether other work on this machine disturbed a test that depends on time.

The kernel's counters tell it: time that a hypervisor gave to others (`steal` of `/proc/stat`), and
time in which threads waited for a processor (`/proc/pressure/cpu`), of which the test itself causes
some. A kernel without pressure counts as undisturbed by others.
"""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

STOLEN = 0.02
"""Share of the processors' time that others may take unnoticed."""
WAITED = 0.25
"""Share of a test's time in which a thread may wait for a processor. On an idle machine the lone
tests stay below 0.2."""
_PRESSURE = Path("/proc/pressure/cpu")


@dataclass(frozen=True)
class Waits:
    """The counters at a moment, in seconds; those of steal are sums over the processors."""

    at: float
    stolen: float
    waited: float

    @classmethod
    def now(cls) -> Self:
        """Read the counters."""
        total = Path("/proc/stat").read_text().split(maxsplit=9)
        stolen = int(total[8]) / os.sysconf("SC_CLK_TCK")
        pressure = _PRESSURE.read_text() if _PRESSURE.exists() else ""
        found = re.search(r"some .* total=(\d+)", pressure)
        return cls(time.monotonic(), stolen, int(found[1]) / 1e6 if found else 0.0)

    def disturbance(self, then: "Waits") -> str:
        """Return what others took from the machine between this moment and `then`; "" if little."""
        seconds = then.at - self.at
        stolen = (then.stolen - self.stolen) / (os.cpu_count() or 1) / seconds
        waited = (then.waited - self.waited) / seconds
        if stolen <= STOLEN and waited <= WAITED:
            return ""
        return f"{stolen:.0%} of the processors was stolen, {waited:.0%} of the time waited for"
