"""Reading back by another host: its probe verifies the files that a run's probe keeps for it.

The run's probe publishes a manifest after the final sync and waits. The driver starts `verify` on
the other host, which only reads, and hands its report to the waiting probe. Both steps can be
repeated: how often the first one began and the report are stored, so that a new owner goes on. If
no report can be obtained, the probe is told why, so that the run ends with its figures and without
its files.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import quote

from assay.runs.recording.increment import HANDED_OVER
from assay.tables.database import reading
from assay.tables.ownership import StaleGenerationError
from assay.tables.runs import Participant
from assay.tables.targets import Target
from sqlalchemy.orm import joinedload

from assay_worker import answers
from assay_worker.driver.failures import DATABASE_AWAY
from assay_worker.driver.job import Job
from assay_worker.errors import (
    GenerationTooLowError,
    HostError,
    ProbeFailedError,
    UnexpectedError,
)
from assay_worker.hosts import Access, access, probe_on
from assay_worker.loop import in_thread
from assay_worker.probe import ExitCode, Probe, failure

LOOK_S = 0.5
"""How often the driver looks for a write that waits to be read back."""

RETRY_S = 5.0
"""Between two attempts to reach the other host."""

GIVE_UP_S = 300.0
"""How long the other host may be unreachable, in a row, before the probe is told."""

MOST_BEGUN = 5
"""How often it may begin to read, and how often anything may fail that should not."""

SILENT_S = 600.0
"""How long it may verify no byte."""

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
    """An attempt whose files wait to be read back; `begun` counts how often it was tried."""

    trial: int
    attempt: int
    manifest: str
    begun: int = 0
    report: str | None = None

    @property
    def name(self) -> tuple[int, int]:
        """Identifies the attempt in its run."""
        return self.trial, self.attempt


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
    answered: tuple[int, int] | None = None
    while True:
        try:
            found = await in_thread(_handed_over, job.participant.id)
            if found is not None and found.name != answered:
                report = found.report or await _report(target_id, job, found)
                await _tell(job, probe, found, report)
                answered = found.name
        except StaleGenerationError:
            return  # another driver attends to it
        except Exception:  # such as a database that is away: the probe still waits
            log.exception("run %s: reading back", job.run.id)
        await asyncio.sleep(LOOK_S)


async def _tell(job: Job, probe: Probe, found: HandedOver, report: str) -> None:
    """Hand the report over; a host that is unreachable just now gets it later.

    Of a report that the probe refuses, it is told why.
    """
    refused = 0
    while refused < MOST_BEGUN:
        try:
            generation = job.ownership.generation
            await probe.verified(job.run_dir, found.trial, found.attempt, report, generation)
        except GenerationTooLowError:
            return  # another driver attends to it
        except HostError as error:
            log.warning("run %s: the report waits: %s", job.run.id, error)
            if not error.transient:
                report, refused = _without(f"{error.title}: {error}"), refused + 1
            await asyncio.sleep(RETRY_S)
        else:
            return


async def _report(target_id: int, job: Job, found: HandedOver) -> str:
    """Return the report of the other host, or one that says why there is none; it is stored."""
    report = await _obtained(target_id, job, found)
    while True:
        try:
            await in_thread(_keep, job, replace(found, report=report))
        except DATABASE_AWAY as error:  # reading again would take longer
            log.info("run %s: the report is not stored: %s", job.run.id, error)
            await asyncio.sleep(RETRY_S)
        else:
            return report


async def _obtained(target_id: int, job: Job, found: HandedOver) -> str:
    since, failed, begun = time.monotonic(), 0, found.begun
    why = f"reading back began {begun} times and never ended"
    while max(begun, failed) < MOST_BEGUN:
        try:
            reader = await in_thread(_reader, target_id)
            async with probe_on(reader.way) as probe:
                since = time.monotonic()  # it responds
                begun += 1
                await in_thread(_keep, job, replace(found, begun=begun))
                return await _verify(probe, reader, found.manifest)
        except (StaleGenerationError, *DATABASE_AWAY):
            raise
        except HostError as error:
            why = f"{error.title}: {error}"
            if not error.transient or time.monotonic() - since > GIVE_UP_S:
                break
        except Exception as error:
            log.exception("run %s: reading back", job.run.id)
            why, failed = f"{UnexpectedError.title}: {type(error).__name__}: {error}", failed + 1
        await asyncio.sleep(RETRY_S)
    return _without(why)


async def _verify(probe: Probe, reader: ReadingHost, manifest: str) -> str:
    """Return the report of `verify`; raises HostError."""
    stream = await probe.verify(reader.path, manifest)
    lines, moved, grown = b"", 0, time.monotonic()
    try:
        while True:
            try:
                async with asyncio.timeout(grown + SILENT_S - time.monotonic()):
                    piece = await stream.read(64 * 1024)
            except TimeoutError:
                raise ProbeFailedError(
                    f"{reader.host} has verified nothing for {SILENT_S:g} s, after {moved} bytes"
                ) from None
            if not piece:
                break
            lines = (lines + piece)[-64 * 1024 :]
            if (verified := answers.verified_bytes(lines)) > moved:
                moved, grown = verified, time.monotonic()
        finished = await stream.finish()
    finally:
        await stream.close()
    if finished.exit_code != ExitCode.OK:
        raise failure(probe.path, finished)
    return answers.report(lines)


def _without(why: str) -> str:
    return f"report why={quote(why[:LONGEST_REASON].encode('ascii', 'replace'), safe='')}"


def _keep(job: Job, found: HandedOver) -> None:
    """Store what is known of reading an attempt back.

    The hello is the log's: a follower writes the one that it knew, and would undo this. Raises
    StaleGenerationError if another worker has taken the run.
    """
    with job.writing() as (session, _):
        known = {key: value for key, value in asdict(found).items() if key != "manifest"}
        session.get_one(Participant, job.participant.id).read_back = known


def _handed_over(participant_id: int) -> HandedOver | None:
    with reading() as session:
        participant = session.get_one(Participant, participant_id)
        hello: dict[str, Any] = participant.hello or {}
        known: dict[str, Any] = participant.read_back or {}
    if HANDED_OVER not in hello:
        return None
    found = HandedOver(**hello[HANDED_OVER])
    return (
        replace(found, **known)
        if (known.get("trial"), known.get("attempt")) == found.name
        else found
    )


def _reader(target_id: int) -> ReadingHost:
    """Load the other host; raises HostError."""
    with reading() as session:
        target = session.get_one(Target, target_id, options=[joinedload(Target.host)])
        return ReadingHost(target.path, target.host.name, access(session, target.host))
