"""The stored record of a run: the input of a kind's rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from assay.analysis.excess import DeviceReadings
from assay.analysis.histogram import Latency
from assay.analysis.statuses import reason_of_trial
from assay.analysis.throughput import Intervals, Marks
from assay.kinds.result import ResultParticipant

GapCause = Literal["suspended", "starved", "interrupted", "paused"]

CutShort = Literal["cancelled", "failed", "lost"]
"""Why a run did not measure all planned trials."""

LEAST_REST_NS = 10**9
"""A shorter pause gives a storage no time to recover."""


@dataclass(frozen=True)
class Gap:
    """A stretch of an attempt, in ns since its start, in which it did not measure the storage.

    `what` is why. It was *suspended* or *starved* meanwhile. Or it was *interrupted* by the end of
    its probe, or its machine was *paused* together with its clocks: then the stretch is a moment,
    and `away_ns` later the trial continued. The moment of a pause is unknown, and given as 0.
    `delayed`: operations that the stretch delayed are counted with the delay, and what was due in
    it was caught up. The probe excludes what it knows exactly.
    `in_durable`: the durable rate includes it, because no counter shows what the kernel wrote back
    meanwhile.
    """

    from_ns: int
    until_ns: int
    what: GapCause
    away_ns: int | None = None
    delayed: bool = True
    in_durable: bool = False

    @property
    def delays(self) -> bool:
        """Whether operations are counted with the time of a stretch."""
        return self.is_stretch and self.delayed

    @property
    def is_stretch(self) -> bool:
        """Whether it is a stretch of the attempt, and not a moment."""
        return self.until_ns > self.from_ns

    @property
    def rested(self) -> bool:
        """Whether the storage could rest meanwhile."""
        return not self.is_stretch or self.until_ns - self.from_ns >= LEAST_REST_NS


@dataclass(frozen=True)
class EarlierSegment:
    """An interrupted attempt that a later one continued: its marks and gaps, as of its own start.

    Those up to `until_ns` count; the next segment began `away_ns` later, by the host's clock.
    `paused_ns` is how long its machine was paused together with its clocks. `reported_errors` are
    the sectors of wrong data that it read, up to its last report. `read_share` is the part of its
    operations that read, null unless it also wrote.
    """

    marks: Marks
    gaps: Sequence[Gap]
    until_ns: int
    away_ns: int | None
    paused_ns: int = 0
    reported_errors: int = 0
    read_share: float | None = None


@dataclass(frozen=True)
class HostLoad:
    """What a participant's host did during an attempt, as shares of the time.

    `busiest_core` is that of the core that was busiest in each interval, the others are of all
    CPUs. `dirty_growth_bytes` is by how much unwritten data grew; it may be negative. `busy_ns` is
    the CPU time of all cores with the final sync.
    """

    busiest_core: float
    user: float
    system: float
    softirq: float
    iowait: float
    dirty_growth_bytes: int
    busy_ns: int

    @property
    def softirq_of_used(self) -> float:
        """The part of the used CPU time that soft interrupts took."""
        used = self.user + self.system + self.softirq
        return self.softirq / used if used else 0.0


@dataclass(frozen=True)
class MemoryCourse:
    """Unwritten and available memory of a participant's host over time, in bytes.

    Times are in ns since the attempt's start. Unwritten data is dirty or being written back.
    """

    end_ns: Sequence[int]
    dirty_bytes: Sequence[int]
    available_bytes: Sequence[int]


@dataclass(frozen=True)
class AttemptRecord:
    """The stored attempt that decides a trial.

    `result` is the probe's `result` event, `course` the throughput over time, if the attempt counts
    and is long enough. `marks` are its marks; null if its kind has none. `earlier` has the attempts
    that it continues, which none of its own figures includes. `load` and `memory` are null unless
    its kind transfers. `device` is what its device moved over time, null without a counter.
    `reported_errors` are the sectors of wrong data that it reported while it ran. `started_at` is
    by the host's clock.
    """

    status: str
    reason: str | None
    bytes: int
    ops: int
    app_ns: int | None
    durable_ns: int | None
    result: Mapping[str, Any] | None
    disturbance: Mapping[str, int | None]
    latency: Latency | None
    course: Intervals | None
    marks: Marks | None = None
    gaps: Sequence[Gap] = ()
    earlier: Sequence[EarlierSegment] = ()
    reported_errors: int = 0
    started_at: datetime | None = None
    load: HostLoad | None = None
    memory: MemoryCourse | None = None
    device: DeviceReadings | None = None

    @property
    def verify_errors(self) -> int:
        """Sectors of wrong data in all segments; without a result, those reported until it died."""
        own = (self.result or {}).get("verify_errors")
        earlier = sum(one.reported_errors for one in self.earlier)
        return earlier + (self.reported_errors if own is None else own)

    @property
    def delay_ns(self) -> int:
        """Delay after the agreed start in ns; 0 without one."""
        return (self.result or {}).get("start_delay_ns") or 0


@dataclass(frozen=True)
class AttemptBeside:
    """The attempt at the same trial in the opposite direction, and the boot id of its host."""

    boot_id: str | None
    attempt: AttemptRecord | None


@dataclass(frozen=True)
class LeftFile:
    """What a participant's probe that died left in its file, as a later one counted it.

    `number` is that of the attempt in which it died, `attempts` has that of each participant.
    """

    number: int
    counted: Mapping[str, Any]
    attempts: Sequence[AttemptRecord | None]


@dataclass(frozen=True)
class TrialRecord:
    """A trial, the number of its attempts, and whether it will be repeated.

    `deciding` has the deciding attempt of each participant; None before its first attempt. `beside`
    are those of participants that read while these write, or write while these read. `left` are
    files of earlier attempts, if the kind counts them again. `first_cause` is the code of what
    failed first; null if no participant gives a reason, or the times are unknown.
    """

    id: int
    repeat: int
    cell: str
    parameters: Mapping[str, Any]
    attempts: int
    again: bool
    deciding: Sequence[AttemptRecord | None]
    beside: Sequence[AttemptBeside] = ()
    left: Sequence[LeftFile] = ()
    first_cause: str | None = None

    @property
    def reason(self) -> str | None:
        """Why the trial failed, at whichever participant; None without a reason."""
        attempts = [*self.deciding, *(one.attempt for one in self.beside)]
        return self.first_cause or reason_of_trial(one.reason for one in attempts if one)


@dataclass(frozen=True)
class Site:
    """Where a participant measured, as far as its rates depend on it.

    `clock_uncertainty_ns` is how far its start may be from the agreed start. `devices` are the
    physical disks below the target, as last inspected; empty if unknown.
    """

    participant_id: int
    host: str
    path: str | None
    boot_id: str | None
    fs_type: str | None
    array_name: str | None
    array_cache_bytes: int | None
    clock_uncertainty_ns: int | None = None
    role: str = "writer"
    devices: tuple[str, ...] = ()
    same_as: str | None = None
    """The host entry that stands for the machine, if several of the run are the same."""

    @property
    def machine(self) -> str:
        """The host entry that stands for the machine: what entries of one machine have in common.

        Entries of one machine share its cards and CPUs, whatever they are called.
        """
        return self.same_as or self.host

    @property
    def disks(self) -> tuple[object, ...]:
        """What identifies the physical disks; if they are unknown, the directory stands for them.

        Several file systems on one disk are one device, also through several entries of a machine.
        """
        if not self.devices:
            return (self.name,)
        return tuple((self.boot_id or self.machine, device) for device in self.devices)

    @property
    def name(self) -> str:
        """Host and directory: two participants may be on the same host."""
        return f"{self.host} {self.path}" if self.path else self.host


@dataclass(frozen=True)
class RunRecord:
    """The input of a kind's rules: the resolved test, the trials in order, and the participants.

    `active`: the run has not ended, so more may become known.
    """

    id: int
    parameters: Mapping[str, Any]
    trials: Sequence[TrialRecord]
    sites: Sequence[Site]
    cut_short: CutShort | None
    active: bool = False

    @property
    def participants(self) -> list["ResultParticipant"]:
        """The participants as shown in a result."""
        return [
            ResultParticipant(
                id=site.participant_id,
                host=site.host,
                path=site.path,
                role=site.role,
                clock_uncertainty_ns=site.clock_uncertainty_ns,
                devices=list(site.devices),
            )
            for site in self.sites
        ]
