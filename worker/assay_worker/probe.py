"""The probe on a host: one method per verb, with typed responses and errors.

The contract of verbs and exit codes is in `worker/probe/contract`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from assay.inventory.hosts import own_machine
from assay.inventory.targets.acceptance import APPLIANCE_DIRECTORY

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
from assay_worker.loop import in_thread


class ExitCode(IntEnum):
    """Exit codes of verbs; 126 and 127 come from the shell."""

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
"""How long `stop` waits before it reports the system call that the probe waits for."""


_MEANINGS: dict[int, type[HostError]] = {
    ExitCode.BAD_PLAN: PlanRefusedError,
    ExitCode.FENCED: GenerationTooLowError,
    ExitCode.NO_RUN: SpoolGoneError,
    ExitCode.BUSY: TargetBusyError,
}


def failure(path: str, finished: Finished) -> HostError:
    """Return the error for a probe's exit code other than 0."""
    complaint = finished.complaint or f"exit code {finished.exit_code} without a message"
    if meaning := _MEANINGS.get(finished.exit_code):
        return meaning(complaint)
    match finished.exit_code:
        case ExitCode.NOT_EXECUTABLE:
            return HomeNoexecError(f"{path}: {complaint}")
        case ExitCode.NOT_FOUND:
            return ProbeAlteredError(f"{path}: {complaint}")
        case _:
            return ProbeFailedError(f"exit code {finished.exit_code}: {complaint}")


def _is_assays(target: str, found: dict[str, Any]) -> bool:
    return own_machine.is_this_machine(found) and own_machine.is_assays(target)


@dataclass(frozen=True)
class Probe:
    """An installed probe; `runs` is the directory on the host with the run directories."""

    connection: Connection
    path: str
    runs: str
    digest: str

    async def version(self) -> dict[str, Any]:
        """Return version, contract and architecture."""
        return await self._ask("version")

    async def inspect(self, target: str | None = None) -> dict[str, Any]:
        """Inspect the host, and with `target` whether tests may write there.

        On Assay's own machine, also by SSH, the path is resolved anew: a link may have changed.
        """
        asked = ["--target", target] if target is not None else []
        found = answers.inspection(await self._ask("inspect", *asked))
        if target is not None and await in_thread(_is_assays, target, found):
            found["target"]["problem"] = dict(APPLIANCE_DIRECTORY)
        return found

    async def start(self, run_dir: str, plan: str) -> dict[str, Any]:
        """Start or continue a run; the response is `started`, `running` or `done`."""
        return await self._ask("start", run_dir, stdin=plan.encode())

    async def release(self, run_dir: str, trial: int, at: int | None, generation: int) -> bool:
        """Start a trial that waits at the barrier at `at` ns of the host's boot clock, or abort it.

        Without `at` it is aborted. Returns whether a probe was running.
        """
        words = [run_dir, str(trial), "abort" if at is None else str(at)]
        arguments = [self.path, "release", *words, "--generation", str(generation)]
        finished = await self.connection.run(arguments)
        if finished.exit_code not in (ExitCode.OK, ExitCode.DEAD):
            raise failure(self.path, finished)
        return finished.exit_code == ExitCode.OK

    async def verify(self, target: str, manifest: str) -> Stream:
        """Read another host's test files back at `target`; streams progress, then the report."""
        return await self.connection.stream([self.path, "verify", target, manifest])

    async def verified(
        self, run_dir: str, trial: int, attempt: int, report: str, generation: int
    ) -> bool:
        """Hand a report to the run that waits for it; returns whether a probe was running."""
        words = [run_dir, str(trial), str(attempt), "--generation", str(generation)]
        finished = await self.connection.run([self.path, "verified", *words], report.encode())
        if finished.exit_code not in (ExitCode.OK, ExitCode.DEAD):
            raise failure(self.path, finished)
        return finished.exit_code == ExitCode.OK

    async def connect(
        self, run_dir: str, trial: int, listener: tuple[str, int], generation: int
    ) -> bool:
        """Report where the other end of a transfer listens; returns whether a probe was running."""
        address, port = listener
        words = [run_dir, str(trial), address, str(port), "--generation", str(generation)]
        finished = await self.connection.run([self.path, "connect", *words])
        if finished.exit_code not in (ExitCode.OK, ExitCode.DEAD):
            raise failure(self.path, finished)
        return finished.exit_code == ExitCode.OK

    async def order(self, run_dir: str, trial: int, orders: str, generation: int) -> bool:
        """Tell a trial by another program its commands; returns whether a probe was running."""
        words = [run_dir, str(trial), "--generation", str(generation)]
        finished = await self.connection.run([self.path, "order", *words], orders.encode())
        if finished.exit_code not in (ExitCode.OK, ExitCode.DEAD):
            raise failure(self.path, finished)
        return finished.exit_code == ExitCode.OK

    async def finish(self, run_dir: str, trial: int, generation: int) -> bool:
        """Tell a trial that the other end has finished; returns whether a probe was running."""
        words = [run_dir, str(trial), "finish", "--generation", str(generation)]
        finished = await self.connection.run([self.path, "release", *words])
        if finished.exit_code not in (ExitCode.OK, ExitCode.DEAD):
            raise failure(self.path, finished)
        return finished.exit_code == ExitCode.OK

    async def follow(self, run_dir: str, offset: int, generation: int) -> Stream:
        """Stream the events from byte `offset` to the end."""
        numbers = ["--from", str(offset), "--generation", str(generation)]
        return await self.connection.stream([self.path, "follow", run_dir, *numbers])

    async def stop(self, run_dir: str, generation: int) -> answers.Stopped:
        """Request a stop, wait for `STOP_WAIT_MS` and return the state."""
        numbers = ["--generation", str(generation), "--wait-ms", str(STOP_WAIT_MS)]
        return answers.stopped(await self._ask("stop", run_dir, *numbers))

    async def sweep(self, forget: str | None = None) -> dict[str, Any]:
        """Remove test files of dead runs, and with `forget` also that run directory."""
        return await self._ask("sweep", self.runs, *(["--forget", forget] if forget else []))

    async def _ask(self, *arguments: str, stdin: bytes = b"") -> dict[str, Any]:
        finished = await self.connection.run([self.path, *arguments], stdin)
        if finished.exit_code != ExitCode.OK:
            raise failure(self.path, finished)
        return answers.document(arguments[0], finished.stdout)
