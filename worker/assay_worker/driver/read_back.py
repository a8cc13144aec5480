"""Reading back by another host: its probe verifies the files that a run's probe keeps for it.

The run's probe publishes a manifest after the final sync and waits. The driver starts `verify` on
the other host, which only reads, and hands its report to the waiting probe. Both steps can be
repeated, so a new owner starts anew. If no report can be obtained, the probe is told why, so that
the run ends with its figures and without its files.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from assay.db.database import reading
from assay.recording.increment import HANDED_OVER
from assay.runs.models import Participant
from assay.targets.models import Target
from sqlalchemy.orm import joinedload

from assay_worker import answers
from assay_worker.driver.job import Job
from assay_worker.errors import GenerationTooLowError, HostError, ProbeFailedError
from assay_worker.hosts import Access, access, probe_on
from assay_worker.loop import in_thread
from assay_worker.probe import ExitCode, Probe, failure

LOOK_S = 0.5
"""How often the driver looks for a write that waits to be read back."""

RETRY_S = 5.0
"""Between two attempts to reach the other host."""

GIVE_UP_S = 300.0
"""How long the other host may be unreachable, in a row, before the probe is told."""

MOST_LOST = 5
"""How often the connection may be lost while it reads; it starts anew each time."""

SILENT_S = 600.0
"""How long its probe may print nothing: it prints a line in each second in which it reads."""

LONGEST_REASON = 200
"""Characters of a reason that a report holds."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReadingHost:
    """The target at which another host reads, and the connection to it."""

    path: str
    host: str
    way: Access


@dataclass(frozen=True)
class HandedOver:
    """An attempt whose files wait to be read back."""

    trial: int
    attempt: int
    manifest: str


@asynccontextmanager
async def attended(jobs: Sequence[Job], probes: Mapping[int, Probe]) -> AsyncGenerator[None]:
    """Have files read back during the block, if another host is to do it for this run."""
    target_id = jobs[0].run.read_back_target_id
    if target_id is None:
        yield
        return
    task = asyncio.create_task(_attend(target_id, jobs[0], probes[jobs[0].participant.id]))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def _attend(target_id: int, job: Job, probe: Probe) -> None:
    """Answer each write that waits; such a run has one participant."""
    answered: HandedOver | None = None
    while True:
        try:
            found = await in_thread(_handed_over, job.participant.id)
            if found is not None and found != answered:
                await _tell(job, probe, found, await _report(target_id, found))
                answered = found
        except Exception:  # such as a database that is away: the probe still waits
            log.exception("run %s: reading back", job.run.id)
        await asyncio.sleep(LOOK_S)


async def _tell(job: Job, probe: Probe, found: HandedOver, report: str) -> None:
    """Hand the report over; a host that is unreachable just now gets it later."""
    while True:
        try:
            generation = job.ownership.generation
            await probe.verified(job.run_dir, found.trial, found.attempt, report, generation)
        except GenerationTooLowError:
            return  # another driver attends to it
        except HostError as error:
            log.info("run %s: the report waits: %s", job.run.id, error)
            await asyncio.sleep(RETRY_S)
        else:
            return


async def _report(target_id: int, found: HandedOver) -> str:
    """Return the report of the other host, or one that says why there is none."""
    since, lost = time.monotonic(), 0
    while True:
        begun = None
        try:
            reader = await in_thread(_reader, target_id)
            async with probe_on(reader.way) as probe:
                begun = time.monotonic()
                return await _verify(probe, reader, found.manifest)
        except HostError as error:
            if begun is not None:  # it responded
                since, lost = time.monotonic(), lost + 1
            gone = time.monotonic() - since > GIVE_UP_S or lost == MOST_LOST
            if not error.transient or gone:
                return _without(f"{error.title}: {error}")
        await asyncio.sleep(RETRY_S)


async def _verify(probe: Probe, reader: ReadingHost, manifest: str) -> str:
    """Return the report of `verify`; raises HostError."""
    stream = await probe.verify(reader.path, manifest)
    lines = b""
    try:
        while True:
            try:
                async with asyncio.timeout(SILENT_S):
                    piece = await stream.read(64 * 1024)
            except TimeoutError:
                raise ProbeFailedError(
                    f"{reader.host} has not read anything for {SILENT_S:g} s"
                ) from None
            if not piece:
                break
            lines = (lines + piece)[-64 * 1024 :]
        finished = await stream.finish()
    finally:
        await stream.close()
    if finished.exit_code != ExitCode.OK:
        raise failure(probe.path, finished)
    return answers.report(lines)


def _without(why: str) -> str:
    return f"report why={quote(why[:LONGEST_REASON].encode('ascii', 'replace'), safe='')}"


def _handed_over(participant_id: int) -> HandedOver | None:
    with reading() as session:
        hello: dict[str, Any] = session.get_one(Participant, participant_id).hello or {}
    found = hello.get(HANDED_OVER)
    return HandedOver(**found) if found else None


def _reader(target_id: int) -> ReadingHost:
    """Load the other host; raises HostError."""
    with reading() as session:
        target = session.get_one(Target, target_id, options=[joinedload(Target.host)])
        return ReadingHost(target.path, target.host.name, access(session, target.host))
