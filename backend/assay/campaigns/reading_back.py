"""The other host that reads test files back: whether it can see the files of a campaign."""

from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from assay.campaigns.places import USABLE
from assay.hosts import lifecycle
from assay.http.field_errors import FieldError
from assay.kinds.planning import FieldName, PlannedRun
from assay.kinds.registry import Test
from assay.scheduling.resources import machine_resource
from assay.targets.models import Target

FIELD = "read_back_target_id"

SHARED = frozenset({"network", "parallel"})
"""Kinds of file systems that several hosts can mount; of others the UUID has to be the same."""

CHOOSE = "Choose a target of another host: the same directory of the shared file system."


def problems(
    session: Session,
    target_id: int | None,
    tests: Sequence[Test],
    parts: Sequence[PlannedRun],
    name: FieldName,
) -> Iterator[FieldError]:
    """Yield why a target cannot be used to read the files of the tests back.

    `parts` are their plans, without those of tests that cannot be planned. Whether it really is the
    same directory shows when the files are opened there.
    """
    needing = [number for number, test in enumerate(tests) if test.reads_back_elsewhere]
    if target_id is None:
        if needing:
            field = name(needing[0], "read_back")
            message = 'is "other_host", but no target of another host is named'
            yield FieldError(field, message, f"Give `{FIELD}`, or use another value.", "other_host")
        return
    if not needing:
        message = 'is given, but no test has `read_back` "other_host"'
        yield FieldError(FIELD, message, "Omit it, or set `read_back`.", target_id)
        return
    target = session.scalar(
        select(Target)
        .where(Target.id == target_id, Target.retired_at.is_(None))
        .options(joinedload(Target.host))
    )
    if target is None:
        yield FieldError(FIELD, "there is no such target", CHOOSE, target_id)
        return
    if target.host.state not in USABLE:
        why, remedy = lifecycle.NOT_READY.get(
            target.host.state, ("is being deleted", "Choose another target.")
        )
        yield FieldError(FIELD, f"its host '{target.host.name}' {why}", remedy, target_id)
    written = {part.place.target_id for part in parts if part.read_back_elsewhere}
    places = session.scalars(
        select(Target).where(Target.id.in_(written)).options(joinedload(Target.host))
    ).all()
    for place in sorted(places, key=lambda one: one.id):
        if why := _why_apart(place, target):
            yield FieldError(FIELD, why, CHOOSE, target_id)
            return


def _why_apart(place: Target, reader: Target) -> str | None:
    """Return why the reader does not see the place's files as another host would; else None."""
    if place.host_id == reader.host_id:
        return f"is on '{place.host.name}', which writes the files itself"
    machine = machine_resource(place.host.machine_id, place.host.boot_id)
    if machine and machine == machine_resource(reader.host.machine_id, reader.host.boot_id):
        return (
            f"is on '{reader.host.name}', which is the same machine as '{place.host.name}', which "
            "writes the files"
        )
    kinds = {place.facts.get("kind"), reader.facts.get("kind")}
    if len(kinds) == 1 and kinds <= SHARED:
        return None  # one server has many names
    if place.fs_uuid and place.fs_uuid == reader.fs_uuid:
        return None
    return (
        f"is on {_named(reader)} of '{reader.host.name}', and the files are on {_named(place)} of "
        f"'{place.host.name}': that is not one shared file system"
    )


def _named(target: Target) -> str:
    return f"{target.fs_type} {target.fs_source}"


def spot(session: Session, target_id: int | None) -> dict[tuple[int, int | None], str]:
    """Return the host and target of another host that reads files back, with its name; or none."""
    if target_id is None:
        return {}
    target = session.get_one(Target, target_id, options=[joinedload(Target.host)])
    return {(target.host_id, target.id): f"{target.host.name} {target.path}"}
