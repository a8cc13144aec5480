"""Queries for targets."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload

from assay.base.errors import NotFound
from assay.base.etags import etag
from assay.base.filters import has_words
from assay.base.names import Known, slug
from assay.inventory.hosts.queries import newest_inventories
from assay.inventory.labels import ON_TARGET, labels_of
from assay.inventory.targets.acceptance import notes
from assay.inventory.targets.free_space import free_space
from assay.inventory.targets.reserve import reserve_bytes
from assay.inventory.targets.schemas import EDITABLE, TargetOut
from assay.tables.hosts import Host, Inventory
from assay.tables.labels import TargetLabel
from assay.tables.targets import Target


def living() -> Select[Target]:
    """Select targets that are not deleted, with their hosts and arrays."""
    return (
        select(Target)
        .where(Target.retired_at.is_(None))
        .options(joinedload(Target.host), joinedload(Target.array))
    )


def listed(
    target_id: int | None, host_id: int | None, array_id: int | None, words: str
) -> Select[Target]:
    """Select the living targets that match all of the given filters."""
    found = living().where(has_words(words, Target.name, Target.path, beside=ON_TARGET))
    if target_id is not None:
        found = found.where(Target.id == target_id)
    if host_id is not None:
        found = found.where(Target.host_id == host_id)
    if array_id is not None:
        found = found.where(Target.array_id == array_id)
    return found


def find(session: Session, target_id: int, *, lock: bool = False) -> Target:
    """Return the target with its host and array, or raise NotFound; `lock` locks its row."""
    wanted = living().where(Target.id == target_id)
    target = session.scalar(wanted.with_for_update(of=Target) if lock else wanted)
    if target is None:
        raise NotFound("target", target_id)
    return target


def names(session: Session) -> Known:
    """Return each target's path after the name, and after the slug, of its host: `lab1/mnt/a`.

    Then the same with a colon between them, the path alone and the name, which few installations
    have only once.
    """
    rows = session.execute(
        select(Target.id, Host.name, Target.path, Target.name)
        .join(Host, Host.id == Target.host_id)
        .where(Target.retired_at.is_(None))
    )
    found = {number: _names(host, path, name) for number, host, path, name in rows}
    return Known("target", "targets", found)


def _names(host: str, path: str, name: str) -> Sequence[str]:
    hosts = (host, slug(host))
    return *(one + path for one in hosts), *(f"{one}:{path}" for one in hosts), path, name


def tag(target: Target, labels: Mapping[str, str]) -> str:
    """Return the entity tag of what a user edits."""
    return etag(target, EDITABLE, labels)


def current_tag(session: Session, target: Target) -> str:
    """Return the entity tag, with the labels as they are stored."""
    return tag(target, labels_of(session, TargetLabel, [target.id])[target.id])


def shape(session: Session, target: Target) -> TargetOut:
    """Return a target as an API type."""
    return shapes(session, [target])[0]


def shapes(session: Session, targets: Sequence[Target]) -> list[TargetOut]:
    """Return targets as API types."""
    inventories = newest_inventories(session, (target.host_id for target in targets))
    labels = labels_of(session, TargetLabel, [target.id for target in targets])
    return [
        _shape(target, inventories.get(target.host_id), labels[target.id]) for target in targets
    ]


def _shape(target: Target, inventory: Inventory | None, labels: dict[str, str]) -> TargetOut:
    facts, array, space = target.facts, target.array, free_space(target, inventory)
    return TargetOut.model_validate(
        {
            "id": target.id,
            "host_id": target.host_id,
            "host_name": target.host.name,
            "path": target.path,
            "name": target.name,
            "array": {"id": array.id, "name": array.name, "cache_bytes": array.cache_bytes}
            if array
            else None,
            "mount": facts.get("mount"),
            "fs_type": target.fs_type,
            "fs_source": target.fs_source,
            "fs_uuid": target.fs_uuid,
            "fs_options": facts.get("options"),
            "kind": facts.get("kind"),
            "device": facts.get("device"),
            "device_info": {
                "model": facts.get("model"),
                "rotational": facts.get("rotational"),
                "size_bytes": facts.get("device_bytes"),
                "scheduler": facts.get("scheduler"),
                "read_ahead_bytes": facts.get("read_ahead_bytes"),
                "write_cache": facts.get("write_cache"),
            },
            "direct": facts["direct"],
            "alignment_bytes": facts.get("alignment_bytes"),
            "free_bytes": space.free_bytes,
            "size_bytes": space.size_bytes,
            "free_at": space.seen_at,
            "free_inodes": facts.get("free_inodes"),
            "is_root_fs": facts.get("is_root_fs", False),
            "reserve_bytes": reserve_bytes(target.reserve_bytes, space.size_bytes),
            "checked_at": target.checked_at,
            "notes": notes(
                facts, array.cache_bytes if array else None, has_array=array is not None
            ),
            "labels": labels,
            "reference": target.reference,
            "managed_by": target.managed_by,
            "etag": tag(target, labels),
        }
    )
