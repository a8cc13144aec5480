"""What a path test from a source to a sink does: cells, bytes and durations of its ends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from assay.kinds.path.fields import MOST_DISK_THREADS, READING, WRITING, Leg
from assay.kinds.path.parameters import PathParameters, PathTest
from assay.kinds.planning import FASTEST_BYTES_PER_S
from assay.kinds.transfer.planned import RECEIVER, SENDER, PlannedTransfer


def disk_threads(per_device: int, devices: int) -> int:
    """Return the threads for a target on so many devices; 0 is unknown, and counts as one."""
    return min(MOST_DISK_THREADS, per_device * max(1, devices))


FILES_OF_DIRECTORY = 1000
"""The probe spreads small files over directories of this many."""

FASTEST_FILES_PER_S = 200_000
"""Upper bound for the small files that a thread opens or creates per second."""


@dataclass(frozen=True)
class PathPlan(PlannedTransfer):
    """One end of a path test; `file_size` is the length of the trials that use a disk, in bytes.

    `source_cache` and `sink_cache` are page or direct. `pairs_at` is how many pairs of a joint run
    use the source, and how many the sink. `turned`: it is the second direction of full duplex, from
    the place that was selected as sink to the one that was selected as source.
    """

    test: PathTest
    planned_cells: tuple[PathParameters, ...]
    source_cache: str
    sink_cache: str
    pairs_at: tuple[int, int] = (1, 1)
    turned: bool = False

    @property
    def participants(self) -> Sequence[Self]:
        """The sender and the receiver; with full duplex, then those of the other direction."""
        directions = [self, self.reversed] if self.test.full_duplex else [self]
        return [
            end for one in directions for end in (one, replace(one, end=RECEIVER, place=one.sink))
        ]

    @property
    def reversed(self) -> Self:
        """The same from the sink to the source."""
        return replace(
            self,
            place=self.sink,
            source=self.sink,
            sink=self.source,
            pairs_at=(self.pairs_at[1], self.pairs_at[0]),
            turned=not self.turned,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved values, and those as requested."""
        return {
            **self.test.model_dump(mode="json"),
            "length": self.file_size,
            "length_asked": self.test.length,
            "source_cache": self.source_cache,
            "source_cache_asked": self.test.source_cache,
            "sink_cache": self.sink_cache,
            "sink_cache_asked": self.test.sink_cache,
        }

    @property
    def own_legs(self) -> frozenset[Leg]:
        """The legs that would use a disk at this end."""
        return READING if self.role == SENDER else WRITING

    @property
    def uses_disk(self) -> bool:
        """Whether a leg uses a disk at this end."""
        return not self.place.is_memory and not self.own_legs.isdisjoint(self.test.legs)

    @property
    def disk_threads(self) -> int | None:
        """Threads that use this end's disk; None if no leg does."""
        if not self.uses_disk:
            return None
        return disk_threads(self.test.threads_per_device, len(self.place.devices))

    def _bytes_of(self, legs: frozenset[Leg]) -> int:
        return sum(cell.disk_bytes for cell in self.planned_cells if cell.leg in legs)

    @property
    def prepared_bytes(self) -> int:
        """Bytes of the source's files, which are written before each trial that reads them."""
        return self.test.repeats * self._bytes_of(READING) if self.role == SENDER else 0

    def of_length(self, length: int) -> Self:
        """Return it with another length of the trials that use a disk."""
        cells = tuple(
            cell.model_copy(update={"length_bytes": length}) if cell.length_bytes else cell
            for cell in self.planned_cells
        )
        return replace(self, file_size=length, planned_cells=cells)

    @property
    def bytes_written(self) -> int:
        """Bytes written at this end: the source's files, or what arrives at the sink's disk."""
        if self.role == SENDER:
            return self.prepared_bytes
        return self.test.repeats * self._bytes_of(WRITING)

    @property
    def peak_bytes(self) -> int:
        """Size of the files of the largest trial at this end."""
        sizes = (cell.disk_bytes for cell in self.planned_cells if cell.leg in self.own_legs)
        return max(sizes, default=0)

    @property
    def peak_inodes(self) -> int:
        """Inodes of the small files and their directories at this end."""
        return inodes(self.test) if self.uses_disk else 0

    @property
    def inodes_field(self) -> str:
        """The parameter that determines how many inodes are needed."""
        return "small_files"

    @property
    def shortest_s(self) -> float:
        """All trials at the highest rates of both ends, with the preparation of their data."""
        return self._preparing_s + self.test.repeats * sum(map(self._trial_s, self.planned_cells))

    @property
    def _preparing_s(self) -> float:
        bytes_per_s = self.source.best_write_bytes_per_s or FASTEST_BYTES_PER_S
        files = sum(cell.small_files for cell in self.planned_cells if cell.leg in READING)
        once = self._bytes_of(READING) / bytes_per_s + files / FASTEST_FILES_PER_S
        return self.test.repeats * once

    def _trial_s(self, cell: PathParameters) -> float:
        if cell.duration_ms:
            return cell.duration_ms / 1000
        rates: list[float] = [FASTEST_BYTES_PER_S]
        if cell.reads_disk:
            rates.append(self.source.best_read_bytes_per_s or FASTEST_BYTES_PER_S)
        if cell.writes_disk:
            rates.append(self.sink.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        return cell.disk_bytes / min(rates) + cell.small_files / FASTEST_FILES_PER_S

    @property
    def longest_s(self) -> float:
        """Duration if every trial that uses a disk reaches its time limit."""
        limits = [cell.duration_ms or self.test.timeout_ms for cell in self.planned_cells]
        return self._preparing_s + self.test.repeats * sum(limits) / 1000


def inodes(test: PathTest) -> int:
    """Return the inodes of the small files with their directories; 0 without any."""
    if not test.small_files:
        return 0
    return test.small_files + -(-test.small_files // FILES_OF_DIRECTORY) + 1
