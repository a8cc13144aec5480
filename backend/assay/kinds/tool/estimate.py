"""The plan of a tool test from a source to a sink: cells, bytes, durations and problems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.base.field_errors import FieldError
from assay.base.words import size as bytes_in_words
from assay.kinds.planning import (
    FASTEST_BYTES_PER_S,
    Caution,
    FieldName,
    Place,
)
from assay.kinds.programs import ToolDefinition
from assay.kinds.tool.parameters import MOST_RECORDS, ToolParameters, ToolTest
from assay.kinds.transfer.planned import (
    SENDER,
    PlannedTransfer,
    length_of,
    on_one_host,
    unprovable,
    with_ip_version,
)

CAUTIONS = frozenset({"transfer_on_one_host", "fits_in_memory", "served_by_unknown", "not_checked"})
"""The codes of the warnings."""


@dataclass(frozen=True)
class PlannedTool(PlannedTransfer):
    """One end of a tool test; `file_size` is the length of the input, in bytes."""

    test: ToolTest
    planned_cells: tuple[ToolParameters, ...]
    definitions: tuple[ToolDefinition, ...]

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved values, and the commands of its tools."""
        return {
            **self.test.model_dump(mode="json"),
            "length": self.file_size,
            "length_asked": self.test.length,
            "definitions": [one.model_dump(mode="json") for one in self.definitions],
        }

    @property
    def _input_bytes(self) -> int:
        return self.test.repeats * sum(cell.length_bytes for cell in self.planned_cells)

    @property
    def prepared_bytes(self) -> int:
        """Bytes of the input, which is written before each trial."""
        return self._input_bytes if self.role == SENDER else 0

    @property
    def bytes_written(self) -> int:
        """Bytes written at this end: the input, or what arrives."""
        return self._input_bytes

    @property
    def peak_bytes(self) -> int:
        """Size of the largest trial's files at this end."""
        return max((cell.length_bytes for cell in self.planned_cells), default=0)

    @property
    def peak_inodes(self) -> int:
        """Inodes of the largest trial's files at this end."""
        return max((cell.files for cell in self.planned_cells), default=0)

    @property
    def shortest_s(self) -> float:
        """All trials at the highest rates of both ends, with the preparation of their input."""
        fastest = FASTEST_BYTES_PER_S
        preparing = self._input_bytes / (self.source.best_write_bytes_per_s or fastest)
        rate = min(
            self.source.best_read_bytes_per_s or fastest,
            self.sink.best_write_bytes_per_s or fastest,
        )
        own = self.test.repeats * sum(cell.duration_ms for cell in self.planned_cells) / 1000
        return preparing + self._input_bytes / rate + own

    @property
    def longest_s(self) -> float:
        """Duration if every trial reaches its time limit."""
        preparing = self._input_bytes / (self.source.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        return preparing + self.trials * self.test.timeout_ms / 1000

    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results; those of both ends at the source."""
        if self.role == SENDER:
            yield from _cautions(self)


def plan(
    number: int, test: ToolTest, source: Place, sink: Place, name: FieldName
) -> tuple[PlannedTool | None, list[FieldError]]:
    """Plan the campaign's test `number`, or return None with the problems."""
    test = with_ip_version(test, sink, source)
    definitions, problems = _definitions(number, test, source.tools, name)
    problems += _ends(number, test, definitions, (source, sink), name)
    if problems:
        return None, problems
    length, moved = 0, definitions[0].input
    if moved != "memory":
        least = test.record_bytes if moved == "records" else 1
        length, problems = length_of(number, test.length, ([source], [sink]), name, least)
    if problems:
        return None, problems
    cells = tuple(_cells(test, definitions, length))
    most = max(cell.records for cell in cells)
    if most > MOST_RECORDS:
        message = f"makes {most} records; the maximum is {MOST_RECORDS}"
        remedy = "Use a shorter length, or longer records."
        return None, [FieldError(name(number, "length"), message, remedy, test.length)]
    planned = PlannedTool(source, number, length, test, cells, SENDER, source, sink, definitions)
    return planned, []


def _definitions(
    number: int, test: ToolTest, known: Mapping[str, ToolDefinition], name: FieldName
) -> tuple[tuple[ToolDefinition, ...], list[FieldError]]:
    """Return the definitions of a test's tools, which all take the same input; or the problems."""
    if missing := [one for one in test.tools if one not in known]:
        message = f'has "{missing[0]}", but there is no such tool'
        remedy = "Choose a defined tool, or ask an administrator to define it."
        return (), [FieldError(name(number, "tools"), message, remedy, list(test.tools))]
    found = tuple(known[one] for one in test.tools)
    other = next((one for one in found if one.input != found[0].input), None)
    if other is not None:
        message = (
            f'has "{found[0].name}", which moves {found[0].input}, and "{other.name}", which moves '
            f"{other.input}"
        )
        remedy = "Use a test for each kind of input: only the same input can be compared."
        return (), [FieldError(name(number, "tools"), message, remedy, list(test.tools))]
    return found, []


def _ends(
    number: int,
    test: ToolTest,
    definitions: Sequence[ToolDefinition],
    ends: tuple[Place, Place],
    name: FieldName,
) -> list[FieldError]:
    """Return why the tools cannot move their input between these ends."""
    if not definitions:
        return []
    first, (source, sink) = definitions[0], ends
    for side, place in (("sources", source), ("sinks", sink)):
        if first.input != "memory" and place.is_memory:
            message = f'is {place.name}, but "{first.name}" moves {first.input} between directories'
            return [FieldError(f"{side}.0", message, "Select a target.")]
        if first.input == "memory" and not place.is_memory:
            message = f'is {place.name}, but "{first.name}" generates its own data'
            return [FieldError(f"{side}.0", message, "Select the memory of the host.")]
    if first.input != "memory" and source.target_id == sink.target_id:
        message = f"is the same directory as the source: {sink.name}"
        return [FieldError("sinks.0", message, "Select another target as source or sink.")]
    if first.input == "records" and len(test.files) > 1:
        message = f'has several counts, but "{first.name}" moves the records of one file'
        return [FieldError(name(number, "files"), message, "Use one count.", list(test.files))]
    return []


def _cells(
    test: ToolTest, definitions: Sequence[ToolDefinition], length: int
) -> Iterator[ToolParameters]:
    for definition in definitions:
        for files in test.files if definition.input == "files" else [0]:
            records = length // test.record_bytes if definition.input == "records" else 0
            size = max(1, length // files) if files else 0
            yield ToolParameters(
                kind="tool",
                tool=definition.name,
                input=definition.input,
                length_bytes=size * files or records * test.record_bytes,
                files=files,
                file_bytes=size,
                records=records,
                record_bytes=test.record_bytes if records else 0,
                duration_ms=test.duration_ms if definition.input == "memory" else 0,
            )


def _cautions(run: PlannedTool) -> Iterator[Caution]:
    source, sink = run.source, run.sink
    if source.machine == sink.machine:
        yield on_one_host(source)
    if run.definitions[0].input == "memory":
        names = ", ".join(one.title for one in run.definitions)
        yield Caution(
            "not_checked",
            f"{names}: the tool generates its own data, so what arrives is counted by the tool and "
            "not checked.",
        )
        return
    if sink.ram and run.file_size < sink.ram:
        yield Caution(
            "fits_in_memory",
            f"{run.title} moves {bytes_in_words(run.file_size)}, which fits in the memory of "
            f"{sink.host_name} ({bytes_in_words(sink.ram)}): only the rate up to the final sync "
            "says what the sink's disk holds.",
        )
    for place in (source, sink):
        if not place.provable:
            yield unprovable(place)
