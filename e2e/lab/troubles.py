"""What a faulty file system (`faulty.py`) is told to do."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Trouble:
    """What happens at an operation's calls, counted since the trouble began.

    Operations are those of FUSE: `read`, `write`, `fsync`, `open`, `create`, `unlink`, `getattr`
    and the like; `*` is each of them.
    """

    operation: str
    when: int = 1
    """The first call that is met."""
    times: int | None = None
    """How many calls are met, from that one on; None is all of them."""
    hang: bool = False
    """Whether it waits until the trouble is taken back, and so do all that wait for it."""
    delay_s: float = 0
    error: str | None = None
    """How it fails: `EIO`."""

    def meets(self, call: int) -> bool:
        """Whether the `call`-th call, counted from 1, is one of them."""
        return call >= self.when and (self.times is None or call < self.when + self.times)

    def write(self, rule: Path) -> None:
        """Make it happen."""
        new = rule.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)))
        new.rename(rule)
