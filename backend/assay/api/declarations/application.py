"""The application of a file: one transaction that does everything or nothing, and then its hosts.

A host is contacted only after it is registered, so a new one takes several rounds: register it,
check it, approve the key that the file has, check it again, register its targets. Each round is the
same application of the same file. What a round cannot do yet waits, with the reason, and a later
application continues there.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from assay.access.audit import record
from assay.api.declarations import arrays, hosts, profiles, targets
from assay.api.declarations.plan import (
    ApplyOptions,
    FileRefused,
    Inspections,
    Planning,
    Uninspected,
    in_entry,
    shown,
)
from assay.api.declarations.reading import QualificationFile
from assay.api.declarations.schemas import FilePlan, PlannedChange
from assay.base.deadline import Deadline
from assay.base.errors import Problem
from assay.base.field_errors import FieldError
from assay.base.identity import Identity
from assay.inventory.hosts import checks
from assay.inventory.targets import registration
from assay.inventory.targets.registration import CheckPending
from assay.tables.database import pass_alone, writing

ROUNDS = 3
"""Register and check; approve the key and check; register the targets."""

FILES_LOCK = 0x41535346

CHANGED = frozenset({"create", "change", "remove"})


def plan(file: QualificationFile, options: ApplyOptions, who: Identity) -> Planning:
    """Return what applying the file would do; raises FileRefused. Changes nothing."""
    with writing() as session:
        planning = Planning(session, who, file.declaration, options, True, {})
        _work(planning, file)
        session.rollback()
        return planning


def _execute(
    file: QualificationFile, options: ApplyOptions, who: Identity, inspections: Inspections
) -> Planning:
    with writing() as session:
        planning = Planning(session, who, file.declaration, options, False, inspections)
        _work(planning, file)
        if any(change.action in CHANGED for change in planning.changes):
            done = {action: _count(planning, action) for action in sorted(CHANGED)}
            name = file.declaration.name
            record(session, who, "file.applied", f"file {name}", prune=options.prune, **done)
        return planning


def _count(planning: Planning, action: str) -> int:
    return sum(change.action == action for change in planning.changes)


def _work(planning: Planning, file: QualificationFile) -> None:
    """Do all steps; raises FileRefused with every obstacle."""
    session = planning.session
    pass_alone(session, FILES_LOCK)
    rows = hosts.lock(planning)
    arrays.apply(planning)
    hosts.apply(planning, rows)
    targets.apply(planning, {e.name: rows[e.name] for e in planning.file.hosts if e.name in rows})
    profiles.apply(planning)
    targets.drop(planning)
    hosts.drop(planning, rows)
    arrays.drop(planning)
    profiles.drop(planning)
    if planning.problems:
        raise FileRefused(file.placed(shown(planning.problems)))
    session.flush()


async def apply(
    request: Request, file: QualificationFile, options: ApplyOptions, who: Identity, seconds: float
) -> FilePlan:
    """Apply the file, and wait for its hosts for at most `seconds`.

    Raises FileRefused if the first round is refused: then nothing was changed.
    """
    deadline = Deadline(seconds)
    first = await run_in_threadpool(plan, file, options, who)
    inspections = await _inspect(request, first.uninspected, deadline)
    _refuse(file, first.uninspected, inspections)
    done = await run_in_threadpool(_execute, file, options, who, inspections)
    changes = done.changes
    for _ in range(ROUNDS - 1):
        if not done.unready or deadline.over():
            break
        await _check(request, done.unready, deadline)
        further = ApplyOptions(is_first=False)
        planned = await run_in_threadpool(plan, file, further, who)
        inspections = await _inspect(request, planned.uninspected, deadline)
        done = await run_in_threadpool(_execute, file, further, who, inspections)
        changes = merged(changes, done.changes)
        if not any(change.action in CHANGED for change in done.changes):
            break
    return outcome(done, changes)


def outcome(planning: Planning, changes: list[PlannedChange]) -> FilePlan:
    """Return the changes as an API type."""
    return FilePlan(
        name=planning.file.name,
        dry_run=planning.dry_run,
        complete=planning.dry_run or not planning.is_waiting,
        changes=changes,
    )


def merged(first: list[PlannedChange], later: list[PlannedChange]) -> list[PlannedChange]:
    """Return the changes of two rounds as those of one."""
    found = {(change.kind, change.name): change for change in first}
    for change in later:
        before = found.get((change.kind, change.name))
        if before is None or before.action not in CHANGED:
            found[change.kind, change.name] = change
        else:
            fields = [*before.fields, *change.fields]
            update = {"fields": fields, "reason": change.reason}
            found[change.kind, change.name] = before.model_copy(update=update)
    return list(found.values())


async def _inspect(
    request: Request, directories: Sequence[Uninspected], deadline: Deadline
) -> Inspections:
    """Return what workers find in the directories."""
    ids = await run_in_threadpool(_ask_for_inspections, directories)
    ended = await asyncio.gather(*(checks.ended(request, one, deadline.left()) for one in ids))
    found: dict[tuple[int, str], dict[str, Any] | Problem] = {}
    for one, check in zip(directories, ended, strict=True):
        try:
            found[one.host_id, one.path] = registration.answer(check, one.path)
        except Problem as problem:
            found[one.host_id, one.path] = problem
    return found


def _ask_for_inspections(directories: Sequence[Uninspected]) -> list[int]:
    if not directories:
        return []
    with writing() as session:
        return [
            checks.ask(session, one.host_id, "target", {"path": one.path}).id for one in directories
        ]


def _refuse(
    file: QualificationFile, directories: Sequence[Uninspected], inspections: Inspections
) -> None:
    """Raise FileRefused for each inspection that failed."""
    problems: list[FieldError] = []
    for one in directories:
        found = inspections[one.host_id, one.path]
        if isinstance(found, Problem) and not isinstance(found, CheckPending):
            problems += in_entry(one.field, found)
    if problems:
        raise FileRefused(file.placed(shown(problems)))


async def _check(request: Request, host_ids: Sequence[int], deadline: Deadline) -> None:
    """Check hosts, and wait until the checks end."""
    ids = await run_in_threadpool(_ask_for_checks, host_ids)
    await asyncio.gather(*(checks.ended(request, one, deadline.left()) for one in ids))


def _ask_for_checks(host_ids: Sequence[int]) -> list[int]:
    with writing() as session:
        return [checks.ask(session, host_id, "host", {}).id for host_id in host_ids]
