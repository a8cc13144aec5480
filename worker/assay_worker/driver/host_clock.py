"""A pause of a host's whole machine, which none of its own clocks shows.

All clocks of a virtual machine stop while it is paused, and go on as if nothing had been. The
worker's clock went on meanwhile, so the host's falls behind it. Two readings of the host's uptime
bound by how much: the way to the host and back can only make the difference look smaller.
"""

import time
from dataclasses import dataclass

from assay_worker.connectors.connection import Connection
from assay_worker.loop import wait_for

UPTIME = ("cat", "/proc/uptime")
TICK_S = 0.01
"""What `/proc/uptime` resolves."""

DRIFT = 500e-6
"""By how much two clocks may differ in speed: adjtime(3) turns a clock by no more."""

LEAST_S = 0.25
"""A shorter pause is none: it is what the probe, too, calls late."""


SILENT_S = 0.5
"""A stream that is silent for so long beyond its interval may come from a host that was paused."""

CAUGHT_UP_S, BACKLOG_S = 0.1, 2.0
"""What was written before a reading has come once the stream pauses, or after this time."""

RESULT = b'"ev":"result"'


@dataclass(frozen=True)
class Reading:
    """The host's uptime, read at some moment between `asked_s` and `answered_s` here."""

    asked_s: float
    answered_s: float
    uptime_s: float


def paused_ns(before: Reading, after: Reading) -> int:
    """The least time that the host's clock stood still in between, in nanoseconds.

    0 where it need not have stood still at all, and where the host was started anew.
    """
    here = (after.asked_s - before.answered_s) * (1 - DRIFT)
    there = after.uptime_s - before.uptime_s + TICK_S
    if there < 0 or here - there < LEAST_S:
        return 0
    return int((here - there) * 1e9)


class HostClock:
    """The clock of one run's host, as its worker reads it from time to time."""

    def __init__(self) -> None:
        """Nothing has been read."""
        self._last: Reading | None = None

    def paused_ns(self, connection: Connection) -> int:
        """Read it again: how long the host was paused since the last time, in nanoseconds.

        0 where the host does not tell its uptime. Raises HostError.
        """
        reading = read(connection)
        if reading is None:
            return 0
        last, self._last = self._last, reading
        return paused_ns(last, reading) if last else 0


def read(connection: Connection) -> Reading | None:
    """Ask the host for its uptime; None where it does not tell. Raises HostError."""
    asked = time.clock_gettime(time.CLOCK_BOOTTIME)
    finished = wait_for(connection.run(UPTIME))
    answered = time.clock_gettime(time.CLOCK_BOOTTIME)
    try:
        return Reading(asked, answered, float(finished.stdout.split()[0]))
    except (IndexError, ValueError):
        return None


_clocks: dict[int, HostClock] = {}


def clock_of(run_id: int) -> HostClock:
    """The clock of a run's host; it outlives slices, since a pause may break the connection."""
    return _clocks.setdefault(run_id, HostClock())


def forget(run_id: int) -> None:
    """The run has ended, or is no longer this process's."""
    _clocks.pop(run_id, None)


class Pauses:
    """With which pause of the host the attempts in each piece of a stream are to be charged.

    The clock is read when a stream begins, and again with the result of a trial in which the
    stream was silent for longer than its samples are apart.
    """

    def __init__(self, clock: HostClock, connection: Connection, interval_s: float) -> None:
        """Read the clock for what happened before the stream; raises HostError."""
        self._clock, self._connection = clock, connection
        self._longest_s = interval_s + SILENT_S
        self._suspicious = False
        self._paused_ns = clock.paused_ns(connection)
        self._until_s = time.monotonic() + BACKLOG_S

    def charged_to(self, piece: bytes, gap_s: float) -> int:
        """Nanoseconds to charge to a piece that came `gap_s` after the one before.

        Raises HostError.
        """
        if gap_s >= CAUGHT_UP_S or time.monotonic() > self._until_s:
            self._paused_ns = 0
        self._suspicious = self._suspicious or gap_s > self._longest_s
        if self._suspicious and RESULT in piece:
            self._suspicious = False
            self._paused_ns = self._clock.paused_ns(self._connection)
            self._until_s = time.monotonic() + BACKLOG_S
        return self._paused_ns
