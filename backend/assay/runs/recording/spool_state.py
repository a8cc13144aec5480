"""The stored state of a participant's spool, and its attempt in progress."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from assay.kinds.detail import Sampled
from assay.kinds.transfer.links import LinkRow
from assay.runs.attempts import RUNNING
from assay.runs.recording.read_back import ReadBackEvent, RecountEvent
from assay.runs.recording.result_event import ResultEvent
from assay.runs.samples.blocks import SampleRow
from assay.runs.samples.columns import MARK_COLUMNS, NAMES

_OPS, _READ_OPS, _BYTES, _LAT_MAX = (
    NAMES.index(name) for name in ("ops", "read_ops", "bytes", "lat_max_ns")
)
_MARK_BYTES = [column.name for column in MARK_COLUMNS].index("bytes")
_MAX = 2**63 - 1


class Listener(NamedTuple):
    """A port, and the address that it is bound to if the plan has one.

    An end that `awaits_orders` is moved to or from its `directory` by another program, for which
    both ports are free at a sink; they are 0 at a source.
    """

    port: int
    address: str | None
    awaits_orders: bool = False
    directory: str | None = None
    second_port: int = 0


@dataclass
class OpenAttempt:
    """An attempt with the sums over its samples, and those samples that are not yet stored."""

    trial_id: int
    position: int
    number: int
    id: int = 0
    """0 until the attempt is stored."""
    total_bytes: int | None = None
    started_at: datetime | None = None
    sample_count: int = 0
    bytes: int = 0
    ops: int = 0
    read_ops: int | None = None
    """Those of `ops` that read; None unless it also writes."""
    lat_max_ns: int | None = None
    host_paused_ns: int = 0
    status: str = RUNNING
    sealed: int = 0
    """Number of samples in blocks; `unsealed_from` is the log offset of the first one after them.
    """
    unsealed_from: int = 0
    mark_count: int = 0
    marked_bytes: int = 0
    marks_sealed: int = 0
    done_bytes: int = 0
    done_ns: int = 0
    result: ResultEvent | None = None
    read_back: ReadBackEvent | None = None
    """What followed its result in the same batch."""
    recount: RecountEvent | None = None
    """What counting the records in its file again has found, in the same batch."""
    ready: bool = False
    """Whether it waits at the barrier."""
    listening: Listener | None = None
    """Where it accepts the connections of the other end of a transfer."""
    fresh: list[tuple[int, SampleRow]] = field(default_factory=list[tuple[int, SampleRow]])
    fresh_marks: list[tuple[int, SampleRow]] = field(default_factory=list[tuple[int, SampleRow]])
    fresh_links: list[tuple[int, LinkRow]] = field(default_factory=list[tuple[int, LinkRow]])

    @property
    def unsealed(self) -> int:
        """Number of samples that are not in a block yet."""
        return self.sample_count - self.sealed

    @property
    def unsealed_marks(self) -> int:
        """Number of marks that are not in a block yet."""
        return self.mark_count - self.marks_sealed

    def add(self, byte: int, values: SampleRow) -> None:
        """Add a sample whose line begins at `byte` of the log."""
        self.fresh.append((byte, values))
        self.ready = False
        self.sample_count += 1
        self.bytes = min(_MAX, self.bytes + (values[_BYTES] or 0))
        self.ops = min(_MAX, self.ops + (values[_OPS] or 0))
        if (read := values[_READ_OPS]) is not None:
            self.read_ops = min(_MAX, (self.read_ops or 0) + read)
        self.lat_max_ns = max(self.lat_max_ns or 0, values[_LAT_MAX] or 0)

    def add_mark(self, byte: int, values: SampleRow) -> None:
        """Add a mark whose line begins at `byte` of the log."""
        self.fresh_marks.append((byte, values))
        self.mark_count += 1
        self.marked_bytes = min(_MAX, self.marked_bytes + (values[_MARK_BYTES] or 0))


@dataclass(frozen=True)
class SpoolState:
    """How much of a participant's spool is stored, and the attempt in progress.

    Only ingest changes what it describes, and `offset` grows with each change.
    """

    run_id: int
    campaign_id: int
    participant_id: int
    offset: int
    next_seq: int
    hello: dict[str, Any] | None
    conditions: dict[str, Any] | None
    open: OpenAttempt | None


def discrepancies(attempt: OpenAttempt, event: ResultEvent) -> Iterator[str]:
    """Yield which sums over an attempt's samples and marks differ from its result."""
    if (attempt.bytes, attempt.ops) != (event.bytes, event.ops):
        yield (
            f"samples of trial {event.trial} add up to {attempt.bytes} bytes in {attempt.ops} "
            f"operations, its result to {event.bytes} in {event.ops}"
        )
    if event.detail is not None:
        sampled = Sampled(attempt.marked_bytes, attempt.read_ops)
        yield from event.detail.discrepancies(event.trial, event.bytes, sampled)
