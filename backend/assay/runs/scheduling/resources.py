"""Resources that only one run at a time may use, and the names of their reservations. Pure.

Two host entries are the same machine if machine-id and boot id are equal: a cloned disk image
copies a machine-id, but never the boot id of a running kernel. Two targets are on the same device
if their disks have the same worldwide identifier, or are the same disk of the same running kernel
(containers may have different machine-ids), or if both are on the same network file system.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from assay.tables.arrays import Array
from assay.tables.hosts import Host
from assay.tables.targets import Target


def host_resource(host_id: int) -> str:
    """Return the resource of a host entry."""
    return f"host:{host_id}"


def machine_resource(machine_id: str | None, boot_id: str | None) -> str | None:
    """Return the resource of a running machine; None if its identity is unknown."""
    return _named("machine", machine_id, boot_id) if machine_id and boot_id else None


def resources(
    host: Host, target: Target | None, array: Array | None, facts: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """Return the resources that a participant needs, with their display names.

    `facts` is the newest inspection of the target, if it is not stored yet.
    """
    needed = {host_resource(host.id): host.name}
    if machine := machine_resource(host.machine_id, host.boot_id):
        needed[machine] = f"the machine of {host.name}"
    if target is not None:
        found = target.facts if facts is None else facts
        for device, name in _devices(host, found):
            needed[device] = f"the {name} of {host.name}"
        if shared := shared_file_system(found.get("kind"), target.fs_source, target.fs_uuid):
            needed[_named("device", shared)] = f"the file system {shared}"
    if array is not None and array.shared:
        needed[f"array:{array.id}"] = array.name
    return needed


def file_systems(host: Host, target: Target) -> frozenset[str]:
    """Return names of a target's file system, whose free space all targets on it share.

    The same file system through another host entry has one of them: its device is the same there,
    or it is shared. Equal UUIDs on different devices are copies.
    """
    facts, uuid = target.facts, target.fs_uuid
    if shared := shared_file_system(facts.get("kind"), target.fs_source, uuid):
        return frozenset({_named("file_system", shared)})
    own = str(uuid or facts.get("mount"))
    found = {_named("file_system", str(host.id), target.fs_source, own)}
    if uuid:
        found |= {_named("file_system", device, uuid) for device, _ in _devices(host, facts)}
    return frozenset(found)


def _devices(host: Host, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    disks: list[dict[str, Any]] = facts.get("disks") or []
    for disk in disks:
        name = f"disk {disk['name']}"
        if disk["wwid"]:
            found.append((_named("device", disk["wwid"]), name))
        if host.boot_id:
            found.append((_named("device", host.boot_id, disk["name"]), name))
    return found


def shared_file_system(kind: str | None, source: str, uuid: str | None) -> str | None:
    """Return a name of a shared file system that is the same on every host; None if not shared.

    The source of a network file system names its server. Without a server (a device of a virtual
    machine), and on local disks, equal names or UUIDs on two hosts may belong to two copies.
    """
    match kind:
        case "parallel":
            return uuid or source
        case "network" if ":" in source or source.startswith("//"):
            return source
        case _:
            return None


def _named(kind: str, *identity: str) -> str:
    """Return a resource name with the hash of an identity of any length and content."""
    return f"{kind}:{sha256(chr(0).join(identity).encode()).hexdigest()[:32]}"
