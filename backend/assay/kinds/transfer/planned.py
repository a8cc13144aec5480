"""Planned runs that move data from a source to a sink: their ends, length, and warnings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeVar

from assay.base.field_errors import FieldError
from assay.kinds.expressions import ExpressionError, evaluate
from assay.kinds.fields import LARGEST_FILE
from assay.kinds.kind import BaseTest
from assay.kinds.passes import PlannedCells, RepeatedTest
from assay.kinds.planning import ASSUMED_BYTES_PER_S, Caution, FieldName, Place, free_for_each

SENDER, RECEIVER = "sender", "receiver"

Connecting = TypeVar("Connecting", bound=BaseTest)


def with_ip_version(test: Connecting, listening: Place, other: Place) -> Connecting:
    """Return a test with the IP version of its hosts' addresses, if it leaves that open.

    Without an address of its own, it connects to the one by which Assay reaches the listening host;
    if that is this machine, to the one from which Assay reaches the other.
    """
    asked = test.model_dump(include={"family", "source_address", "sink_address"})
    if asked.pop("family") != "any" or any(asked.values()):
        return test
    version = listening.ip_version or other.ip_version
    return test.model_copy(update={"family": version}) if version == "ipv6" else test


class TransferTest(RepeatedTest, Protocol):
    """The fields that every test of a transfer from a disk or to one has."""

    length: int | str


@dataclass(frozen=True)
class PlannedTransfer(PlannedCells):
    """One end of a transfer: the sender is at the source, the receiver at the sink."""

    test: TransferTest
    end: str
    source: Place
    sink: Place

    @property
    def participants(self) -> Sequence[Self]:
        """The sender and the receiver."""
        return [self, replace(self, end=RECEIVER, place=self.sink)]

    @property
    def role(self) -> str:
        """Whether it is the sender or the receiver."""
        return self.end

    @property
    def file_size_asked(self) -> int | str:
        """Length in the test, which may be an expression."""
        return self.test.length

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space is needed."""
        return "length"


def length_of(
    number: int,
    asked: int | str,
    ends: tuple[Sequence[Place], Sequence[Place]],
    name: FieldName,
    least: int = 1,
) -> tuple[int, list[FieldError]]:
    """Return the bytes of a trial between these sources and sinks, or the problems of `length`."""
    try:
        length = asked if isinstance(asked, int) else evaluate(asked, known_names(*ends))
    except ExpressionError as error:
        remedy = 'Write it like "min(10 GB, free / 10)", or check both hosts again.'
        return 0, [FieldError(name(number, "length"), str(error), remedy, asked)]
    if not least <= length <= LARGEST_FILE:
        message = f"is {length} bytes; it must be from {least} to 2^62 bytes"
        return 0, [FieldError(name(number, "length"), message, "Use a size in bytes.", asked)]
    return length, []


def known_names(sources: Sequence[Place], sinks: Sequence[Place]) -> dict[str, int]:
    """Return the names in an expression of the length, as far as they are known.

    `ram` is the largest memory, and the others are those of the end that has least: a length that
    fits all. All files that exist on a file system at once have equal parts of its free space.
    """
    ends = [*sources, *sinks]
    rates = [
        *(one.best_read_bytes_per_s for one in sources),
        *(one.best_durable_bytes_per_s for one in sinks),
    ]
    known = {
        "ram": max((one.ram for one in ends if one.ram), default=None),
        "free": free_for_each(ends),
        "cpus": min((one.cpus for one in ends if one.cpus), default=None),
        "rate": round(min((one for one in rates if one), default=ASSUMED_BYTES_PER_S)),
    }
    return {name: value for name, value in known.items() if value is not None}


def on_one_host(
    host: Place, ends: str = "Source and sink", moves: str = "the transfer uses"
) -> Caution:
    """Return that both ends are on one host, and what this means."""
    said = (
        f"{ends} are both on {host.host_name}: {moves} the loopback interface and no network card, "
        "and both ends share the CPUs."
    )
    return Caution("transfer_on_one_host", said)


def unprovable(place: Place, moved: str = "came from") -> Caution:
    """Return that nothing shows whether a place's storage had the data."""
    said = f" is {place.fs_type}: nothing on the host shows whether data {moved} the storage."
    return place.caution("served_by_unknown", "", said)
