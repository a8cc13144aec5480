"""The plan of a file: what each object needs, and what stands in its way.

All steps of an application run in one transaction. A dry run does the same work and is rolled back,
so it reports what an application reports.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, cast

from sqlalchemy.orm import Session

from assay.access.permissions import Forbidden, require
from assay.api.declarations.schemas import Action, Declaration, FieldChange, Noun, PlannedChange
from assay.base.errors import Conflict, Problem
from assay.base.field_errors import SHOWN_MISTAKES, FieldError
from assay.base.identity import Identity

MOST_FIELDS = 50
"""Differences that are shown of one object."""

MANAGED_BY = "managed_by"

KEPT = "The file created it and no longer has it. Apply with prune to remove it."

_AS_IN_FILES = {"credential_id": "credential", "array_id": "array"}
"""Fields of the API that a file gives by name."""


class FileRefused(Conflict):
    """The current state does not allow to apply the file; nothing was changed."""

    code, title = "file_refused", "The file cannot be applied"

    def __init__(self, errors: list[FieldError]) -> None:
        """Name every obstacle, with its position in the file if it has one."""
        super().__init__(errors=errors)


@dataclass(frozen=True)
class ApplyOptions:
    """What an application may do besides creating and changing what the file has."""

    prune: bool = False
    """Remove what the file created and no longer has."""
    adopt: bool = False
    """Take over objects that the file did not create."""
    is_first: bool = True
    """Refuse the whole file for one obstacle; a later round lets what meets one wait."""


class ManagedRow(Protocol):
    """A row that a file may manage."""

    id: Any
    managed_by: Any


@dataclass(frozen=True)
class ExistingObject:
    """An object that exists, and the values that a file may set."""

    row: ManagedRow
    values: dict[str, Any]


@dataclass(frozen=True)
class Uninspected:
    """A directory that a worker must inspect before it becomes a target."""

    field: str
    host_id: int
    path: str


Inspections = Mapping[tuple[int, str], "dict[str, Any] | Problem"]
"""What workers found, by host and path."""


@dataclass
class Planning:
    """One application of a file in one transaction."""

    session: Session
    who: Identity
    file: Declaration
    options: ApplyOptions
    dry_run: bool
    inspections: Inspections
    changes: list[PlannedChange] = field(default_factory=list[PlannedChange])
    problems: list[FieldError] = field(default_factory=list[FieldError])
    uninspected: list[Uninspected] = field(default_factory=list[Uninspected])
    unready: list[int] = field(default_factory=list[int])
    """Ids of the file's hosts that need a check."""
    is_waiting: bool = False
    """Whether a target waits, or a host does not have the approved key that the file has."""

    @contextmanager
    def entry(self, where: str, kind: Noun, name: str) -> Generator[None]:
        """Note a problem in the block as one of this entry, and go on with the next entry.

        In a later round the entry waits, and what the block has written is rolled back.
        """
        unless_refused = nullcontext() if self.options.is_first else self.session.begin_nested()
        try:
            with unless_refused:
                yield
        except Forbidden as problem:  # no other state of the appliance would change it
            problem.errors = tuple(_in_entry(where, error) for error in problem.errors)
            raise
        except Problem as problem:
            errors = in_entry(where, problem)
            if self.options.is_first:
                self.problems += errors
            else:
                self.note("wait", kind, name, reason=" ".join(map(sentences, errors)))

    def note(
        self,
        action: Action,
        kind: Noun,
        name: str,
        number: int | None = None,
        *,
        fields: list[FieldChange] | None = None,
        reason: str | None = None,
    ) -> None:
        """Add a change to the plan."""
        self.is_waiting |= action == "wait"
        if fields and len(fields) > MOST_FIELDS:
            more = f"and {len(fields) - MOST_FIELDS} more"
            fields = [*fields[:MOST_FIELDS], FieldChange(field="…", new=more)]
        self.changes.append(
            PlannedChange(
                action=action,
                kind=kind,
                name=name,
                id=number,
                fields=fields or [],
                reason=reason,
            )
        )

    def require(self, action: Literal["create", "change", "delete"], kind: Noun) -> None:
        """Raise a Problem unless the caller may do this to objects of this kind."""
        require(self.who, f"{kind}.{action}")

    def explain(self, reason: str) -> None:
        """Add a reason to the newest change."""
        self.changes[-1].reason = reason

    def settle(
        self,
        kind: Noun,
        name: str,
        existing: ExistingObject,
        given: dict[str, Any],
        change: Callable[[dict[str, Any]], ManagedRow],
    ) -> None:
        """Change an existing object where it differs from the file."""
        found = differences(existing.values, given)
        owner = existing.row.managed_by
        adopts = self.options.adopt and owner != self.file.name
        if not found and not adopts:
            self.note("unchanged", kind, name, existing.row.id)
            return
        if owner not in (None, self.file.name) and not adopts:
            raise ManagedElsewhere(owner)
        row = existing.row
        if found:
            changed = {one.field.partition(".")[0] for one in found}
            self.require("change", kind)
            row = change({field: given[field] for field in given if field in changed})
        if adopts:
            self.require("change", kind)
            found.append(FieldChange(field=MANAGED_BY, old=owner, new=self.file.name))
            row.managed_by = self.file.name
        self.note("change", kind, name, row.id, fields=found)

    def drop(self, kind: Noun, name: str, number: int, delete: Callable[[], None]) -> None:
        """Remove an object that the file created and no longer has; without `prune`, keep it."""
        if not self.options.prune:
            self.note("keep", kind, name, number, reason=KEPT)
            return
        self.require("delete", kind)
        try:
            delete()
        except Forbidden:
            raise
        except Problem as problem:
            message = f"{kind} '{name}' cannot be removed: {problem.detail.removesuffix('.')}"
            remedy = problem.remedy or "Remove it later."
            self.problems.append(FieldError("prune", message, remedy))
        else:
            self.note("remove", kind, name, number)


class ManagedElsewhere(Conflict):
    """Another file created the object."""

    def __init__(self, owner: str) -> None:
        """Name the other file."""
        message = f"belongs to the file '{owner}' and differs there"
        remedy = "Remove it from one of the files, or apply with adopt to take it over."
        super().__init__(errors=[FieldError("", message, remedy)])


def shown(problems: list[FieldError]) -> list[FieldError]:
    """Return as many problems as a response shows, and the number of the others."""
    if (more := len(problems) - SHOWN_MISTAKES) <= 0:
        return problems
    last = FieldError("text", f"has {more} more problems", "Fix these first.")
    return [*problems[:SHOWN_MISTAKES], last]


def sentences(error: FieldError) -> str:
    """Return message and remedy: "`host_key`: the host offers … . Verify …"."""
    return f"`{error.field.rpartition('.')[2]}`: {error.message}. {error.remedy or ''}".strip()


def in_entry(where: str, problem: Problem) -> list[FieldError]:
    """Return the errors of a problem as those of an entry of the file (`hosts.0`)."""
    if not problem.errors:
        message, remedy = problem.detail.removesuffix("."), problem.remedy
        return [FieldError(where, message, remedy or "Change the file.")]
    return [_in_entry(where, error) for error in problem.errors]


def _in_entry(where: str, error: FieldError) -> FieldError:
    name = error.field.removeprefix("body.")
    name = _AS_IN_FILES.get(name, name)
    return replace(error, field=f"{where}.{name}" if name else where)


def differences(old: object, new: object, path: str = "") -> list[FieldChange]:
    """Return the fields in which `new` differs from `old`, by path.

    At the top, fields that only `old` has do not count: the file leaves them as they are.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        was, now = cast("dict[str, Any]", old), cast("dict[str, Any]", new)
        names = [*now, *(name for name in was if path and name not in now)]
    elif isinstance(old, list) and isinstance(new, list):
        was = {str(n): one for n, one in enumerate(cast("list[Any]", old))}
        now = {str(n): one for n, one in enumerate(cast("list[Any]", new))}
        names = [*was, *(name for name in now if name not in was)]
    else:
        return [] if old == new else [FieldChange(field=path, old=old, new=new)]
    return [
        one
        for name in names
        for one in differences(was.get(name), now.get(name), f"{path}.{name}" if path else name)
    ]
