"""The plan: a probe's instructions, as text with one line per remaining trial."""

from collections.abc import Mapping
from urllib.parse import quote

from assay.kinds.registry import KINDS
from assay.runs.attempts import over
from assay.runs.models import Attempt, Run, Trial
from assay.targets.reserve import reserve_bytes
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay_worker.driver.job import Job

Due = list[tuple[Trial, int]]
"""Remaining trials, each with the number of its next attempt."""

DEFAULT_SAMPLE_MS = 1_000

_PLAIN = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")


def due(session: Session, job: Job) -> Due:
    """Return the run's remaining trials in their order, with the number of the next attempt.

    The number is the same at all participants.
    """
    done = over(Trial.run_id == job.run.id).subquery()
    rows = session.execute(
        select(Trial, func.max(Attempt.number))
        .outerjoin(Attempt, Attempt.trial_id == Trial.id)
        .where(Trial.run_id == job.run.id, Trial.id.not_in(select(done.c.trial_id)))
        .group_by(Trial.id)
        .order_by(Trial.position)
    )
    return [(trial, (number or 0) + 1) for trial, number in rows]


def peak_bytes(job: Job, trials: Due) -> int:
    """Return the peak disk usage of the run's files, in bytes."""
    return KINDS[job.run.kind].peak_bytes([trial.parameters for trial, _ in trials])


def group(run: Run) -> str:
    """Return a name that all participants of the run share, unique across appliances."""
    return f"r{run.id}-{run.created_at.timestamp():.6f}"


def reserve(job: Job) -> int:
    """Return the reserved free space at the target, in bytes."""
    return reserve_bytes(job.target.reserve_bytes, job.target.facts.get("size_bytes") or 0)


def text(job: Job, trials: Due) -> str:
    """Return the plan for `trials`."""
    parameters, target = job.run.parameters, job.target
    head = {
        "job": job.run.kind,
        "run": job.name,
        "group": group(job.run),
        "generation": job.ownership.generation,
        "watch_ms": job.watch_ms,
        "sample_ms": parameters.get("sample_ms", DEFAULT_SAMPLE_MS),
        "read_bytes": job.participant.offset,
        "read_events": job.participant.next_seq,
        "barrier": "yes" if len(job.participants) > 1 else None,
    }
    where = {
        "path": target.path,
        "reserve_bytes": reserve(job),
        "fs_type": target.fs_type,
        "fs_source": target.fs_source,
        "fs_uuid": target.fs_uuid,
    }
    kind, direct = KINDS[job.run.kind], target.facts.get("direct") == "real"
    lines = [_record("plan v=2", head), _record("target", where)]
    for trial, attempt in trials:
        own = {"position": trial.position, "attempt": attempt}
        fields = kind.plan_fields(parameters, trial.parameters, direct=direct)
        lines.append(_record("trial", own | fields))
    return "\n".join([*lines, "end", ""])


def _record(word: str, fields: Mapping[str, object]) -> str:
    given = (f"{name}={quote(str(v), safe=_PLAIN)}" for name, v in fields.items() if v is not None)
    return " ".join([word, *given])
