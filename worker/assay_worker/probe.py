"""The probe on a host, verb by verb: arguments in, typed answers or named errors out.

The contract of verbs and exit codes is in `worker/probe/contract`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from assay_worker import answers
from assay_worker.connectors.connection import Connection, Finished, Stream
from assay_worker.errors import (
    GenerationTooLowError,
    HomeNoexecError,
    HostError,
    PlanRefusedError,
    ProbeAlteredError,
    ProbeFailedError,
    SpoolGoneError,
    TargetBusyError,
)


class ExitCode(IntEnum):
    """How a verb ended; 126 and 127 are the shell's."""

    OK = 0
    BAD_PLAN = 3
    FENCED = 4
    DEAD = 10
    NO_RUN = 11
    STUCK = 13
    BUSY = 14
    NOT_EXECUTABLE = 126
    NOT_FOUND = 127


STOP_WAIT_MS = 2_000
"""How long `stop` waits before it names the call that a probe waits for."""


_MEANINGS: dict[int, type[HostError]] = {
    ExitCode.BAD_PLAN: PlanRefusedError,
    ExitCode.FENCED: GenerationTooLowError,
    ExitCode.NO_RUN: SpoolGoneError,
    ExitCode.BUSY: TargetBusyError,
}


def failure(path: str, finished: Finished) -> HostError:
    """What a probe's exit code other than 0 means."""
    complaint = finished.complaint or f"exit code {finished.exit_code}, without a word"
    if meaning := _MEANINGS.get(finished.exit_code):
        return meaning(complaint)
    match finished.exit_code:
        case ExitCode.NOT_EXECUTABLE:
            return HomeNoexecError(f"{path}: {complaint}")
        case ExitCode.NOT_FOUND:
            return ProbeAlteredError(f"{path}: {complaint}")
        case _:
            return ProbeFailedError(f"exit code {finished.exit_code}: {complaint}")


@dataclass(frozen=True)
class Probe:
    """An installed probe; `runs` is the folder on the host that holds its runs' folders."""

    connection: Connection
    path: str
    runs: str
    digest: str

    async def version(self) -> dict[str, Any]:
        """Its version, contract and architecture."""
        return await self._ask("version")

    async def inspect(self, target: str | None = None) -> dict[str, Any]:
        """The host, and with `target` whether tests may write there."""
        asked = ["--target", target] if target is not None else []
        return answers.inspection(await self._ask("inspect", *asked))

    async def start(self, run_dir: str, plan: str) -> dict[str, Any]:
        """Begin or go on; answers `started`, `running` or `done`."""
        return await self._ask("start", run_dir, stdin=plan.encode())

    async def follow(self, run_dir: str, offset: int, generation: int) -> Stream:
        """The events from byte `offset` on, until their end."""
        numbers = ["--from", str(offset), "--generation", str(generation)]
        return await self.connection.stream([self.path, "follow", run_dir, *numbers])

    async def stop(self, run_dir: str, generation: int) -> answers.Stopped:
        """Ask a run to stop and wait a while; answers how that went."""
        numbers = ["--generation", str(generation), "--wait-ms", str(STOP_WAIT_MS)]
        return answers.stopped(await self._ask("stop", run_dir, *numbers))

    async def sweep(self, forget: str | None = None) -> dict[str, Any]:
        """Remove dead runs' test files, and with `forget` that run's folder."""
        return await self._ask("sweep", self.runs, *(["--forget", forget] if forget else []))

    async def _ask(self, *arguments: str, stdin: bytes = b"") -> dict[str, Any]:
        finished = await self.connection.run([self.path, *arguments], stdin)
        if finished.exit_code != ExitCode.OK:
            raise failure(self.path, finished)
        return answers.document(arguments[0], finished.stdout)
