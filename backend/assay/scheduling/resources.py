"""Resources: what one run at a time may use, by the names under which it is reserved. Pure.

Two host entries are one machine when both machine-id and boot id agree: a cloned disk image
copies a machine-id, but never the boot id of a running kernel. Two targets are on one device when
a disk below them has the same worldwide identifier, or is the same disk of the same running
kernel (containers have machine-ids of their own), or when both name the same network file system.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from assay.arrays.models import Array
from assay.hosts.models import Host
from assay.targets.models import Target


def host_resource(host_id: int) -> str:
    """The reservation of a host entry."""
    return f"host:{host_id}"


def machine_resource(machine_id: str | None, boot_id: str | None) -> str | None:
    """The reservation of a running machine; None where it is not known which one it is."""
    return _named("machine", machine_id, boot_id) if machine_id and boot_id else None


def resources(
    host: Host, target: Target | None, array: Array | None, facts: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """All that a participant needs, each with what people call it.

    `facts` is what was found at the target just now, where that is newer than the target's own.
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
    """What names a file system on every host that reaches it, if other hosts do.

    The source of a network file system names its server; where it does not (a device of a virtual
    machine), and on local disks, the same name or UUID on two hosts may be that of two copies.
    """
    match kind:
        case "parallel":
            return uuid or source
        case "network" if ":" in source or source.startswith("//"):
            return source
        case _:
            return None


def _named(kind: str, *identity: str) -> str:
    """Identities are longer than a key may be, and may hold anything."""
    return f"{kind}:{sha256(chr(0).join(identity).encode()).hexdigest()[:32]}"
