"""The export: a qualification file that describes what exists."""

from collections import defaultdict
from typing import Any

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session

from assay.api.declarations import arrays, hosts, targets, yaml_text
from assay.api.declarations.schemas import (
    DeclaredArray,
    DeclaredHost,
    DeclaredTarget,
    FileExport,
)
from assay.inventory.hosts import lifecycle
from assay.inventory.hosts.keys import shown
from assay.inventory.labels import labels_of
from assay.inventory.targets.queries import living
from assay.runs.profiles import queries
from assay.runs.profiles.schemas import ProfileBody
from assay.tables.arrays import Array
from assay.tables.hosts import Host
from assay.tables.labels import ArrayLabel, HostLabel, TargetLabel
from assay.tables.profiles import Profile
from assay.tables.targets import Target

HEAD = """\
# Apply with `assay apply -f FILE`. Fields that a file omits keep their values.
"""

SECRETS = """\
# Credentials are referred to by name, and their secrets are not exported. Before you apply the file
# to another appliance, add these there:
"""


def export(session: Session, name: str, file: str | None) -> FileExport:
    """Return the file `name` with everything that exists, or with what `file` manages.

    Built-in profiles are left out: every appliance has them.
    """
    declared_hosts = _hosts(session, file)
    document = {
        "name": name,
        "arrays": _arrays(session, file),
        "hosts": declared_hosts,
        "profiles": _profiles(session, file),
    }
    used = sorted({host["credential"] for host in declared_hosts if "credential" in host})
    secrets = SECRETS + "".join(f"# - {one!r}\n" for one in used) if used else ""
    present = {field: value for field, value in document.items() if value}
    return FileExport(text=HEAD + secrets + yaml_text.write(present), credentials=used)


def _of(
    file: str | None,
    managed_by: InstrumentedAttribute[str | None],
    of_targets: ColumnElement[bool] | None = None,
) -> ColumnElement[bool]:
    """Return SQL for what an export has: all, or what `file` and its targets need."""
    if file is None:
        return true()
    return managed_by == file if of_targets is None else or_(managed_by == file, of_targets)


def _arrays(session: Session, file: str | None) -> list[dict[str, Any]]:
    used = Array.id.in_(_managed_targets(Target.array_id, file))
    wanted = select(Array).where(_of(file, Array.managed_by, used))
    rows = session.scalars(wanted.order_by(Array.name)).all()
    labels = labels_of(session, ArrayLabel, [row.id for row in rows])
    return [given(DeclaredArray, arrays.values(row, labels[row.id])) for row in rows]


def _managed_targets(column: InstrumentedAttribute[Any], file: str | None) -> Select[Any]:
    return select(column).where(Target.managed_by == file, Target.retired_at.is_(None))


def _hosts(session: Session, file: str | None) -> list[dict[str, Any]]:
    used = Host.id.in_(_managed_targets(Target.host_id, file))
    of_file = _of(file, Host.managed_by, used)
    wanted = select(Host).where(of_file, Host.state != lifecycle.DELETING)
    rows = hosts.jump_hosts_first(session.scalars(wanted.order_by(Host.name)).all())
    names = hosts.Names.of(session)
    ids = [row.id for row in rows]
    labels, on_hosts = labels_of(session, HostLabel, ids), _targets(session, ids, file)
    found: list[dict[str, Any]] = []
    for row in rows:
        key = shown(row.approved_key)
        own = {"host_key": key and key.fingerprint, "targets": on_hosts[row.id]}
        found.append(given(DeclaredHost, {**hosts.values(row, labels[row.id], names), **own}))
    return found


def _targets(
    session: Session, host_ids: list[int], file: str | None
) -> defaultdict[int, list[dict[str, Any]]]:
    """Return the targets by host."""
    wanted = living().where(Target.host_id.in_(host_ids), _of(file, Target.managed_by))
    rows = session.scalars(wanted.order_by(Target.path)).all()
    labels = labels_of(session, TargetLabel, [row.id for row in rows])
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        values = targets.values(row, labels[row.id])
        own = {"path": row.path, "root_consent": row.root_consent}
        name = None if row.name == row.path else row.name
        found[row.host_id].append(given(DeclaredTarget, {**own, **values, "name": name}))
    return found


def _profiles(session: Session, file: str | None) -> list[dict[str, Any]]:
    wanted = queries.newest().where(Profile.builtin.is_(False), _of(file, Profile.managed_by))
    rows = session.scalars(wanted.order_by(Profile.name))
    return [
        {
            "name": row.name,
            **({"description": row.description} if row.description else {}),
            **_compact(ProfileBody.model_validate(row.body)),
        }
        for row in rows
    ]


def _compact(body: ProfileBody) -> dict[str, Any]:
    """Return the body without values that are the default."""
    tests = [
        {"kind": test.kind, **test.model_dump(mode="json", exclude_defaults=True)}
        for test in body.tests
    ]
    criteria = [one.model_dump(mode="json", exclude_defaults=True) for one in body.criteria]
    without = ProfileBody(tests=body.tests, criteria=body.criteria)
    watch = {} if without.watch_ms == body.watch_ms else {"watch_ms": body.watch_ms}
    return {"tests": tests, **watch, **({"criteria": criteria} if criteria else {})}


def given(model: type[BaseModel], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are not the default, in the order of the model's fields."""
    return {
        name: values[name]
        for name, field in model.model_fields.items()
        if name in values and values[name] != field.get_default(call_default_factory=True)  # pyright: ignore[reportUnknownMemberType]
    }
