"""What a batch of events adds to what is stored of a participant: pure, nothing is written here.

Events are taken in their order, and one that makes no sense is refused before it changes anything:
what has been taken until then is whole, and can be stored.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.analysis.statuses import COUNTED, SUSPENDED
from assay.recording import events
from assay.recording.events import BrokenEventError
from assay.runs.attempts import INTERRUPTED, RUNNING
from assay.runs.progress import activity
from assay.samples.columns import NAMES
from assay.samples.rollup import Row

ENDED = "ended"
"""Set in the stored hello of a segment that has ended."""

PROGRESS = "progress"
"""In the stored hello, what the probe does while nothing is measured; absent otherwise."""

_OPS, _BYTES, _LAT_MAX = (NAMES.index(name) for name in ("ops", "bytes", "lat_max_ns"))
_MAX = 2**63 - 1
_NO_CLOCK = {"wall_ns": 0, "t": 0}


@dataclass
class OpenAttempt:
    """An attempt with what its samples have added up to, and those of them not yet stored."""

    trial_id: int
    position: int
    number: int
    id: int = 0
    """0 until it is stored itself."""
    total_bytes: int | None = None
    started_at: datetime | None = None
    sample_count: int = 0
    bytes: int = 0
    ops: int = 0
    lat_max_ns: int | None = None
    host_paused_ns: int = 0
    status: str = RUNNING
    sealed: int = 0
    """Samples that are in blocks; `unsealed_from` is the byte of the log where the others begin."""
    unsealed_from: int = 0
    result: events.Result | None = None
    fresh: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])

    @property
    def unsealed(self) -> int:
        """How many samples are in no block yet."""
        return self.sample_count - self.sealed

    def add(self, byte: int, values: Row) -> None:
        """Add a sample whose line begins at `byte` of the log."""
        self.fresh.append((byte, values))
        self.sample_count += 1
        self.bytes = min(_MAX, self.bytes + (values[_BYTES] or 0))
        self.ops = min(_MAX, self.ops + (values[_OPS] or 0))
        self.lat_max_ns = max(self.lat_max_ns or 0, values[_LAT_MAX] or 0)


@dataclass(frozen=True)
class Notice:
    """Something that a reader of the run should know."""

    at: datetime
    level: str
    code: str
    message: str
    detail: dict[str, Any]


@dataclass
class Place:
    """How far a participant's spool is stored, and what is under way there."""

    run_id: int
    campaign_id: int
    participant_id: int
    offset: int
    next_seq: int
    hello: dict[str, Any] | None
    open: OpenAttempt | None


class Increment:
    """The events of one batch, taken one by one."""

    def __init__(self, place: Place, data: bytes, paused_ns: int = 0) -> None:
        """Parse the whole lines of `data`, which goes on where the spool is stored.

        `paused_ns` is for how long the host was paused, perhaps while they were written.
        """
        self._paused_ns = paused_ns
        self.place = place
        self.hello: dict[str, Any] | None = place.hello
        self.new_hello = False
        self.attempts = [place.open] if place.open else []
        """Those that this batch has to do with, the newest last."""
        self.notices: list[Notice] = []
        self.said_hello: events.Hello | None = None
        self.end: events.End | None = None
        self.results = 0
        self.length = self.count = 0
        """Bytes and events taken."""
        self.open = place.open
        """The attempt under way after what was taken."""
        self._data = data
        self._parsed: list[tuple[events.AnyEvent, int]] = []
        self._broken: BrokenEventError | None = None
        self._trials: Mapping[int, int] = {}
        self._begun: Container[tuple[int, int]] = ()
        try:  # what came before a broken line stays
            self._parsed.extend(events.read(data, place.offset, place.next_seq))
        except BrokenEventError as error:
            self._broken = error

    @property
    def lines(self) -> bytes:
        """The lines taken, as they came."""
        return self._data[: self.length]

    @property
    def refused(self) -> BrokenEventError | None:
        """Why nothing was taken: the first line is broken, or makes no sense here."""
        return None if self.count else self._broken

    def begins(self) -> list[int]:
        """The positions of the trials that are said to begin."""
        return [event.trial for event, _ in self._parsed if isinstance(event, events.TrialBegan)]

    def take(self, trials: Mapping[int, int], begun: Container[tuple[int, int]]) -> None:
        """Take the events up to one that makes no sense.

        `trials` are those of the run that begin, their ids by position; `begun` the stored
        attempts, as (trial id, number).
        """
        self._trials, self._begun = trials, begun
        for event, past in self._parsed:
            try:
                self._take(event, self.place.offset + self.length)
            except BrokenEventError as error:
                self._broken = error
                break
            self.length, self.count = past, self.count + 1
        if self.open is not None and self.open.fresh:  # one without samples begins after the pause
            self._charge(self.open)

    def _take(self, event: events.AnyEvent, byte: int) -> None:
        if self.hello is None and not isinstance(event, events.Hello):
            raise BrokenEventError(byte, "the log does not begin with a hello")
        if (self.hello or {}).get(ENDED) and not isinstance(event, events.Hello):
            raise BrokenEventError(byte, f"the segment ended, but {event.ev} came after it")
        self._show(event)
        match event:
            case events.Progress():
                pass  # shown, not stored
            case events.Sample():
                self._under_way(event, byte).add(byte, event.s)
            case events.Ready():
                self._under_way(event, byte)
            case events.TrialBegan():
                self._begin(event, byte)
            case events.Result():
                self._close(event, byte)
            case events.Hello():
                self._interrupt()
                self.hello, self.new_hello = event.model_dump(mode="json"), True
                self.said_hello, self.end = event, None
            case events.Told():
                self._tell(event, "info", event.detail)
            case events.Failed():
                self._tell(event, "error", {"errno": event.errno, "trial": event.trial})
            case events.End():
                self._interrupt()
                self.hello, self.new_hello = (self.hello or {}) | {ENDED: True}, True
                self.end = event

    def _show(self, event: events.AnyEvent) -> None:
        """Keep what is not measured in the hello until something else follows."""
        hello = self.hello or {}
        if isinstance(event, events.Progress):
            now = activity(event.doing, event.call, event.bytes, event.total_bytes)
            self.hello, self.new_hello = hello | {PROGRESS: now}, True
        elif PROGRESS in hello and not isinstance(event, events.Told):
            self.hello = {name: value for name, value in hello.items() if name != PROGRESS}
            self.new_hello = True

    def _begin(self, event: events.TrialBegan, byte: int) -> None:
        trial_id = self._trials.get(event.trial)
        if trial_id is None:
            raise BrokenEventError(byte, f"run {self.place.run_id} has no trial {event.trial}")
        named = (trial_id, event.attempt)
        if named in self._begun or named in ((one.trial_id, one.number) for one in self.attempts):
            raise BrokenEventError(
                byte, f"attempt {event.attempt} of trial {event.trial} begins a second time"
            )
        self._interrupt()
        self.open = OpenAttempt(
            trial_id,
            event.trial,
            event.attempt,
            total_bytes=event.total_bytes,
            started_at=self._wall(event.t),
            unsealed_from=byte,
        )
        self.attempts.append(self.open)

    def _close(self, event: events.Result, byte: int) -> None:
        attempt = self._under_way(event, byte)
        if (attempt.bytes, attempt.ops) != (event.bytes, event.ops):
            raise BrokenEventError(
                byte,
                f"the samples of trial {event.trial} add up to {attempt.bytes} bytes in "
                f"{attempt.ops} operations, its result to {event.bytes} in {event.ops}",
            )
        self._charge(attempt)
        attempt.status, attempt.result = self._judged(event, attempt), event
        attempt.lat_max_ns = event.lat_max_ns
        if event.started_ns is not None:
            attempt.started_at = self._wall(event.started_ns)
        self.open = None
        self.results += 1

    def _charge(self, attempt: OpenAttempt) -> None:
        """One pause may come with several batches and counts once; of several, the longest."""
        attempt.host_paused_ns = max(attempt.host_paused_ns, self._paused_ns)

    def _judged(self, event: events.Result, attempt: OpenAttempt) -> str:
        """The probe's word, unless it could not know that its host was paused."""
        paused = attempt.host_paused_ns > 0 and event.status in COUNTED
        return SUSPENDED if paused else event.status

    def _under_way(
        self, event: events.Ready | events.Sample | events.Result, byte: int
    ) -> OpenAttempt:
        attempt = self.open
        if attempt is None or (attempt.position, attempt.number) != (event.trial, event.attempt):
            raise BrokenEventError(
                byte,
                f"a {event.ev} of attempt {event.attempt} of trial {event.trial}, "
                "which is not under way",
            )
        return attempt

    def _interrupt(self) -> None:
        """An attempt that never told its result: its samples stay, but it enters no cell."""
        if self.open is not None:
            self.open.status = INTERRUPTED
            self.open = None

    def _tell(self, event: events.Told | events.Failed, level: str, detail: dict[str, Any]) -> None:
        at = self._wall(event.t)
        if self.open is not None and detail.get("trial") == self.open.position:
            detail = detail | {"trial": self.open.trial_id}  # its id, as everywhere in the API
        self.notices.append(Notice(at, level, event.code, event.message[:2000], detail))

    def _wall(self, t: int) -> datetime:
        """The host's wall clock at `t` nanoseconds of the present segment."""
        hello = self.hello or _NO_CLOCK
        microseconds = (hello["wall_ns"] - hello["t"] + t) // 1000
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
