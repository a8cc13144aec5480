"""The figures of a path test's trials and of their pairs, as API types."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.analysis.flags import Rate
from assay.analysis.levels import HeldRate
from assay.analysis.served_by import ServedBy
from assay.analysis.writeback import WritebackRate
from assay.kinds.cells import RatedTrial
from assay.kinds.levels import HeldLevels
from assay.kinds.transfer.evidence import SOURCE, Reason, TransferSide
from assay.kinds.transfer.streams import EndFigures, LinkFigures


@dataclass(frozen=True)
class PathPair:
    """One source and its sink in a trial of several pairs. Rates are in bytes per second.

    The application rate is that of the receiver in the common window, in which all pairs moved
    data, `share` its part of the sum, the sent rate that of the sender there; they are null without
    such a window. `own_bytes_per_s` is the application rate over all of the pair's own time,
    `own_ns`, without a ramp-up. The durable rate is the pair's own, too, up to its final sync.
    `start_delay_ns` is how long after the agreed start the end began that scores the leg. The hosts
    are machines: of several entries of one, the first.
    """

    sender_id: int
    receiver_id: int
    source: str
    sink: str
    source_host: str
    sink_host: str
    status: str
    reason: str | None
    bytes: int
    application_bytes_per_s: float | None
    durable_bytes_per_s: float | None
    share: float | None
    start_delay_ns: int | None
    served_by: ServedBy | None
    sender: EndFigures | None
    receiver: EndFigures | None
    link: LinkFigures | None
    wrong_blocks: int
    sent_bytes_per_s: float | None
    starved_roles: Sequence[str]
    files: int | None = None
    files_per_s: float | None = None
    own_bytes_per_s: float | None = None
    own_ns: int | None = None

    def own(self, rate: Rate) -> float | None:
        """Return the rate of this kind over the pair's own time."""
        return self.durable_bytes_per_s if rate == "durable" else self.own_bytes_per_s

    @property
    def name(self) -> str:
        """Source and sink."""
        return f"{self.source} → {self.sink}"

    def end_at(self, side: TransferSide) -> EndFigures | None:
        """Return the figures of the end at a side."""
        return self.sender if side is SOURCE else self.receiver

    def host_at(self, side: TransferSide) -> str:
        """Return the host of the end at a side."""
        return self.source_host if side is SOURCE else self.sink_host


@dataclass(frozen=True, kw_only=True)
class PathTrial(RatedTrial):
    """A trial of a leg. Rates are in bytes per second, of the receiver's bytes over its time.

    The durable rate is up to the end of the final sync; a leg that writes no disk has none.
    `inflated` is why a cache makes its rates higher than what the sink's disk holds. Of a leg
    without network, `link` is null. `wrong_blocks` did not arrive as they were sent.
    `sent_bytes_per_s` is the sender's rate up to its last send, which is higher than the
    receiver's if buffers took in the data. `rejected_connections` are those of others that the
    listening end rejected.

    Several `pairs` have one rate: the application rate is that of the common window, in which all
    moved data, the durable rate that of all bytes from the agreed start to the last sync. `sender`
    and `receiver` are then those of all pairs, or null if these are on different hosts.
    `fairness` is Jain's index of the pairs' application rates, `slowest_pair` a position in
    `pairs`. `to_last_end_bytes_per_s`, of reads, is all bytes ÷ the time from the agreed start to
    the end of the last pair, as a durable rate is to the last sync.

    `files` are the small files that were moved, and `files_per_s` how many in a second at the
    leading rate; null without small files.

    `writeback` is when the sink's kernel began to write the data of one pair back, and the rate
    from then on; null where no counter shows it. `levels` are the lasting rates of a trial whose
    rate fell for a lasting time and rose again, or fell by less than a full cache makes it.
    """

    bytes: int
    bounded: bool
    served_by: ServedBy | None
    inflated: Reason | None
    sender: EndFigures | None
    receiver: EndFigures | None
    link: LinkFigures | None
    wrong_blocks: int
    sent_bytes_per_s: float | None = None
    rejected_connections: int = 0
    starved_roles: Sequence[str] = field(default_factory=list[str])
    pairs: Sequence[PathPair] = field(default_factory=list[PathPair])
    window_ns: int | None = None
    fairness: float | None = None
    slowest_pair: int | None = None
    files: int | None = None
    files_per_s: float | None = None
    to_last_end_bytes_per_s: float | None = None
    writeback: WritebackRate | None = None
    levels: HeldLevels = field(default_factory=list[HeldRate])

    @property
    def leading_bytes_per_s(self) -> float | None:
        """The durable rate if there is one, else the application rate."""
        return self.durable_bytes_per_s or self.application_bytes_per_s
