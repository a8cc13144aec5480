"""Acceptance of targets: may tests write there, and what can results not prove?"""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.base.errors import Conflict, Problem
from assay.base.field_errors import FieldError, from_pydantic
from assay.base.field_types import LARGEST_INTEGER
from assay.base.host_field_types import Bytes
from assay.inventory.codes import TargetCode
from assay.inventory.targets.schemas import Direct

# by the probe's problem code: API code, reason and remedy
_PROBLEMS: dict[str, tuple[TargetCode, str, str]] = {
    "missing": ("path_missing", "does not exist on the host", "Create the directory first."),
    "not_directory": ("not_directory", "is not a directory", "Use a directory."),
    "not_writable": (
        "not_writable",
        "is not writable for the login user",
        "Grant that user write permission, or use another directory.",
    ),
    "symlink_other_fs": (
        "symlink_other_fs",
        "is a symbolic link into another file system",
        "Use the path that it points to, so that it is clear what is measured.",
    ),
    "block_device": (
        "block_device",
        "is a block device; Assay never writes to one",
        "Use a directory on a file system of that device.",
    ),
    "read_only": (
        "read_only",
        "is on a file system that is mounted read-only",
        "Mount it read-write, or use another directory.",
    ),
}

UNPROVABLE_KINDS = {
    "network": "a network file system: the cache of its server cannot be observed",
    "parallel": "a parallel file system: the caches of its servers cannot be observed",
    "zfs": "ZFS: its cache (ARC) cannot be distinguished from its disks",
    "memory": "a file system in memory: no data reaches a disk",
    "overlay": "an overlay: its underlying device is unknown",
}
"""Kinds of file system on which results cannot be attributed to the storage, and why."""


class DirectoryFacts(BaseModel):
    """Required facts about a directory without a problem, with the lengths that can be stored.

    Workers and the API reject a response that does not match.
    """

    model_config = ConfigDict(strict=True)

    type: Annotated[str, Field(max_length=60)]
    source: Annotated[str, Field(max_length=1000)]
    uuid: Annotated[str, Field(max_length=100)] | None = None
    free_bytes: Bytes
    size_bytes: Bytes
    free_inodes: Bytes | None = None
    direct: Direct
    alignment_bytes: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] | None = None
    is_root_fs: bool | None = False
    root_fs_through: Annotated[str, Field(max_length=4096)] | None = None
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


APPLIANCE_DIRECTORY: Mapping[str, Any] = {"code": "appliance_directory", "message": ""}
"""The problem of a directory with Assay's own files, which Assay adds to the probe's facts."""


class TargetRefused(Problem):
    """Tests cannot write to the directory."""

    status, title = 422, "The directory cannot be a target"
    codes = get_args(TargetCode)

    def __init__(self, code: TargetCode, error: FieldError) -> None:
        """Use the probe's reason; the error's value is the directory."""
        super().__init__(errors=[error])
        self.code = code


class RootConsentRequired(Problem):
    """What is written to the directory is, or may be, on the host's root file system."""

    status, code = 422, "root_fs_consent_required"
    title = "The root file system may receive the writes"

    def __init__(self, path: str, facts: Mapping[str, Any]) -> None:
        """Say how the writes get there, and ask for consent."""
        message = f"{_writes(path, facts)}, which the host needs to run"
        remedy = "Use another file system, or set it to accept the risk."
        super().__init__(errors=[FieldError("root_consent", message, remedy)])


def _writes(path: str, facts: Mapping[str, Any]) -> str:
    root, through = "the host's root file system", facts.get("root_fs_through")
    if facts["is_root_fs"] is None:
        return f"{path} stores its data by way of {through or path}, which may be on {root}"
    return f"{path} stores its data in {through} on {root}" if through else f"{path} is on {root}"


class TargetChanged(Conflict):
    """A different file system is mounted at the target's path."""

    code, title = "target_changed", "Another file system is at this path now"

    def __init__(self, path: str, was: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """Show both file systems."""
        message = f"{path} was on {_name(was)} and is now on {_name(found)}"
        remedy = "Mount the previous one again, or delete the target and register it again."
        super().__init__(errors=[FieldError("path", message, remedy, path)])
        self.was, self.found = dict(was), dict(found)

    @property
    def facts(self) -> dict[str, Any]:
        """Both file systems, in machine-readable form."""
        return {"was": self.was, "found": self.found}


def _name(identity: Mapping[str, Any]) -> str:
    return f"{identity['type']} on {identity['source']} ({identity['uuid'] or 'no UUID'})"


def identity(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that identify a file system."""
    return {name: facts.get(name) for name in ("type", "source", "uuid")}


def accept(path: str, facts: Mapping[str, Any], *, root_consent: bool) -> None:
    """Raise TargetRefused or RootConsentRequired unless tests may write to `path`."""
    problem: Mapping[str, Any] | None = facts.get("problem")
    if problem == APPLIANCE_DIRECTORY:
        message = "is where Assay keeps its state or runs from, so that tests could destroy it"
        remedy = "Use a directory outside of ASSAY_HOME and of Assay's programs."
        raise TargetRefused("appliance_directory", FieldError("path", message, remedy, path))
    if problem is not None:
        code, message, remedy = _PROBLEMS.get(
            problem["code"], ("unusable", problem["message"], "Use another directory.")
        )
        raise TargetRefused(code, FieldError("path", message, remedy, path))
    try:
        DirectoryFacts.model_validate(facts)
    except ValidationError as error:
        message = (
            f"cannot be checked: invalid response from the host, {from_pydantic(error.errors())[0]}"
        )
        remedy = "Check the host and try again; if the problem persists, use another directory."
        raise TargetRefused("not_judged", FieldError("path", message, remedy, path)) from None
    if facts.get("is_root_fs", False) is not False and not root_consent:
        raise RootConsentRequired(path, facts)


def notes(facts: Mapping[str, Any], cache_bytes: int | None, *, has_array: bool) -> list[str]:
    """Return what results from there cannot prove, in sentences."""
    found: list[str] = []
    if what := UNPROVABLE_KINDS.get(facts.get("kind") or ""):
        found.append(f"This is {what}. Results cannot be attributed to the storage.")
    match facts.get("direct"):
        case "refused":
            found.append("O_DIRECT is not supported here: only tests with the page cache can run.")
        case "buffered":
            found.append("O_DIRECT is accepted here but buffered: the page cache serves the I/O.")
        case "unprovable":
            found.append("O_DIRECT cannot be verified here.")
        case _:
            pass
    if has_array and cache_bytes is None:
        found.append("The array's cache size is unknown: its cache may serve the I/O.")
    return found
