"""Pauses of a virtual machine, which its own clocks do not show.

All clocks of a virtual machine stop while it is paused, and then continue as if nothing had
happened. The worker's clock does not stop, so the host's clock falls behind it. Two readings of the
host's uptime give a lower bound of the pause: network delay can only reduce the difference.
"""

import time
from dataclasses import dataclass

from assay_worker.connectors.connection import Connection

UPTIME = ("cat", "/proc/uptime")
TICK_S = 0.01
"""Resolution of `/proc/uptime`."""

DRIFT = 500e-6
"""Maximum difference in speed of two clocks: adjtime(3) slews a clock by no more."""

LEAST_S = 0.25
"""A shorter pause does not count: the probe uses the same threshold for a late heartbeat."""

CAUGHT_UP_S = 0.1
"""After this long without data, everything written before a reading has arrived."""

SAMPLE, RESULT = b'"ev":"sample"', b'"ev":"result"'


@dataclass(frozen=True)
class UptimeReading:
    """The host's uptime, read between `asked_s` and `answered_s` on the worker's clock."""

    asked_s: float
    answered_s: float
    uptime_s: float


def paused_ns(before: UptimeReading, after: UptimeReading) -> int:
    """Return the minimum time that the host's clock stopped between the readings, in nanoseconds.

    0 if it may not have stopped, or if the host was rebooted.
    """
    here = (after.asked_s - before.answered_s) * (1 - DRIFT)
    there = after.uptime_s - before.uptime_s + TICK_S
    if there < 0 or here - there < LEAST_S:
        return 0
    return int((here - there) * 1e9)


async def read(connection: Connection) -> UptimeReading | None:
    """Read the host's uptime; None if it is not available. Raises HostError."""
    asked = time.clock_gettime(time.CLOCK_BOOTTIME)
    finished = await connection.run(UPTIME)
    answered = time.clock_gettime(time.CLOCK_BOOTTIME)
    try:
        return UptimeReading(asked, answered, float(finished.stdout.split()[0]))
    except (IndexError, ValueError):
        return None


_newest: dict[int, dict[int, UptimeReading]] = {}
"""By run and participant, the reading up to which pauses are reported; it outlives a connection,
because a pause may break one."""

_driven: dict[int, int] = {}
"""The generation in which this process last took each run."""


def taken(run_id: int, generation: int) -> None:
    """Record that this process drives the run from now on.

    If another one drove it in between, it may have reported the pauses since the last reading, so
    the reading is discarded: a pause between two workers is not detected.
    """
    if _driven.get(run_id) != generation - 1:
        _newest.pop(run_id, None)
    _driven[run_id] = generation


def forget(run_id: int) -> None:
    """Discard the readings of an ended run."""
    _newest.pop(run_id, None)
    _driven.pop(run_id, None)


class Pauses:
    """Detects pauses of the host that affect the attempts in a stream of events.

    The clock is read when the stream begins, and again at the result of a trial during which the
    stream was silent for longer than the sampling interval.
    """

    def __init__(
        self, run_id: int, participant_id: int, connection: Connection, interval_s: float
    ) -> None:
        """Use `begin` instead."""
        self._known, self._participant_id = _newest.setdefault(run_id, {}), participant_id
        self._connection = connection
        self._latest: UptimeReading | None = None
        self._longest_s = interval_s + LEAST_S
        self._caught_up_s = min(CAUGHT_UP_S, interval_s / 2)
        self._suspicious = False
        self._paused_ns = 0
        self._charged = False

    @classmethod
    async def begin(
        cls, run_id: int, participant_id: int, connection: Connection, interval_s: float
    ) -> "Pauses":
        """Read the clock for what happened before the stream; raises HostError."""
        pauses = cls(run_id, participant_id, connection, interval_s)
        pauses._paused_ns = await pauses._read()
        return pauses

    def heard(self, gap_s: float, waited_s: float) -> None:
        """Record an arrival: `gap_s` after the one before, `waited_s` of it spent waiting."""
        if self._charged and waited_s >= self._caught_up_s:
            self._paused_ns = 0
        self._suspicious = self._suspicious or gap_s > self._longest_s

    async def charged_to(self, lines: bytes) -> int:
        """Return the pause that affects these whole lines, in nanoseconds; raises HostError."""
        if self._suspicious and RESULT in lines:
            self._suspicious = False
            self._paused_ns = max(self._paused_ns, await self._read())
        # the first measured lines are older than the reading, even if they arrive late
        self._charged = self._charged or SAMPLE in lines or RESULT in lines
        return self._paused_ns

    def stored(self) -> None:
        """Record that pauses up to the latest reading are stored and need no further report."""
        if self._latest:
            self._known[self._participant_id] = self._latest

    async def _read(self) -> int:
        """Return how long the host was paused since the last reported reading.

        0 if the uptime is not available, and at the first reading.
        """
        self._latest = await read(self._connection)
        if self._latest is None:
            return 0
        known = self._known.setdefault(self._participant_id, self._latest)
        return paused_ns(known, self._latest)
