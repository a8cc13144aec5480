"""The nouns of an estimate: a place to measure at, the cells of a matrix, a run that would be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assay.profiles.schemas import Test

ASSUMED_BYTES_PER_S = 1_000_000_000
"""What `rate` means in the size of a file where nothing was measured yet."""

FASTEST_BPS = 10_000_000_000
"""Faster than any storage that was not measured yet is taken to be."""


@dataclass(frozen=True)
class Place:
    """A target as estimates see it. None is "not known"; rates are the best ever seen there.

    `best_write_bytes_per_s` is without the sync, `best_durable_bytes_per_s` of writes with it.
    `needs` are the resources that one run at a time can have, with their names. `free_at` is when
    `free_bytes` was seen. `ram` is the memory that may cache: the host's, or its control groups'
    limit.
    """

    target_id: int
    host_id: int
    host_name: str
    path: str
    fs_type: str
    kind: str | None
    free_bytes: int
    free_at: datetime
    reserve_bytes: int
    ram: int | None
    cpus: int | None
    direct: str
    alignment: int | None
    array_name: str | None = None
    array_cache_bytes: int | None = None
    array_identity: dict[str, str | None] | None = field(default=None, hash=False)
    best_write_bytes_per_s: float | None = None
    best_durable_bytes_per_s: float | None = None
    best_read_bytes_per_s: float | None = None
    needs: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    @property
    def name(self) -> str:
        """Host and directory, as the pages name a place: many hosts have the same directory."""
        return f"{self.host_name} {self.path}"

    @property
    def resources(self) -> tuple[str, ...]:
        """What one run at a time can have."""
        return tuple(self.needs) or (f"host:{self.host_id}",)

    def known_bytes_per_s(self, kind: str) -> float | None:
        """The best application rate ever seen there; null before the first."""
        return self.best_write_bytes_per_s if kind == "write" else self.best_read_bytes_per_s

    def sizing_bytes_per_s(self, kind: str) -> float | None:
        """What `rate` means in the size of a file: with the sync, so that memory's is not meant."""
        return self.best_durable_bytes_per_s if kind == "write" else self.best_read_bytes_per_s

    def fastest_bytes_per_s(self, kind: str) -> float:
        """The rate that bounds a trial's time from below."""
        return self.known_bytes_per_s(kind) or FASTEST_BPS


@dataclass(frozen=True)
class Cell:
    """One parameter combination; `file_size` is rounded up to whole blocks."""

    block: int
    threads: int
    files: int
    file_size: int

    @property
    def bytes(self) -> int:
        """Bytes that one trial moves."""
        return self.files * self.file_size


@dataclass(frozen=True)
class PlannedRun:
    """One test on one target; `file_size` is the size asked for, `cache` page or direct."""

    place: Place
    number: int
    test: Test
    file_size: int
    cache: str
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """What and where."""
        return f"{self.test.title} on {self.place.name}"

    @property
    def trials(self) -> int:
        """Measurements."""
        return len(self.cells) * self.test.repeats

    @property
    def working_set(self) -> int:
        """Bytes of the largest trial."""
        return max(cell.bytes for cell in self.cells)

    @property
    def prepared_bytes(self) -> int:
        """Bytes written before the trials: the one set of files that all of them use, if they do.

        What is read or overwritten has to be there; what is read after overwriting, twice.
        """
        reads, overwrites = self.test.kind == "read", self.test.layout == "overwrite"
        return (reads + overwrites) * self.peak_bytes

    @property
    def bytes_written(self) -> int:
        """Bytes written in all, prepared files included."""
        if self.test.kind == "read":
            return self.prepared_bytes
        return self.prepared_bytes + self.test.repeats * sum(cell.bytes for cell in self.cells)

    @property
    def peak_bytes(self) -> int:
        """The most that the run's files occupy at once: the set, or the files of one trial."""
        return self.working_set

    @property
    def free_after_bytes(self) -> int:
        """Free space while the run's files are at their largest; they are removed at its end."""
        return self.place.free_bytes - self.peak_bytes

    @property
    def preparing_s(self) -> float:
        """The least that preparing takes; it has no limit."""
        return self.prepared_bytes / self.place.fastest_bytes_per_s("write")

    @property
    def shortest_s(self) -> float:
        """Preparing and all trials at the fastest rate."""
        rate = self.place.fastest_bytes_per_s(self.test.kind)
        each = (min(cell.bytes / rate, self.test.timeout_ms / 1000) for cell in self.cells)
        return self.preparing_s + self.test.repeats * sum(each)

    @property
    def longest_s(self) -> float:
        """As `shortest_s`, with all trials until their timeout."""
        return self.preparing_s + self.trials * self.test.timeout_ms / 1000
