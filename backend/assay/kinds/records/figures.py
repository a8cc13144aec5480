"""The figures of a records test's trials and cells, as API types."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import ConfigDict

from assay.analysis.flags import Flag
from assay.analysis.levels import HeldRate
from assay.analysis.repeats import Repeats
from assay.analysis.served_by import ServedBy
from assay.base.worded import Words
from assay.kinds.cells import BaseTrial, CellState
from assay.kinds.levels import HeldLevels
from assay.kinds.transfer.bottleneck import Bottleneck
from assay.kinds.transfer.streams import EndFigures, LinkFigures, total

ALWAYS_SENT = ConfigDict(json_schema_serialization_defaults_required=True)
"""A result has all fields, also those of a trial of which little is known."""

CliffCause = Literal["cache_exhausted", "unknown"]


@dataclass(frozen=True)
class RecordCounts:
    """What became of the records of a trial, with its warm-up.

    Each sent record arrived intact, or is missing; `wrong` is what arrived with another content,
    `duplicate` what arrived again, `out_of_order` are intact ones that arrived after a later one of
    their sender. `acknowledged` is null if the test has no acknowledgements. `stored` is how many
    intact ones the sink's file held when it was read back, and `lost` were written or acknowledged
    and are not in it; null if it was not read to its end. In memory, `lost` were acknowledged and
    did not arrive intact.
    """

    sent: int
    acknowledged: int | None
    intact: int
    wrong: int
    duplicate: int
    missing: int
    out_of_order: int
    stored: int | None
    lost: int | None

    @property
    def is_whole(self) -> bool:
        """Whether each sent record arrived once, intact, and was kept."""
        return not (self.wrong or self.duplicate or self.missing or self.lost)


def added(counts: Iterable[RecordCounts]) -> RecordCounts | None:
    """Return the sums of several senders; None without any."""
    given = list(counts)
    if not given:
        return None
    return RecordCounts(
        sent=sum(one.sent for one in given),
        acknowledged=total(one.acknowledged for one in given),
        intact=sum(one.intact for one in given),
        wrong=sum(one.wrong for one in given),
        duplicate=sum(one.duplicate for one in given),
        missing=sum(one.missing for one in given),
        out_of_order=sum(one.out_of_order for one in given),
        stored=total(one.stored for one in given),
        lost=total(one.lost for one in given),
    )


@dataclass(frozen=True)
class SenderLeft:
    """A sender's records that a receiver acknowledged before it died, and what its file holds.

    `lost` are those of the acknowledged ones that it does not hold; null if that is unknown.
    """

    participant_id: int
    acknowledged: int | None
    intact: int
    lost: int | None


@dataclass(frozen=True)
class RecordsLeft:
    """What the file of a receiver that died in an attempt holds of the acknowledged records."""

    attempt: int
    acknowledged: int | None
    intact: int
    wrong: int
    lost: int | None
    senders: Sequence[SenderLeft]


@dataclass(frozen=True)
class RecordsCliff:
    """Lasting changes of the receiver's rate, in payload: all levels, and the first fall.

    `levels` are those of the whole trial, with its warm-up, from which `at_ns`, `at_records` and
    `at_bytes` count, too. The cause is *cache_exhausted* if the disk had taken only a part of the
    data until then, and took most of it afterwards; a later fall of which that holds stands for the
    first. `dirty_bytes` and `available_bytes` are the host's unwritten data and free memory then.
    """

    levels: HeldLevels
    at_ns: int
    at_records: int
    at_bytes: int
    cause: CliffCause
    dirty_bytes: int | None
    available_bytes: int | None
    message: Words


@dataclass(frozen=True)
class ReceiverTime:
    """What the receiver's threads, one for each sender, did: shares of their time.

    `receiving` includes the wait for data. `storing` is the time in writes and periodic syncs, and
    `blocked` the part of it that used no CPU: at least so long they waited for the disk.
    """

    receiving: float
    checking: float
    storing: float
    blocked: float


@dataclass(frozen=True)
class ReceiverMemory:
    """Extremes of the receiver's host during a trial, in bytes."""

    most_dirty_bytes: int
    least_available_bytes: int
    dirty_growth_bytes: int


@dataclass(frozen=True)
class LatencyMark:
    """A latency that a share of the records, or batches, did not exceed; 1 is the longest."""

    share: float
    ns: int


@dataclass(frozen=True)
class RecordsSender:
    """A sender's part of a trial: its rates in the receiver's window, and its share of all.

    `digest_agrees` is whether both ends have the same checksum of its sequence; null if one is
    missing.
    """

    __pydantic_config__ = ALWAYS_SENT

    participant_id: int
    status: str
    reason: str | None
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    share: float | None = None
    start_delay_ns: int | None = None
    digest_agrees: bool | None = None
    counts: RecordCounts | None = None
    end: EndFigures | None = None
    link: LinkFigures | None = None


@dataclass(frozen=True, kw_only=True)
class RecordsTrial(BaseTrial):
    """A trial with one record length. Rates are of the receiver's window, after the warm-up.

    `bytes_per_s` is payload: input records × their length. `stored_bytes_per_s` is what the sink's
    format makes of it, `expansion` their ratio. `durable_bytes_per_s` is all payload ÷ the time up
    to the end of the final sync. `receiver_ns_per_record` is CPU time of the receiver's process.
    `fairness` is Jain's index of the senders' rates. `latency` is of records from their due times
    to their acknowledgement, of which `due_unfinished` are lower bounds; `batch_latency` of
    batches, from their first record; both without those of the warm-up. `syncs` are those before
    the final one. `file_wrong` are records in the file that are none of any sender.
    """

    __pydantic_config__ = ALWAYS_SENT

    records: int = 0
    warm_up_ns: int = 0
    window_ns: int = 0
    records_per_s: float | None = None
    bytes_per_s: float | None = None
    stored_bytes_per_s: float | None = None
    durable_bytes_per_s: float | None = None
    expansion: float | None = None
    bounded: bool = False
    counts: RecordCounts | None = None
    file_wrong: int | None = None
    read_back_error: str | None = None
    fairness: float | None = None
    slowest_participant_id: int | None = None
    senders: Sequence[RecordsSender] = ()
    receiver: EndFigures | None = None
    receiver_time: ReceiverTime | None = None
    receiver_ns_per_record: float | None = None
    latency: Sequence[LatencyMark] = ()
    due_unfinished: int = 0
    batch_latency: Sequence[LatencyMark] = ()
    syncs: int = 0
    longest_sync_ns: int | None = None
    cliff: RecordsCliff | None = None
    no_cliff_within_bytes: int | None = None
    memory: ReceiverMemory | None = None
    left: Sequence[RecordsLeft] = ()
    served_by: ServedBy | None = None
    durable_served_by: ServedBy | None = None
    levels: HeldLevels = field(default_factory=list[HeldRate])

    @property
    def faded(self) -> Flag | None:
        """That the rate fell for good within the window, at no moment that is known."""
        return next((flag for flag in self.flags if flag.code == "cliff" and not self.levels), None)

    @property
    def lost(self) -> int | None:
        """Records that the sink does not hold, also after a receiver died; None if unknown."""
        counted = [self.counts.lost] if self.counts else []
        return total([*counted, *(one.lost for one in self.left)])


@dataclass(frozen=True)
class RecordsCell:
    """All repeats with one record length.

    Figures are of the reliable trials; of all that count, if there are no others. `counts` are
    those of all trials that ended, `latency` is of the merged repeats. `trial_id` is the trial with
    the median rate. `levels` replace the rate if that of a reliable trial changed for good.
    `repeats` says how many the rate is of, how much they vary, and which it leaves out.
    """

    record_bytes: int
    state: CellState
    repeats: Words
    repeats_done: int
    repeats_total: int
    records_per_s: Repeats | None
    bytes_per_s: Repeats | None
    stored_bytes_per_s: Repeats | None
    durable_bytes_per_s: Repeats | None
    expansion: float | None
    receiver_ns_per_record: float | None
    fairness: float | None
    counts: RecordCounts | None
    lost: int | None
    latency: Sequence[LatencyMark]
    reliable: bool
    bottleneck: Bottleneck | None
    flags: Sequence[Flag]
    trial_id: int | None
    trials: Sequence[RecordsTrial]
    levels: HeldLevels = field(default_factory=list[HeldRate])
