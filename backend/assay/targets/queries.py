"""Reading targets."""

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload

from assay.errors import NotFound
from assay.targets.acceptance import notes
from assay.targets.models import Target
from assay.targets.reserve import reserve_bytes
from assay.targets.schemas import TargetOut


def living() -> Select[Target]:
    """Targets in use, with their hosts and arrays."""
    return (
        select(Target)
        .where(Target.retired_at.is_(None))
        .options(joinedload(Target.host), joinedload(Target.array))
    )


def find(session: Session, target_id: int) -> Target:
    """The target, with its host and array, or NotFound."""
    target = session.scalar(living().where(Target.id == target_id))
    if target is None:
        raise NotFound("target", target_id)
    return target


def shape(target: Target) -> TargetOut:
    """A target as the API shows it."""
    facts, array = target.facts, target.array
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
            "alignment": facts.get("alignment"),
            "free_bytes": facts["free_bytes"],
            "size_bytes": facts["size_bytes"],
            "is_root_fs": bool(facts.get("is_root_fs")),
            "reserve_bytes": reserve_bytes(target.reserve_bytes, facts["size_bytes"]),
            "checked_at": target.checked_at,
            "notes": notes(
                facts, array.cache_bytes if array else None, has_array=array is not None
            ),
        }
    )
