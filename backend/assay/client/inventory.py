"""Hosts, targets, arrays, profiles and tools: what campaigns are launched on, and with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict, Unpack

from assay.base import nouns
from assay.client.resources import (
    Annotatable,
    Creatable,
    Deletable,
    Equipment,
    NameFilter,
    PlaceFilter,
    Reference,
    Replaceable,
)
from assay.client.transport import TIMEOUT_S, parsed
from assay.history.schemas import ArrayHistory
from assay.inventory.arrays.schemas import ArrayChange, ArrayIn, ArrayOut
from assay.inventory.hosts.schemas import (
    HostChange,
    HostIn,
    HostKeys,
    HostOut,
    HostState,
    InventoryHead,
    InventoryOut,
)
from assay.inventory.targets.schemas import TargetChange, TargetIn, TargetOut
from assay.kinds.programs import ToolDefinition
from assay.kinds.registry import KindName
from assay.runs.profiles.schemas import ProfileIn, ProfileOut
from assay.runs.tools.schemas import ToolCheckIn, ToolCheckOut, ToolOut

INSPECTION_S = 60.0
"""Longer than the server waits for the inspection of a directory."""


class HostFilter(PlaceFilter, total=False):
    """Which hosts a list has, and in which order."""

    state: HostState | Sequence[HostState]


class TargetFilter(PlaceFilter, total=False):
    """Which targets a list has, and in which order."""

    target: str
    target_id: int


class ProfileFilter(NameFilter, total=False):
    """Which profiles a list has, and in which order; with `slug`, all versions of that one."""

    profile: str
    slug: str
    kind: str | Sequence[str]
    builtin: bool


class HistoryFilter(TypedDict, total=False):
    """Which test the history of an array is about, and of how many runs, the newest."""

    profile: str
    kind: KindName
    title: str
    limit: int


class Hosts(Equipment[HostOut, HostChange]):
    """The hosts that Assay reaches."""

    noun, _kind = nouns.HOST, HostOut

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
        path = f"{self.path_of(which)}/check"
        return parsed(HostOut, self._api.post(path, timeout_s=wait_s + TIMEOUT_S, wait=wait_s))

    def keys(self, which: Reference) -> HostKeys:
        """Return the approved key, and another one that the host offered, if any."""
        return parsed(HostKeys, self._api.get(f"{self.path_of(which)}/host-key"))

    def approve(self, which: Reference, fingerprint: str) -> HostKeys:
        """Approve the key with this fingerprint, which you verified; then check the host again."""
        body = {"fingerprint": fingerprint}
        return parsed(HostKeys, self._api.post(f"{self.path_of(which)}/host-key", body))

    def inventory(self, which: Reference) -> InventoryOut:
        """Return the newest inventory of a host; raises NotFoundError before the first."""
        return parsed(InventoryOut, self._api.get(f"{self.path_of(which)}/inventory"))

    def inventories(
        self, which: Reference, *, most: int | None = None, sort: str | None = None
    ) -> Iterator[InventoryHead]:
        """Yield the inventories of a host without their documents, newest first."""
        path = f"{self.path_of(which)}/inventories"
        return self._api.items(InventoryHead, path, most=most, sort=sort)


class Targets(Equipment[TargetOut, TargetChange]):
    """The directories where tests may write."""

    noun, _kind = nouns.TARGET, TargetOut

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
        path = f"{self.path_of(which)}/check"
        return parsed(TargetOut, self._api.post(path, timeout_s=INSPECTION_S))


class Arrays(
    Creatable[Reference, ArrayOut, ArrayIn, ArrayOut],
    Annotatable[Reference, ArrayOut],
    Equipment[ArrayOut, ArrayChange],
):
    """The storage systems under test; targets are assigned to them."""

    noun, _kind, _made = nouns.ARRAY, ArrayOut, ArrayOut

    def list(self, *, most: int | None = None, **where: Unpack[PlaceFilter]) -> Iterator[ArrayOut]:
        """Yield the arrays that match all filters, newest first unless `sort` says otherwise."""
        return self._all(most, where)

    def history(self, which: Reference, **where: Unpack[HistoryFilter]) -> ArrayHistory:
        """Return a figure of an array over time, by default of its most measured test."""
        return parsed(ArrayHistory, self._api.get(f"{self.path_of(which)}/history", **where))


class Profiles(
    Creatable[Reference, ProfileOut, ProfileIn, ProfileOut],
    Replaceable[Reference, ProfileOut, ProfileIn],
    Deletable[Reference, ProfileOut],
):
    """Named lists of tests; a change makes a new version."""

    noun, _kind, _made = nouns.PROFILE, ProfileOut, ProfileOut

    def list(
        self, *, most: int | None = None, **where: Unpack[ProfileFilter]
    ) -> Iterator[ProfileOut]:
        """Yield the newest version of each profile that matches all filters, the oldest first."""
        return self._all(most, where)

    def copy(self, which: Reference, name: str, *, key: str | None = None) -> ProfileOut:
        """Copy a profile, such as a built-in one, under another name."""
        path = f"{self.path_of(which)}/copy"
        return parsed(ProfileOut, self._api.post(path, {"name": name}, key=key))


class Tools(
    Creatable[Reference, ToolOut, ToolDefinition, ToolOut],
    Replaceable[Reference, ToolOut, ToolDefinition],
    Deletable[Reference, ToolOut],
):
    """The programs that tests of transfers may use."""

    noun, _kind, _made = nouns.TOOL, ToolOut, ToolOut

    def list(self, *, most: int | None = None, **where: Unpack[NameFilter]) -> Iterator[ToolOut]:
        """Yield the tools that match all filters, the oldest first unless `sort` differs."""
        return self._all(most, where)

    def check(
        self,
        which: Reference,
        hosts: ToolCheckIn | Mapping[str, object],
        *,
        wait_s: float = 0.0,
    ) -> ToolCheckOut:
        """Check whether two hosts have what a tool needs; wait up to `wait_s` (600) for the end."""
        path, timeout_s = f"{self.path_of(which)}/check", wait_s + TIMEOUT_S
        return parsed(ToolCheckOut, self._api.post(path, hosts, timeout_s, wait=wait_s))
