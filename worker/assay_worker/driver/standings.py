"""Decisions of the barrier by the progress of each participant."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from assay.runs.recording.spool_state import Listener

UNFINISHED = frozenset({"failed", "stopped", "interrupted"})
"""Statuses of an attempt after which the other participants stop theirs."""

COMPLETE = "complete"
"""Status of an attempt that has done all that its trial asks for."""

Try = tuple[int, int]
"""An attempt that all participants make together: the position of its trial, and its number."""


@dataclass
class Standing:
    """A participant's progress through its plan."""

    attempt: Try | None = None
    """The attempt in progress."""
    ready: bool = False
    """Whether it waits at the barrier; after its release, until its first sample."""
    listening: Listener | None = None
    """Where it accepts connections of the other end of a transfer."""
    unfinished: set[Try] = field(default_factory=set[Try])
    """Its attempts that ended without a result that counts."""
    completed: set[Try] = field(default_factory=set[Try])
    """Its attempts that ended with a complete result."""
    over: bool = False
    """Whether its probe has ended."""


@dataclass(frozen=True)
class Abort:
    """An attempt that a participant has to stop because another participant's did not finish."""

    participant_id: int
    attempt: Try


Standings = Mapping[int, Standing]


def to_release(standings: Standings) -> Try | None:
    """Return the attempt that all participants are ready for, if any."""
    waiting = {standing.attempt if standing.ready else None for standing in standings.values()}
    return waiting.pop() if len(waiting) == 1 else None


def to_abort(standings: Standings, released: Collection[Try]) -> list[Abort]:
    """Return the attempts that participants have to stop; `released` are those that were started.

    Only attempts in progress are aborted, because a probe reads only the latest release or abort.
    An attempt that another participant has passed can never be released.
    """
    unfinished = {one for standing in standings.values() for one in standing.unfinished}
    furthest = max((s.attempt for s in standings.values() if s.attempt), default=None)
    return [
        Abort(participant_id, standing.attempt)
        for participant_id, standing in standings.items()
        if standing.attempt and furthest
        if standing.attempt in unfinished
        or (_waits(standing, released) and standing.attempt < furthest)
    ]


def to_connect(standings: Standings, exchanges: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return pairs of participants in the same attempt: one that listens, and another end.

    `exchanges` is the exchange of each participant; only those of the same one connect.
    """
    return [
        (one, other)
        for one, standing in standings.items()
        if standing.listening is not None and standing.attempt is not None
        if not standing.listening.awaits_orders
        for other, beside in standings.items()
        if other != one
        and exchanges[other] == exchanges[one]
        and beside.attempt == standing.attempt
        and not beside.ready
    ]


def to_order(standings: Standings) -> Try | None:
    """Return the attempt by another program whose commands all participants wait for, if any."""
    waiting = {
        one.attempt if one.listening is not None and one.listening.awaits_orders else None
        for one in standings.values()
    }
    return waiting.pop() if len(waiting) == 1 else None


def to_finish(standings: Standings) -> list[tuple[int, Try]]:
    """Return the participants of another program's attempt that the other end has completed."""
    completed = {one for standing in standings.values() for one in standing.completed}
    return [
        (participant_id, standing.attempt)
        for participant_id, standing in standings.items()
        if standing.attempt in completed
        and standing.listening is not None
        and standing.listening.awaits_orders
    ]


def to_stop(standings: Standings, released: Collection[Try]) -> list[int]:
    """Return the participants that wait for an attempt that another's probe ended without."""
    if not any(standing.over for standing in standings.values()):
        return []
    unfinished = {one for standing in standings.values() for one in standing.unfinished}
    return [
        participant_id
        for participant_id, standing in standings.items()
        if _waits(standing, released) and standing.attempt not in unfinished
    ]


def _waits(standing: Standing, released: Collection[Try]) -> bool:
    return standing.ready and standing.attempt not in released
