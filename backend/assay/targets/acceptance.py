"""From the probe's look at a directory: may tests write there, and what cannot be proven there."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.codes import TargetCode
from assay.http.errors import Conflict, Problem
from assay.http.field_errors import FieldError, from_pydantic
from assay.http.field_types import LARGEST_INTEGER
from assay.targets.schemas import Bytes, Direct

# the probe's problem codes: ours, why, and what to do
_PROBLEMS: dict[str, tuple[TargetCode, str, str]] = {
    "missing": ("path_missing", "does not exist on the host", "Make the directory there first."),
    "not_directory": ("not_directory", "is not a directory", "Give a directory."),
    "not_writable": (
        "not_writable",
        "cannot be written to by the user that Assay logs in as",
        "Give that user the right to write there, or choose another directory.",
    ),
    "symlink_other_fs": (
        "symlink_other_fs",
        "is a symbolic link into another file system",
        "Give the path that it points to, so that it is clear what is measured.",
    ),
    "block_device": (
        "block_device",
        "is a block device; Assay never writes to one",
        "Give a directory on a file system of that device.",
    ),
    "read_only": (
        "read_only",
        "is on a file system that is mounted read-only",
        "Mount it for writing, or choose another directory.",
    ),
}

UNPROVABLE_KINDS = {
    "network": "a network file system: what its server caches cannot be seen from here",
    "parallel": "a parallel file system: what its servers cache cannot be seen from here",
    "zfs": "ZFS: its own cache (ARC) cannot be told from its disks",
    "memory": "in memory: nothing here reaches a disk",
    "overlay": "an overlay: which device it writes to cannot be seen",
}
"""Kinds of file system on which no result can be proven to come from the storage, and why."""


class Known(BaseModel):
    """What has to be known of a directory without a problem, in which lengths it can be kept.

    A worker refuses an answer that says less or more, and so does whoever is given one.
    """

    model_config = ConfigDict(strict=True)

    type: Annotated[str, Field(max_length=60)]
    source: Annotated[str, Field(max_length=1000)]
    uuid: Annotated[str, Field(max_length=100)] | None = None
    free_bytes: Bytes
    size_bytes: Bytes
    direct: Direct
    alignment_bytes: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] | None = None
    is_root_fs: bool = False
    mount: str | None = None
    options: str | None = None
    kind: str | None = None
    device: str | None = None
    model: str | None = None
    rotational: bool | None = None
    device_bytes: Bytes | None = None
    scheduler: str | None = None
    read_ahead_bytes: Bytes | None = None
    write_cache: str | None = None


class TargetRefused(Problem):
    """Tests cannot write there."""

    status, title = 422, "The directory cannot be a target"
    codes = get_args(TargetCode)

    def __init__(self, code: TargetCode, error: FieldError) -> None:
        """Carry the probe's reason."""
        super().__init__(f"{error.field}: {error.message}", [error])
        self.code = code


class RootConsentRequired(Problem):
    """The directory is on the file system that the host itself needs."""

    status, code = 422, "root_fs_consent_required"
    title = "The directory is on the root file system"

    def __init__(self, path: str) -> None:
        """Say what is asked for."""
        message = f"{path} is on the host's root file system, which the host needs to run"
        remedy = "Choose another file system, or send root_consent: true to accept that."
        super().__init__(f"{message}. {remedy}", [FieldError("root_consent", message, remedy)])


class TargetChanged(Conflict):
    """Another file system is where the target was."""

    code, title = "target_changed", "Another file system is at this path now"

    def __init__(self, path: str, was: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """Show both file systems."""
        message = f"At {path} was {_name(was)}, now there is {_name(found)}"
        remedy = "Mount the old one again, or delete the target and register it anew."
        super().__init__(f"{message}. {remedy}", [FieldError("path", message, remedy, path)])
        self.was, self.found = dict(was), dict(found)

    @property
    def facts(self) -> dict[str, Any]:
        """Both file systems, for a program."""
        return {"was": self.was, "found": self.found}


def _name(identity: Mapping[str, Any]) -> str:
    return f"{identity['type']} on {identity['source']} ({identity['uuid'] or 'no UUID'})"


def identity(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What tells one file system from another."""
    return {name: facts.get(name) for name in ("type", "source", "uuid")}


def accept(path: str, facts: Mapping[str, Any], *, root_consent: bool) -> None:
    """Raise TargetRefused or RootConsentRequired unless tests may write at `path`."""
    problem: Mapping[str, Any] | None = facts.get("problem")
    if problem is not None:
        code, message, remedy = _PROBLEMS.get(
            problem["code"], ("unusable", problem["message"], "Choose another directory.")
        )
        raise TargetRefused(code, FieldError("path", message, remedy, path))
    try:
        Known.model_validate(facts)
    except ValidationError as error:
        message = f"cannot be judged: the host's answer has {from_pydantic(error.errors())[0]}"
        remedy = "Check the host, and try again; if it stays so, choose another directory."
        raise TargetRefused("not_judged", FieldError("path", message, remedy, path)) from None
    if facts.get("is_root_fs") and not root_consent:
        raise RootConsentRequired(path)


def notes(facts: Mapping[str, Any], cache_bytes: int | None, *, has_array: bool) -> list[str]:
    """What a result from there cannot prove, in sentences."""
    found: list[str] = []
    if what := UNPROVABLE_KINDS.get(facts.get("kind") or ""):
        found.append(f"This is {what}. Results cannot be proven to come from the storage.")
    match facts.get("direct"):
        case "refused":
            found.append("O_DIRECT is refused here: only tests with the page cache can run.")
        case "buffered":
            found.append("O_DIRECT is accepted here, then buffered: the page cache serves.")
        case "unprovable":
            found.append("Whether O_DIRECT is real here cannot be proven.")
        case _:
            pass
    if has_array and cache_bytes is None:
        found.append("The array's cache size is not known: results may be served by it.")
    return found
