"""What a batch of events adds to the stored state of a participant. Pure: nothing is written here.

Events are processed in order. An invalid event is rejected before it changes anything, so
everything processed before it is consistent and can be stored.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.analysis.statuses import COUNTED, SUSPENDED
from assay.base import words
from assay.kinds.registry import KINDS
from assay.kinds.transfer.links import reduced
from assay.runs.attempts import INTERRUPTED
from assay.runs.gaps import RECORDS_LEFT
from assay.runs.host_conditions import noted
from assay.runs.progress import activity
from assay.runs.recording import events
from assay.runs.recording.events import BrokenEventError
from assay.runs.recording.read_back import (
    RECOUNT,
    ReadBackEvent,
    RecountEvent,
    StoredResult,
    awaits_read_back,
    recounted,
    verified,
)
from assay.runs.recording.result_event import ResultEvent
from assay.runs.recording.spool_state import Listener, OpenAttempt, SpoolState, discrepancies

ENDED = "ended"
"""Key in the stored hello of a segment that has ended."""

STOPPED = "stopped"

PROGRESS = "progress"
"""Key in the stored hello: the probe's activity while it does not measure, else absent."""

HANDED_OVER = "handed_over"
"""Key in the stored hello: the attempt whose files another host has to read back, else absent."""

_NO_CLOCK = {"wall_ns": 0, "t": 0}


@dataclass(frozen=True)
class NewNotice:
    """A notice to store."""

    at: datetime
    level: str
    code: str
    message: str
    detail: dict[str, Any]


class Increment:
    """The processed events of one batch."""

    def __init__(self, spool: SpoolState, data: bytes, paused_ns: int = 0) -> None:
        """Parse the whole lines of `data`, which continues the stored part of the spool.

        `paused_ns` is how long the host was paused, possibly while they were written.
        """
        self._paused_ns = paused_ns
        self.spool = spool
        self.hello: dict[str, Any] | None = spool.hello
        self.new_hello = False
        self.conditions = spool.conditions
        self.open = (
            replace(spool.open, fresh=[], fresh_marks=[], fresh_links=[]) if spool.open else None
        )
        """The attempt in progress after the processed events."""
        self.attempts = [self.open] if self.open else []
        """The attempts in this batch, the newest last."""
        self.notices: list[NewNotice] = []
        self.received_hello: events.Hello | None = None
        self.end: events.End | None = None
        self.results = 0
        self.read_backs: dict[int, dict[str, Any]] = {}
        """The new results of stored attempts whose files were read back or counted, by their id."""
        self.length = self.count = 0
        """Number of processed bytes and events."""
        self._data = data
        self._parsed: list[tuple[events.AnyEvent, int]] = []
        self._broken: BrokenEventError | None = None
        self._trials: Mapping[int, int] = {}
        self._begun: Container[tuple[int, int]] = ()
        self._results: Mapping[tuple[int, int], StoredResult] = {}
        try:  # lines before a broken one are kept
            self._parsed.extend(events.read(data, spool.offset, spool.next_seq))
        except BrokenEventError as error:
            self._broken = error

    @property
    def lines(self) -> bytes:
        """The unmodified lines that were processed."""
        return self._data[: self.length]

    @property
    def after(self) -> SpoolState:
        """The state of the spool once the processed events are stored."""
        spool = self.spool
        return replace(
            spool,
            offset=spool.offset + self.length,
            next_seq=spool.next_seq + self.count,
            hello=self.hello,
            conditions=self.conditions,
            open=self.open,
        )

    @property
    def transfers(self) -> bool:
        """Whether the run moves data between hosts, and so has links."""
        kind = KINDS.get((self.hello or {}).get("job", ""))
        return kind is not None and kind.transfers

    @property
    def refused(self) -> BrokenEventError | None:
        """Why no event was processed: the first line is broken or invalid here; else None."""
        return None if self.count else self._broken

    def named(self) -> set[int]:
        """Return the positions of the trials that begin in this batch, or that notices name."""
        return {
            event.trial
            for event, _ in self._parsed
            if isinstance(
                event,
                events.TrialBegan | events.NoticeEvent | events.ErrorEvent | RecountEvent,
            )
            and event.trial is not None
        }

    def reads_back(self) -> list[tuple[int, int]]:
        """Return the attempts whose files were read back in this batch, as (position, number)."""
        found = (
            event
            for event, _ in self._parsed
            if isinstance(event, ReadBackEvent)
            or (isinstance(event, RecountEvent) and not event.left)
        )
        return [(event.trial, event.attempt) for event in found]

    def take(
        self,
        trials: Mapping[int, int],
        begun: Container[tuple[int, int]],
        results: Mapping[tuple[int, int], StoredResult],
    ) -> None:
        """Process the events up to the first invalid one.

        `trials` maps the positions of the named trials to their ids; `begun` has the stored
        attempts, as (trial id, number); `results` those results that read-backs follow, by the
        position of the trial and the number of the attempt.
        """
        self._trials, self._begun, self._results = trials, begun, results
        for event, past in self._parsed:
            try:
                self._take(event, self.spool.offset + self.length)
            except BrokenEventError as error:
                self._broken = error
                break
            self.length, self.count = past, self.count + 1
        if self.open is not None and self.open.fresh:  # without samples, it began after the pause
            self._add_pause(self.open)

    def _check_segment(self, event: events.AnyEvent, byte: int) -> None:
        if self.hello is None and not isinstance(event, events.Hello):
            raise BrokenEventError(byte, "the log does not begin with a hello")
        if (self.hello or {}).get(ENDED) and not isinstance(event, events.Hello):
            raise BrokenEventError(byte, f"the segment ended, but {event.ev} came after it")

    def _take(self, event: events.AnyEvent, byte: int) -> None:
        self._check_segment(event, byte)
        self._show_progress(event)
        match event:
            case events.Progress():
                pass  # shown, not stored
            case (
                events.SampleEvent()
                | events.MarkEvent()
                | events.Ready()
                | events.Listening()
                | events.AwaitingOrders()
                | events.LinkEvent()
            ):
                self._add(event, byte)
            case events.TrialBegan():
                self._begin(event, byte)
            case ResultEvent():
                self._close(event, byte)
            case events.Written() | ReadBackEvent():
                self._follow_up(event, byte)
            case RecountEvent():
                self._recount(event, byte)
            case events.Hello():
                self._interrupt()
                self.hello, self.new_hello = event.model_dump(mode="json"), True
                self.received_hello, self.end = event, None
            case events.ConditionsEvent():
                self.conditions = noted(self.conditions, event.when, event)
            case events.NoticeEvent() | events.ErrorEvent():
                self._add_notice(event)
            case events.End():
                self._interrupt()
                self.hello, self.new_hello = (self.hello or {}) | {ENDED: True}, True
                self.end = event

    def _follow_up(self, event: events.Written | ReadBackEvent, byte: int) -> None:
        """Keep in the hello what another host has to read back, until it is read back."""
        if isinstance(event, ReadBackEvent):
            self._forget(HANDED_OVER)
            self._add_read_back(event, byte)
            return
        if self.open is not None:
            raise BrokenEventError(byte, "files are handed over before the result")
        found = {"trial": event.trial, "attempt": event.attempt, "manifest": event.manifest}
        self.hello, self.new_hello = (self.hello or {}) | {HANDED_OVER: found}, True

    def _forget(self, name: str) -> None:
        """Remove what is kept in the hello for a while."""
        hello = self.hello or {}
        if name in hello:
            self.hello = {key: value for key, value in hello.items() if key != name}
            self.new_hello = True

    def _add(
        self,
        event: events.SampleEvent
        | events.MarkEvent
        | events.Ready
        | events.Listening
        | events.AwaitingOrders
        | events.LinkEvent,
        byte: int,
    ) -> None:
        """Add an event to the attempt in progress."""
        attempt = self._under_way(event, byte)
        match event:
            case events.SampleEvent():
                attempt.add(byte, event.s)
            case events.MarkEvent():
                attempt.add_mark(byte, event.m)
            case events.Ready():
                attempt.ready = True
            case events.Listening():
                attempt.listening = Listener(event.port, event.address)
            case events.AwaitingOrders():
                attempt.listening = Listener(
                    event.port or 0, None, True, event.directory, event.second_port or 0
                )
            case events.LinkEvent():
                attempt.fresh_links.append((byte, reduced(event.model_dump())))

    def _show_progress(self, event: events.AnyEvent) -> None:
        """Keep the progress of unmeasured work in the hello until another event follows."""
        hello = self.hello or {}
        if isinstance(event, events.Progress):
            now = activity(event.doing, event.call, event.bytes, event.total_bytes)
            self.hello, self.new_hello = hello | {PROGRESS: now}, True
        elif PROGRESS in hello and not isinstance(event, events.NoticeEvent):
            self._forget(PROGRESS)

    def _begin(self, event: events.TrialBegan, byte: int) -> None:
        trial_id = self._trials.get(event.trial)
        if trial_id is None:
            raise BrokenEventError(byte, f"run {self.spool.run_id} has no trial {event.trial}")
        named = (trial_id, event.attempt)
        if named in self._begun or named in ((one.trial_id, one.number) for one in self.attempts):
            raise BrokenEventError(
                byte, f"attempt {event.attempt} of trial {event.trial} begins twice"
            )
        self._interrupt()
        self.open = OpenAttempt(
            trial_id,
            event.trial,
            event.attempt,
            total_bytes=event.total_bytes,
            started_at=self._wall(event.t),
            unsealed_from=byte,
            done_bytes=event.done_bytes or 0,
            done_ns=event.done_ns or 0,
        )
        self.attempts.append(self.open)

    def _close(self, event: ResultEvent, byte: int) -> None:
        attempt = self._under_way(event, byte)
        for problem in discrepancies(attempt, event):
            raise BrokenEventError(byte, f"the {problem}")
        self._add_pause(attempt)
        attempt.status, attempt.result = self._status(event, attempt), event
        attempt.lat_max_ns = event.lat_max_ns
        if event.started_ns is not None:
            attempt.started_at = self._wall(event.started_ns)
        self.open = None
        self.results += 1

    def _add_read_back(self, event: ReadBackEvent, byte: int) -> None:
        """Complete the result of an attempt that is stored, or ended in this batch."""
        named = (event.trial, event.attempt)
        for attempt in self.attempts:
            detail = attempt.result and attempt.result.detail
            due = detail is not None and detail.reads_back and attempt.read_back is None
            if (attempt.position, attempt.number) == named and due:
                attempt.read_back = event
                return
        stored = self._results.get(named)
        due = stored is not None and stored.id not in self.read_backs
        if stored is None or not due or not awaits_read_back(stored.result):
            raise BrokenEventError(
                byte,
                f"attempt {event.attempt} of trial {event.trial} is not to be read back, or was",
            )
        self.read_backs[stored.id] = verified(stored.result, event)

    def _recount(self, event: RecountEvent, byte: int) -> None:
        """Complete the result of an attempt, or note what a probe that died left in its file."""
        if event.left:
            self._note_left(event, byte)
            return
        named = (event.trial, event.attempt)
        for attempt in self.attempts:
            detail = attempt.result and attempt.result.detail
            if (
                detail is not None
                and detail.has_records
                and (attempt.position, attempt.number) == named
                and attempt.recount is None
            ):
                attempt.recount = event
                return
        stored = self._results.get(named)
        if stored is None or stored.id in self.read_backs or RECOUNT in stored.result:
            raise BrokenEventError(
                byte,
                f"attempt {event.attempt} of trial {event.trial} has no result whose records are "
                "counted, or they were counted already",
            )
        self.read_backs[stored.id] = recounted(stored.result, event)

    def _note_left(self, event: RecountEvent, byte: int) -> None:
        trial_id = self._trials.get(event.trial)
        if trial_id is None:
            raise BrokenEventError(byte, f"run {self.spool.run_id} has no trial {event.trial}")
        intact = sum(one.intact for one in event.senders)
        counted = f"{words.grouped(intact)} intact and {words.grouped(event.wrong)} wrong records"
        if not event.whole:
            counted = f"at least {counted} (it could not be read to its end)"
        message = f"The probe had died. Its file still held {counted}."
        detail = {"trial": trial_id, "attempt": event.attempt, **event.fields}
        self.notices.append(
            NewNotice(self._wall(event.t), "warning", RECORDS_LEFT, message, detail)
        )

    def _add_pause(self, attempt: OpenAttempt) -> None:
        """Record the longest pause: several batches may report the same one."""
        attempt.host_paused_ns = max(attempt.host_paused_ns, self._paused_ns)

    def _status(self, event: ResultEvent, attempt: OpenAttempt) -> str:
        """Return the probe's status, or suspended if only the worker detected a pause.

        A kind whose trials go on after a disturbance judges the pause itself. An attempt that
        failed only because the other end of the transfer ended is stopped, as others are whose
        participant failed: what counts is why that end ended, and if it died, both repeat the
        trial.
        """
        if event.reason == "peer_ended":
            return STOPPED
        kind = KINDS.get((self.hello or {}).get("job", ""))
        goes_on = kind is not None and kind.goes_on
        paused = attempt.host_paused_ns > 0 and event.status in COUNTED
        return SUSPENDED if paused and not goes_on else event.status

    def _under_way(
        self,
        event: events.Ready
        | events.Listening
        | events.AwaitingOrders
        | events.SampleEvent
        | events.LinkEvent
        | events.MarkEvent
        | ResultEvent,
        byte: int,
    ) -> OpenAttempt:
        attempt = self.open
        if attempt is None or (attempt.position, attempt.number) != (event.trial, event.attempt):
            raise BrokenEventError(
                byte,
                f"a {event.ev} of attempt {event.attempt} of trial {event.trial}, "
                "which is not in progress",
            )
        return attempt

    def _interrupt(self) -> None:
        """Mark an attempt without a result as interrupted; its samples are kept."""
        if self.open is not None:
            self.open.status = INTERRUPTED
            self.open = None

    def _add_notice(self, event: events.NoticeEvent | events.ErrorEvent) -> None:
        at, level = self._wall(event.t), "info" if event.ev == "notice" else "error"
        detail = (
            event.detail if event.ev == "notice" else {"errno": event.errno, "trial": event.trial}
        )
        trial_id = None if event.trial is None else self._trials.get(event.trial)
        if trial_id is not None:
            detail = detail | {"trial": trial_id}  # the id, as in the API
        if isinstance(event, events.ErrorEvent) and self.open and self.open.trial_id == trial_id:
            detail = detail | {"attempt": self.open.number}
        self.notices.append(NewNotice(at, level, event.code, event.message[:2000], detail))

    def _wall(self, t: int) -> datetime:
        """Return the host's wall clock at `t` nanoseconds of the current segment."""
        hello = self.hello or _NO_CLOCK
        microseconds = (hello["wall_ns"] - hello["t"] + t) // 1000
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
