"""Hosts, targets, arrays and profiles: what can be requested of each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypedDict, TypeVar, Unpack

from pydantic import BaseModel

from assay.arrays.schemas import ArrayIn, ArrayOut
from assay.client.errors import ChangedError
from assay.client.transport import TIMEOUT_S, Body, Transport, parsed
from assay.history.schemas import ArrayHistory, DecidedMatch
from assay.hosts.schemas import HostIn, HostKeys, HostOut, HostState, InventoryHead, InventoryOut
from assay.kinds.registry import KindName
from assay.notes.schemas import NotesOut
from assay.profiles.schemas import ProfileIn, ProfileOut
from assay.targets.schemas import TargetIn, TargetOut

Out = TypeVar("Out", bound=BaseModel)
Key = TypeVar("Key", bound=int | str)

Reference = int | str
"""An id, or a name: `lab1`, or of a target `lab1/mnt/disk`."""

ATTEMPTS = 5
"""How often labels are merged anew because others changed the object in between."""

INSPECTION_S = 60.0
"""Longer than the server waits for the inspection of a directory."""


class HostFilter(TypedDict, total=False):
    """Which hosts a list has, and in which order."""

    host: str
    host_id: int
    state: HostState | Sequence[HostState]
    array: str
    array_id: int
    label: str | Sequence[str]
    q: str
    sort: str


class TargetFilter(TypedDict, total=False):
    """Which targets a list has, and in which order."""

    target: str
    target_id: int
    host: str
    host_id: int
    array: str
    array_id: int
    label: str | Sequence[str]
    q: str
    sort: str


class ArrayFilter(TypedDict, total=False):
    """Which arrays a list has, and in which order."""

    array: str
    array_id: int
    host: str
    host_id: int
    label: str | Sequence[str]
    q: str
    sort: str


class ProfileFilter(TypedDict, total=False):
    """Which profiles a list has, and in which order; with `slug`, all versions of that one."""

    profile: str
    slug: str
    kind: str | Sequence[str]
    builtin: bool
    q: str
    sort: str


class MatchFilter(TypedDict, total=False):
    """Of which hosts and arrays matches are."""

    host: str
    host_id: int
    array: str
    array_id: int


class HistoryFilter(TypedDict, total=False):
    """Which test the history of an array is about, and of how many runs, the newest."""

    profile: str
    kind: KindName
    title: str
    limit: int


def merged(labels: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return labels with changes; None removes one."""
    both = {**labels, **changes}
    return {key: value for key, value in both.items() if value is not None}


def relabel(api: Transport, path: str, changes: Mapping[str, str | None]) -> Any:
    """Set labels of the object at `path`, or remove those with None; return it.

    Labels that others change meanwhile stay as these set them.
    """
    for attempt in range(ATTEMPTS):
        found = api.get(path)
        body = {"labels": merged(found["labels"], changes)}
        try:
            return api.patch(path, body, etag=found["etag"])
        except ChangedError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


class Noun(Generic[Out]):
    """What the objects with a name have in common."""

    def __init__(self, api: Transport, noun: str, kind: type[Out]) -> None:
        """Use the list `noun`s of the API, whose items are of `kind`."""
        self._api, self._noun, self._path, self._kind = api, noun, f"/{noun}s", kind

    def get(self, which: Reference) -> Out:
        """Return the object with this id or name; raises NotFoundError, or InvalidError.

        InvalidError is raised for a name that means no or several objects, with the nearest names
        as its remedy.
        """
        if isinstance(which, int):
            return parsed(self._kind, self._api.get(f"{self._path}/{which}"))
        query: dict[str, Any] = {self._noun: which}
        (found,) = self._api.get(self._path, **query)["items"]
        return parsed(self._kind, found)

    def id_of(self, which: Reference) -> int:
        """Return the id of an object; raises InvalidError for a name, as `get` does."""
        if isinstance(which, int):
            return which
        query: dict[str, Any] = {self._noun: which, "fields": "id"}
        (found,) = self._api.get(self._path, **query)["items"]
        return found["id"]

    def delete(self, which: Reference, *, etag: str | None = None) -> None:
        """Delete the object; with `etag`, only if nobody changed it since."""
        self._api.delete(self._of(which), etag=etag)

    def _all(self, most: int | None, where: Mapping[str, object]) -> Iterator[Out]:
        return self._api.items(self._kind, self._path, most=most, **where)

    def _of(self, which: Reference) -> str:
        """Return the path of an object."""
        return f"{self._path}/{self.id_of(which)}"


class Editable(Noun[Out]):
    """What hosts, targets and arrays have in common."""

    def change(self, which: Reference, changes: Body, *, etag: str | None = None) -> Out:
        """Change fields; omitted ones stay. With `etag`, raise ChangedError if others changed it.

        `labels` replaces all labels; `label` changes some.
        """
        return parsed(self._kind, self._api.patch(self._of(which), changes, etag=etag))

    def label(self, which: Reference, changes: Mapping[str, str | None]) -> Out:
        """Set labels, or remove those with None; others stay, also if they change meanwhile."""
        return parsed(self._kind, relabel(self._api, self._of(which), changes))

    def decide(self, which: Reference, earlier_id: int, *, same: bool) -> DecidedMatch:
        """Decide on a match; if both are the `same`, runs of the deleted one become the other's."""
        path = f"{self._of(which)}/matches/{earlier_id}"
        return parsed(DecidedMatch, self._api.put(path, {"same": same}))

    def undo_decision(self, which: Reference, earlier_id: int) -> None:
        """Undo the decision on a match: its runs belong to the deleted one again."""
        self._api.delete(f"{self._of(which)}/matches/{earlier_id}")


class Annotatable(Generic[Key]):
    """What has notes: campaigns and runs by id, and arrays."""

    _api: Transport

    def _of(self, which: Key) -> str:
        """Return the path of an object."""
        raise NotImplementedError

    def notes(self, which: Key) -> NotesOut:
        """Return the notes on an object; their text is empty if there are none."""
        return parsed(NotesOut, self._api.get(f"{self._of(which)}/notes"))

    def write_notes(self, which: Key, text: str) -> NotesOut:
        """Replace the notes with a text in Markdown; an empty one removes them."""
        return parsed(NotesOut, self._api.put(f"{self._of(which)}/notes", {"text": text}))


class Hosts(Editable[HostOut]):
    """The hosts that Assay reaches."""

    def list(self, *, most: int | None = None, **where: Unpack[HostFilter]) -> Iterator[HostOut]:
        """Yield the hosts that match all filters, newest first unless `sort` says otherwise."""
        return self._all(most, where)

    def register(
        self,
        host: HostIn | Mapping[str, object],
        *,
        wait_s: float = 0.0,
        key: str | None = None,
    ) -> HostOut:
        """Register a host. `key` is its idempotency key.

        With `wait_s` (up to 45), its first check starts, and the host is returned when it ends, or
        after that time: see `check` of the host. Without, check it next.
        """
        timeout_s = wait_s + TIMEOUT_S
        made = self._api.post(self._path, host, key=key, timeout_s=timeout_s, wait=wait_s)
        return parsed(HostOut, made)

    def check(self, which: Reference, *, wait_s: float = 60.0) -> HostOut:
        """Check a host, and return it when the check ends, or after `wait_s` (up to 600).

        The check fetches the host key and, if that is approved, logs in and takes the inventory:
        see `state` and `check` of the host.
        """
        path = f"{self._of(which)}/check"
        return parsed(HostOut, self._api.post(path, timeout_s=wait_s + TIMEOUT_S, wait=wait_s))

    def keys(self, which: Reference) -> HostKeys:
        """Return the approved key, and another one that the host offered, if any."""
        return parsed(HostKeys, self._api.get(f"{self._of(which)}/host-key"))

    def approve(self, which: Reference, fingerprint: str) -> HostKeys:
        """Approve the key with this fingerprint, which you verified; then check the host again."""
        body = {"fingerprint": fingerprint}
        return parsed(HostKeys, self._api.post(f"{self._of(which)}/host-key", body))

    def inventory(self, which: Reference) -> InventoryOut:
        """Return the newest inventory of a host; raises NotFoundError before the first."""
        return parsed(InventoryOut, self._api.get(f"{self._of(which)}/inventory"))

    def inventories(
        self, which: Reference, *, most: int | None = None, sort: str | None = None
    ) -> Iterator[InventoryHead]:
        """Yield the inventories of a host without their documents, newest first."""
        path = f"{self._of(which)}/inventories"
        return self._api.items(InventoryHead, path, most=most, sort=sort)


class Targets(Editable[TargetOut]):
    """The directories where tests may write."""

    def list(
        self, *, most: int | None = None, **where: Unpack[TargetFilter]
    ) -> Iterator[TargetOut]:
        """Yield the targets that match all filters, newest first unless `sort` says otherwise."""
        return self._all(most, where)

    def register(
        self, target: TargetIn | Mapping[str, object], *, key: str | None = None
    ) -> TargetOut:
        """Register a directory of a host, once a worker has inspected it."""
        return parsed(TargetOut, self._api.post(self._path, target, INSPECTION_S, key=key))

    def check(self, which: Reference) -> TargetOut:
        """Inspect the directory again: free space, device, and whether it is the same."""
        path = f"{self._of(which)}/check"
        return parsed(TargetOut, self._api.post(path, timeout_s=INSPECTION_S))


class Arrays(Editable[ArrayOut], Annotatable[Reference]):
    """The storage systems under test."""

    def list(self, *, most: int | None = None, **where: Unpack[ArrayFilter]) -> Iterator[ArrayOut]:
        """Yield the arrays that match all filters, newest first unless `sort` says otherwise."""
        return self._all(most, where)

    def create(self, array: ArrayIn | Mapping[str, object], *, key: str | None = None) -> ArrayOut:
        """Add an array; targets are assigned to it."""
        return parsed(ArrayOut, self._api.post(self._path, array, key=key))

    def history(self, which: Reference, **where: Unpack[HistoryFilter]) -> ArrayHistory:
        """Return a figure of an array over time, by default of its most measured test."""
        return parsed(ArrayHistory, self._api.get(f"{self._of(which)}/history", **where))


class Profiles(Noun[ProfileOut]):
    """Named lists of tests; a change makes a new version."""

    def list(
        self, *, most: int | None = None, **where: Unpack[ProfileFilter]
    ) -> Iterator[ProfileOut]:
        """Yield the newest version of each profile that matches all filters, the oldest first."""
        return self._all(most, where)

    def create(
        self, profile: ProfileIn | Mapping[str, object], *, key: str | None = None
    ) -> ProfileOut:
        """Create version 1 of a profile."""
        return parsed(ProfileOut, self._api.post(self._path, profile, key=key))

    def replace(
        self,
        which: Reference,
        profile: ProfileIn | Mapping[str, object],
        *,
        etag: str | None = None,
    ) -> ProfileOut:
        """Create the next version of a profile; campaigns keep theirs."""
        return parsed(ProfileOut, self._api.put(self._of(which), profile, etag=etag))

    def copy(self, which: Reference, name: str, *, key: str | None = None) -> ProfileOut:
        """Copy a profile, such as a built-in one, under another name."""
        return parsed(
            ProfileOut, self._api.post(f"{self._of(which)}/copy", {"name": name}, key=key)
        )
