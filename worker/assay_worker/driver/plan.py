"""The plan: a probe's instructions, as text with one line per remaining trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from assay.inventory.targets.reserve import reserve_bytes
from assay.kinds.registry import KINDS
from assay.runs.attempts import CONTINUED, RUNNING, over
from assay.runs.samples import marks
from assay.tables.runs import Attempt, Run, Trial
from assay.tables.targets import Target
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from assay_worker.driver.job import Job


@dataclass(frozen=True)
class DueTrial:
    """A remaining trial with the number of its next attempt, and what that one may go on from.

    `done_bytes` and `done_ns` are up to the last stored mark; 0 with several participants, who
    start anew together.
    """

    trial: Trial
    attempt: int
    done_bytes: int = 0
    done_ns: int = 0


DEFAULT_SAMPLE_MS = 1_000

_PLAIN = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")


def due(session: Session, job: Job) -> list[DueTrial]:
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
    found = [DueTrial(trial, (number or 0) + 1) for trial, number in rows]
    if len(job.participants) > 1:
        return found
    done = _done(session, job.run.id)
    return [replace(one, **done.get(one.trial.id, {})) for one in found]


def _done(session: Session, run_id: int) -> dict[int, dict[str, int]]:
    """Return what the attempts of each trial measured that a later attempt may continue.

    One in progress counts: a plan is executed only if its probe is dead. Of attempts that reach
    the same data, the newest is continued, as by `continued`.
    """
    status = Attempt.status.in_((*CONTINUED, RUNNING))
    attempts = session.scalars(
        select(Attempt)
        .join(Trial, Trial.id == Attempt.trial_id)
        .where(Trial.run_id == run_id, status, Attempt.mark_count > 0)
        .order_by(Attempt.number)
    ).all()
    marked = marks.of_attempts(session, run_id, [one.id for one in attempts]) if attempts else {}
    found: dict[int, dict[str, int]] = {}
    for one in attempts:
        done_bytes = one.done_bytes + one.marked_bytes
        if done_bytes >= found.get(one.trial_id, {}).get("done_bytes", 0):
            done_ns = one.done_ns + marked[one.id].end_ns[-1]
            found[one.trial_id] = {"done_bytes": done_bytes, "done_ns": done_ns}
    return found


def peak_bytes(job: Job, trials: Sequence[DueTrial]) -> int:
    """Return the peak disk usage of the run's files at the participant's target, in bytes."""
    kind, parameters = KINDS[job.run.kind], [one.trial.parameters for one in trials]
    own = job.participant.target_id
    sharing = [one.role for one in job.participants if own is not None and one.target_id == own]
    return sum(kind.peak_bytes(parameters, role) for role in sharing)


def group(run: Run) -> str:
    """Return a name that all participants of the run share, unique across appliances."""
    return f"r{run.id}-{run.created_at.timestamp():.6f}"


def reserve(target: Target) -> int:
    """Return the reserved free space at a target, in bytes."""
    return reserve_bytes(target.reserve_bytes, target.facts.get("size_bytes") or 0)


def text(job: Job, trials: Sequence[DueTrial], token: str | None = None) -> str:
    """Return the plan for `trials`; the ends of a transfer have a `token`."""
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
        "role": job.participant.role if token else None,
        "token": token,
    }
    kind, role = KINDS[job.run.kind], job.participant.role
    direct = target is not None and target.facts.get("direct") == "real"
    lines = [record("plan v=2", head)]
    if target is not None:
        where = {
            "path": target.path,
            "reserve_bytes": reserve(target),
            "fs_type": target.fs_type,
            "fs_source": target.fs_source,
            "fs_uuid": target.fs_uuid,
        }
        lines.append(record("target", where))
    for due_trial in trials:
        own: dict[str, object] = {
            "position": due_trial.trial.position,
            "attempt": due_trial.attempt,
            "done_bytes": due_trial.done_bytes or None,
            "done_ns": due_trial.done_ns or None,
        }
        fields = kind.plan_fields(parameters, due_trial.trial.parameters, role=role, direct=direct)
        if target is not None:
            fields |= kind.disk_fields(parameters, len(target.devices))
        lines.append(record("trial", own | fields | kind.own_fields(parameters, role, _place(job))))
    return "\n".join([*lines, "end", ""])


def _place(job: Job) -> int:
    """Return the participant's number among those with its role, from 0."""
    own = job.participant
    return sum(one.role == own.role and one.position < own.position for one in job.participants)


def record(word: str, fields: Mapping[str, object]) -> str:
    """Return a line of a plan, or of orders, without the fields that are None."""
    given = (f"{name}={quote(str(v), safe=_PLAIN)}" for name, v in fields.items() if v is not None)
    return " ".join([word, *given])
