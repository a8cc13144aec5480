"""The plan of a records test: from senders, which are the memory of hosts, to one sink.

The plan of a pair has its sender and the receiver. `joined` makes one run of all pairs: all senders
in order, and one receiver.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.base.field_errors import FieldError
from assay.base.words import size as bytes_in_words
from assay.kinds.passes import PlannedCells
from assay.kinds.planning import (
    LENGTH_UNKNOWN,
    Caution,
    FieldName,
    Place,
    PlannedRun,
    SizingRate,
    length_unknown,
)
from assay.kinds.records.parameters import MOST_SENDERS, RecordsParameters, RecordsTest, Sink
from assay.kinds.transfer.planned import RECEIVER, SENDER, on_one_host, unprovable, with_ip_version

CAUTIONS = frozenset(
    {
        "transfer_on_one_host",
        "fits_in_memory",
        "served_by_unknown",
        LENGTH_UNKNOWN,
    }
)
"""The codes of the warnings."""

DISK_FIELDS = ("sync_ms", "sync_bytes")
"""The parameters that only a file has."""

LINE = len('{"sender":,"record":""}\n')
"""What a line of JSON has beside its sender and its record, as the probe writes it."""

ESCAPED = len(r"\u00ff")
"""The longest form of a byte in JSON. Of longer records than one byte, all are printable."""

NEWLINE_FROM = 10
"""Records of so many bytes or more end with a newline, which a line of JSON does not repeat."""


@dataclass(frozen=True)
class PlannedRecords(PlannedCells):
    """One end of a records test; `file_size` is the expected size of its largest file in bytes."""

    test: RecordsTest
    planned_cells: tuple[RecordsParameters, ...]
    end: str
    senders: tuple[Place, ...]
    sink: Place

    @property
    def participants(self) -> list["PlannedRecords"]:
        """All senders in order, then the receiver."""
        ends = [replace(self, end=SENDER, place=place) for place in self.senders]
        return [*ends, replace(self, end=RECEIVER, place=self.sink)]

    @property
    def role(self) -> str:
        """Whether it is a sender or the receiver."""
        return self.end

    @property
    def medium(self) -> Sink:
        """Whether the records go to a file or to memory."""
        return "memory" if self.sink.is_memory else "disk"

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved values, and those as requested."""
        return {
            **self.test.model_dump(mode="json"),
            "senders": len(self.senders),
            "medium": self.medium,
        }

    @property
    def file_size_asked(self) -> int:
        """Length of the window, which decides the size of the file."""
        return self.test.window_ms

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space is needed."""
        return "window_ms"

    @property
    def less_space(self) -> str:
        """What would need less space."""
        pace = "a lower rate" if self.test.rate_records_per_s else "a rate"
        return f"a shorter window or {pace}"

    @property
    def prepared_bytes(self) -> int:
        """Nothing is written before a trial."""
        return 0

    @property
    def bytes_written(self) -> int:
        """Expected bytes of all files: at the offered or at the highest known rate."""
        if self.role == SENDER:
            return 0
        return self.test.repeats * sum(map(self.expected_bytes, self.planned_cells))

    def expected_bytes(self, cell: RecordsParameters) -> int:
        """Return how many bytes a trial writes: exactly if it is paced, else by `sizing_rate`."""
        if self.sink.is_memory:
            return 0
        rate = self.sizing_rate
        return round(self.trial_s * rate.bytes_per_s) if rate else cell.file_bytes

    @property
    def sizing_rate(self) -> SizingRate | None:
        """The rate at which the size of the file is estimated; None if the records have a rate."""
        if self.sink.is_memory or self.test.rate_records_per_s:
            return None
        return SizingRate(self.sink.best_write_bytes_per_s)

    @property
    def peak_bytes(self) -> int:
        """Expected size of the largest file."""
        return 0 if self.role == SENDER else self.file_size

    @property
    def trial_s(self) -> float:
        """Duration of a trial with its warm-up, without the final sync."""
        return (self.test.warm_up_ms + self.test.window_ms) / 1000

    @property
    def shortest_s(self) -> float:
        """All trials without their final syncs; a full file may end one earlier."""
        return self.trials * self.trial_s

    @property
    def longest_s(self) -> float:
        """As `shortest_s`: a duration ends each trial."""
        return self.shortest_s

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results, at the receiver."""
        if self.role == RECEIVER:
            yield from _cautions(self)


def plan(
    number: int, test: RecordsTest, source: Place, sink: Place, name: FieldName
) -> tuple[PlannedRecords | None, list[FieldError]]:
    """Plan the campaign's test `number` for one sender, or return None with the problems."""
    test = with_ip_version(test, sink, source)
    if test.sink == "memory":
        sink = _memory_of(sink)
    problems = [*_unfit_source(number, source, name), *_unfit_for_memory(number, test, sink, name)]
    return (None, problems) if problems else (_planned(number, test, (source,), sink), [])


def joined(planned: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Return the participants of one run: the sender of each pair, and the receiver of all."""
    pairs = [one for one in planned if isinstance(one, PlannedRecords)]
    senders = tuple(place for pair in pairs for place in pair.senders)
    first = pairs[0]
    return list(_planned(first.number, first.test, senders, first.sink).participants)


def _planned(
    number: int, test: RecordsTest, senders: tuple[Place, ...], sink: Place
) -> PlannedRecords:
    cells = tuple(
        RecordsParameters(
            kind="records",
            record_bytes=length,
            duration_ms=test.warm_up_ms + test.window_ms,
            file_bytes=0 if sink.is_memory else _paced_bytes(test, length, len(senders)),
        )
        for length in test.record_bytes
    )
    planned = PlannedRecords(senders[0], number, 0, test, cells, SENDER, senders, sink)
    return replace(planned, file_size=max(map(planned.expected_bytes, cells)))


def _paced_bytes(test: RecordsTest, length: int, senders: int) -> int:
    """Return the size of the file of records that come at a rate; 0 without one."""
    line = line_bytes(length, senders) if test.format == "json" else length
    milliseconds = test.warm_up_ms + test.window_ms
    return -(-senders * test.rate_records_per_s * line * milliseconds // 1000)


def line_bytes(length: int, senders: int) -> int:
    """Return the bytes of the longest line of JSON with a record of this length."""
    record = ESCAPED if length == 1 else length - (length >= NEWLINE_FROM)
    return LINE + len(str(senders - 1)) + record


def refused_of_several(planned: Sequence[PlannedRun], *, at_once: bool) -> Iterator[FieldError]:
    """Yield why the records of these pairs cannot go to one receiver; each may have its own run."""
    if not at_once:
        return
    pairs = [one for one in planned if isinstance(one, PlannedRecords)]
    sinks = {(pair.sink.target_id, pair.sink.host_id) for pair in pairs}
    if len(sinks) > 1:
        message = f"has {len(sinks)}, but all records of a test go to one sink"
        yield FieldError("sinks", message, "Select one sink, or launch a campaign for each.")
    if len(pairs) > MOST_SENDERS:
        message = f"has {len(pairs)}; one receiver takes the records of {MOST_SENDERS} senders"
        yield FieldError("sources", message, f"Select at most {MOST_SENDERS} sources.")


def _memory_of(place: Place) -> Place:
    """Return the memory of a target's host."""
    shared = ("device:", "array:")
    return Place(
        target_id=None,
        host_id=place.host_id,
        host_name=place.host_name,
        path=None,
        fs_type="memory",
        provable=True,
        free_bytes=0,
        free_at=None,
        reserve_bytes=0,
        ram=place.ram,
        cpus=place.cpus,
        direct="refused",
        alignment=None,
        needs={name: said for name, said in place.needs.items() if not name.startswith(shared)},
        ip_version=place.ip_version,
    )


def _unfit_source(number: int, source: Place, name: FieldName) -> Iterator[FieldError]:
    """Yield that a source is a target: records are generated in memory."""
    if not source.is_memory:
        message = f"is {source.name}, but records come from the memory of a host"
        yield FieldError(name(number, "source"), message, f"Select the host {source.host_name}.")


def _unfit_for_memory(
    number: int, test: RecordsTest, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the parameters that need a file, if the sink is memory."""
    if not sink.is_memory:
        return
    if test.acknowledge == "synced":
        message = f'is "synced", but the sink is the {sink.name}'
        remedy = 'Use "written", or select a target as sink.'
        yield FieldError(name(number, "acknowledge"), message, remedy, test.acknowledge)
    for field in DISK_FIELDS:
        if value := getattr(test, field):
            message = f"is {value}, but the sink is the {sink.name}"
            remedy = "Use 0, or select a target as sink."
            yield FieldError(name(number, field), message, remedy, value)


def _cautions(run: PlannedRecords) -> Iterator[Caution]:
    sink = run.sink
    if any(one.machine == sink.machine for one in run.senders):
        yield on_one_host(sink, "A sender and the sink", "these records use")
    if sink.is_memory:
        return
    if rate := run.sizing_rate:
        yield length_unknown(run, rate, "a rate")
    if sink.ram and run.file_size < sink.ram:
        yield sink.caution(
            "fits_in_memory",
            f"{run.title} may write less to ",
            f" in a trial than the memory of "
            f"{sink.host_name} holds ({bytes_in_words(sink.ram)}): its page cache may take in all "
            "records.",
        )
    if not sink.provable:
        yield unprovable(sink, "reached")
