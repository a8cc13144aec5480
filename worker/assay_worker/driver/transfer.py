"""How the ends of a transfer meet: the token that both have, and where one of them listens.

The listening probe reports its port; the driver passes it, with an address at which the other host
reaches it, to the other probe. No bulk data and no token crosses Assay after the start.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from assay.inventory.credentials.sealing import SealError, derived
from assay.kinds.registry import KINDS
from assay.kinds.transfer.fields import ip_version
from assay.runs.recording.spool_state import Listener
from assay.tables.database import reading
from assay.tables.runs import Trial
from sqlalchemy import select

from assay_worker.driver.job import Job
from assay_worker.driver.orders import ProgramEnd, Transfer
from assay_worker.driver.plan import group
from assay_worker.errors import CredentialMissingError, PeerAddressError
from assay_worker.hosts import LOCAL
from assay_worker.loop import in_thread

LOOPBACK = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}

_FAMILIES = {"ipv4": socket.AF_INET, "ipv6": socket.AF_INET6}


def token(job: Job) -> str:
    """Return the secret with which the ends of an exchange recognize each other: 64 hex digits.

    It is derived from the appliance's key, so that a worker that continues the start of a run gives
    a second probe the same token as the first one, and it is stored nowhere. Raises
    CredentialMissingError if there is no valid key.
    """
    try:
        return derived(f"assay transfer {group(job.run)} {exchange(job)}").hex()
    except SealError as error:
        raise CredentialMissingError(str(error)) from None


def exchange(job: Job) -> int:
    """Return which exchange of data of its run a participant belongs to."""
    return KINDS[job.run.kind].exchange(job.participant.position)


async def address(listening: Job, listener: Listener, other: Job) -> str:
    """Return the numeric address at which `other` reaches the end that listens.

    It is the address that the test binds the listener to, else the one by which Assay reaches its
    host; on one host, the loopback address. Raises PeerAddressError.
    """
    if listener.address is not None:
        return listener.address
    family = _family(listening)
    if listening.host.id == other.host.id or listening.host.connection == LOCAL == (
        other.host.connection
    ):
        return LOOPBACK[family]
    if listening.host.connection == LOCAL:
        return await asyncio.to_thread(_own_address, other.host.address or "", family)
    return await asyncio.to_thread(_resolved, listening.host.address or "", family)


async def by_program(
    source: Job, sink: Job, listeners: Sequence[Listener | None], attempt: tuple[int, int]
) -> Transfer:
    """Return the attempt of a trial whose data another program moves, with the ends' directories.

    Raises PeerAddressError.
    """
    parameters = source.run.parameters
    at_source, at_sink = (one or Listener(0, None) for one in listeners)
    own = (parameters["source_address"], parameters["sink_address"])
    source_address = await address(source, Listener(0, own[0]), sink)
    sink_address = await address(sink, Listener(0, own[1]), source)
    position, number = attempt
    trial = await in_thread(_parameters_of, source.run.id, position)
    kind = KINDS[source.run.kind]
    definition = kind.program(parameters, trial)
    assert definition  # noqa: S101 - only such trials await orders
    return Transfer(
        definition=definition,
        input=kind.program_input(trial),
        position=position,
        attempt=number,
        source=ProgramEnd(source.host, source_address, source.run_dir, at_source),
        sink=ProgramEnd(sink.host, sink_address, sink.run_dir, at_sink),
    )


def _parameters_of(run_id: int, position: int) -> Mapping[str, Any]:
    with reading() as session:
        chosen = select(Trial.parameters).where(Trial.run_id == run_id, Trial.position == position)
        return session.scalars(chosen).one()


def _family(job: Job) -> socket.AddressFamily:
    """Return the IP version of the run's connections."""
    return _FAMILIES[ip_version(job.run.parameters)]


def _resolved(name: str, family: socket.AddressFamily) -> str:
    try:
        found = socket.getaddrinfo(name, None, family, socket.SOCK_STREAM)
    except OSError as error:
        raise PeerAddressError(f"{name} has no {family.name[3:]} address: {error}") from None
    return str(ipaddress.ip_address(found[0][4][0]))


def _own_address(name: str, family: socket.AddressFamily) -> str:
    """Return the address of this machine from which packets to a host leave."""
    there = _resolved(name, family)
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probing:
            probing.connect((there, 9))  # sends nothing
            return str(probing.getsockname()[0])
    except OSError as error:
        raise PeerAddressError(f"no route to {there}: {error}") from None
