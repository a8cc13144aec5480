"""What a sustained test does on one place: trials, bytes and durations.

Samples and marks widen so that no trial has more than `MOST_ROWS` of each.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

from assay.kinds.expressions import duration_ms
from assay.kinds.fields import CacheMode, Order
from assay.kinds.planning import (
    ASSUMED_BYTES_PER_S,
    FASTEST_BYTES_PER_S,
    SizingRate,
)
from assay.kinds.storage import PlannedStorage
from assay.kinds.sustained.directions import ROLES, known_bytes_per_s, offered_to, written_share
from assay.kinds.sustained.fields import Operation
from assay.kinds.sustained.parameters import SustainedParameters, SustainedTest
from assay.kinds.sustained.refusals import left_bytes

MOST_ROWS = 200_000
"""Maximum number of samples, and of marks, of a trial."""

LARGEST_SAMPLE_MS = 60_000

SAMPLE_SPOOL_BYTES, MARK_SPOOL_BYTES = 700, 110
"""Bytes of a sample's and a mark's line in the spool, rounded up."""

DIRECT_ALIGNMENT = 4096
"""What direct I/O is aligned to where the file system does not tell."""


@dataclass(frozen=True)
class SustainedPlan(PlannedStorage):
    """One sustained test on one place; `caches` and `blocks` are as used.

    `file_size` is the length of a trial, as far as it is known. `operation` is the direction of the
    participant, `planned_cells` are as it measures them.
    """

    test: SustainedTest
    planned_cells: tuple[SustainedParameters, ...]
    caches: tuple[CacheMode, ...]
    blocks: tuple[int, ...]
    operation: Operation

    @property
    def participants(self) -> list[Self]:
        """A writer and a reader, if the test does both."""
        others = self.test.operations[1:]
        return [
            self,
            *(replace(self, operation=one, planned_cells=self._cells(one)) for one in others),
        ]

    @property
    def only_alone(self) -> list[str]:
        """One participant would prepare or read back while another is still measured."""
        names = ("fill_percent", "precondition_passes", "read_back")
        return [name for name in names if getattr(self.test, name) not in (0, "none")]

    @property
    def read_back_elsewhere(self) -> bool:
        """Whether another host of the place's file system reads the files back."""
        return self.test.reads_back_elsewhere

    def _cells(self, operation: Operation) -> tuple[SustainedParameters, ...]:
        """Return the cells with what is offered in a direction."""
        known = self.test.model_dump()
        return tuple(
            cell.model_copy(
                update={"offered_bytes_per_s": offered_to(known, cell.model_dump(), operation)}
            )
            for cell in self.planned_cells
        )

    @property
    def role(self) -> str:
        """Whether the participant writes or reads."""
        return ROLES[self.operation]

    @property
    def alignment(self) -> int:
        """Bytes of which direct I/O moves multiples there."""
        return self.place.alignment or DIRECT_ALIGNMENT

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space is needed."""
        return "file_size" if has_working_set(self.test) else "length"

    @property
    def less_space(self) -> str:
        """What would need less space: what `size_field` sets."""
        return super().less_space if has_working_set(self.test) else "a shorter test"

    @property
    def sizing_rate(self) -> SizingRate | None:
        """The rate at which the size is estimated; None if pacing, length or a ring limits it."""
        if self.test.pace != "none" or not self._lasting or has_working_set(self.test):
            return None
        return SizingRate(known_bytes_per_s(self.place, self.operation))

    @property
    def parameters(self) -> dict[str, Any]:
        """The test with resolved values, and those as requested."""
        return {
            **self.test.model_dump(mode="json"),
            "length": self.test.length if self._lasting else self.planned_cells[0].length_bytes,
            "length_asked": self.test.length,
            "block": list(self.blocks),
            "block_asked": self.test.block,
            "file_size": self.planned_cells[0].file_bytes or self.file_size,
            "cache": list(self.caches),
            "cache_asked": self.test.cache,
            "sample_ms": self.sample_ms,
            "order": self.trial_order,
        }

    @property
    def trial_order(self) -> Order:
        """Rests follow each other as given, so that each one is known to follow a full cache."""
        return "given" if len(self.test.idle_ms) > 1 else self.test.order

    @property
    def sample_ms(self) -> int:
        """The sampling interval, widened for long trials."""
        needed = ceil(self._limit_ms / MOST_ROWS)
        return min(LARGEST_SAMPLE_MS, max(self.test.sample_ms, needed))

    @property
    def _lasting(self) -> int | None:
        return duration_ms(self.test.length)

    @property
    def _limit_ms(self) -> int:
        """Duration at which a trial ends in any case."""
        return self._lasting or self.test.timeout_ms

    @property
    def file_size_asked(self) -> int | str:
        """What determines how much space is needed, as requested."""
        return self.test.file_size if has_working_set(self.test) else self.test.length

    @property
    def fill_bytes(self) -> int:
        """Bytes that fill the file system to the level of the test, once."""
        return max(0, self.place.free_bytes - left_bytes(self.test, self.place))

    @property
    def prepared_bytes(self) -> int:
        """Bytes written before trials: the fill, the working sets, and the files of reads."""
        written_once = self.operation != "write" or self.test.access == "random"
        times = self.test.precondition_passes + written_once
        working_sets = sum(cell.footprint_bytes for cell in self.planned_cells)
        return self.fill_bytes + self.test.repeats * times * working_sets

    @property
    def bytes_written(self) -> int:
        """Bytes of all trials that write, and those written before."""
        moved = self.test.repeats * sum(map(self._moved, self.planned_cells))
        share = written_share(self.test.read_percent, self.operation)
        return self.prepared_bytes + round(moved * share)

    def _moved(self, cell: SustainedParameters) -> int:
        if cell.length_bytes:
            return cell.length_bytes
        rate = cell.offered_bytes_per_s or self._best_bytes_per_s
        return round(rate * cell.duration_ms / 1000)

    @property
    def _best_bytes_per_s(self) -> float:
        return known_bytes_per_s(self.place, self.operation) or ASSUMED_BYTES_PER_S

    @property
    def peak_bytes(self) -> int:
        """Size of the fill and of the files of the largest trial."""
        return self.fill_bytes + max(cell.footprint_bytes for cell in self.planned_cells)

    @property
    def _preparing_s(self) -> float:
        """Minimum duration of preparation, with the idle time before each trial."""
        writing = self.prepared_bytes / (self.place.best_write_bytes_per_s or FASTEST_BYTES_PER_S)
        idle_ms = self.test.repeats * sum(cell.idle_ms for cell in self.planned_cells)
        return writing + idle_ms / 1000

    @property
    def _reading_back_s(self) -> float:
        """Minimum duration of reading the files of writes back; it has no limit."""
        if self.test.read_back == "none":
            return 0
        left = self.test.repeats * sum(cell.footprint_bytes for cell in self.planned_cells)
        return left / (self.place.best_read_bytes_per_s or FASTEST_BYTES_PER_S)

    @property
    def shortest_s(self) -> float:
        """All trials with what comes before and after, at the highest rate that is possible."""
        fastest = known_bytes_per_s(self.place, self.operation) or FASTEST_BYTES_PER_S
        return (
            self._preparing_s
            + self._reading_back_s
            + self.test.repeats
            * sum(
                cell.duration_ms / 1000
                or cell.length_bytes / min(fastest, cell.offered_bytes_per_s or fastest)
                for cell in self.planned_cells
            )
        )

    @property
    def longest_s(self) -> float:
        """Duration if every trial reaches its time limit."""
        return self._preparing_s + self._reading_back_s + self.trials * self._limit_ms / 1000

    @property
    def spool_bytes(self) -> int:
        """Approximate size of the largest trial's record on the host."""
        samples = self._limit_ms / self.sample_ms
        if not self._lasting:
            samples = min(samples, self.shortest_s * 1000 / self.sample_ms)
        marks = max(self._moved(cell) / cell.mark_bytes for cell in self.planned_cells)
        return round(samples * SAMPLE_SPOOL_BYTES + marks * MARK_SPOOL_BYTES)


def has_working_set(test: SustainedTest) -> bool:
    """Return whether the test uses the same files again and again, whatever its length."""
    return test.file_mode == "ring" or test.access == "random"
