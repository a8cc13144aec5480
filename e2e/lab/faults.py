"""Fault injection into the static probe by strace: system calls that fail or are delayed.

The worker starts the probe by its absolute path, so the fault is injected by the login shell of the
host's user (`shell.sh`), which starts the probe under strace if a fault is pending.
"""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """A fault at one or more system calls of the probe.

    strace counts the calls of each thread separately: `when=5` is the fifth `call` of every thread.
    """

    call: str
    """One call or several with commas: `pwrite64`, `clone,clone3`."""
    when: int | str = 1
    """Which: `5`, `5+` (from the fifth on), `3..6`, `2+3` (every third from the second on)."""
    error: str | None = None
    """The call is skipped and fails with this error: `EIO`."""
    delay_s: float = 0
    """The call is delayed by this time."""
    signal: str | None = None
    """The process gets this signal at the call: `SIGKILL`."""
    path: str | None = None
    """Only calls on this file count."""
    verb: str = "start"
    """The affected verb of the probe; `start` includes the detached probe."""
    stays: bool = False
    """Whether it affects every such verb from now on, or only the next one."""

    def options(self) -> list[str]:
        """Return strace's options for it."""
        parts = [self.call]
        if self.error:
            parts.append(f"error={self.error}")
        if self.delay_s:
            parts.append(f"delay_enter={round(self.delay_s * 1e6)}")
        if self.signal:
            parts.append(f"signal={self.signal}")
        inject = ":".join([*parts, f"when={self.when}"])
        words = ["--seccomp-bpf", "-T", "-e", f"trace={self.call}", "-e", f"inject={inject}"]
        return words + (["-P", self.path] if self.path else [])


class Faults:
    """The faults of one host, in a directory that its login shell reads."""

    def __init__(self, folder: Path) -> None:
        """The login shell renames files in `folder`, so its user must own it."""
        self._ready, self._stays = folder / "fault", folder / "fault.stays"
        self._traces = folder / "traces"
        self._traces.mkdir()

    def put(self, fault: Fault) -> None:
        """Inject a fault into the next matching command."""
        if fault.stays:
            self._stays.touch()
        lines = [fault.verb, *fault.options()]
        new = self._ready.with_suffix(".new")
        new.write_text("\n".join(lines) + "\n")
        new.rename(self._ready)

    def clear(self) -> None:
        """Remove a pending or permanent fault."""
        self._ready.unlink(missing_ok=True)
        self._stays.unlink(missing_ok=True)

    def traces(self) -> str:
        """Return the output of strace for all affected commands."""
        found = sorted(self._traces.glob("*/trace"), key=lambda path: path.stat().st_mtime_ns)
        return "".join(path.read_text(errors="replace") for path in found)

    @property
    def struck(self) -> int:
        """Number of affected calls."""
        return len(re.findall(r"\((?:INJECTED|DELAYED)\)", self.traces()))

    @property
    def delays_s(self) -> list[float]:
        """Durations of the delayed calls as measured by strace; longer on a busy machine."""
        found = re.findall(r"\(DELAYED\) <([\d.]+)>", self.traces())
        return [float(seconds) for seconds in found]
