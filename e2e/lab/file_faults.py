"""Faults for a faulty file system (`faulty.py`)."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class FileFault:
    """A fault at an operation's calls, counted since its injection.

    Operations are those of FUSE: `read`, `write`, `fsync`, `open`, `create`, `unlink`, `getattr`
    and the like; `*` is each of them.
    """

    operation: str
    when: int = 1
    """The first affected call."""
    times: int | None = None
    """Number of affected calls from that one on; None is all."""
    hang: bool = False
    """Whether it hangs until the fault is removed."""
    delay_s: float = 0
    error: str | None = None
    """The error: `EIO`."""

    def meets(self, call: int) -> bool:
        """Return whether the `call`-th call, counted from 1, is affected."""
        return call >= self.when and (self.times is None or call < self.when + self.times)

    def write(self, rule: Path) -> None:
        """Apply the fault."""
        new = rule.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)))
        new.rename(rule)
