"""A pause of a host's whole machine, which none of its own clocks shows.

All clocks of a virtual machine stop while it is paused, and go on as if nothing had been. The
worker's clock went on meanwhile, so the host's falls behind it. Two readings of the host's uptime
bound by how much: the way to the host and back can only make the difference look smaller.
"""

import time
from dataclasses import dataclass

from assay_worker.connectors.connection import Connection

UPTIME = ("cat", "/proc/uptime")
TICK_S = 0.01
"""What `/proc/uptime` resolves."""

DRIFT = 500e-6
"""By how much two clocks may differ in speed: adjtime(3) turns a clock by no more."""

LEAST_S = 0.25
"""A shorter pause is none: it is what the probe, too, calls late."""

CAUGHT_UP_S = 0.1
"""What was written before a reading has come once nothing is there to be read for so long."""

SAMPLE, RESULT = b'"ev":"sample"', b'"ev":"result"'


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


async def read(connection: Connection) -> Reading | None:
    """Ask the host for its uptime; None where it does not tell. Raises HostError."""
    asked = time.clock_gettime(time.CLOCK_BOOTTIME)
    finished = await connection.run(UPTIME)
    answered = time.clock_gettime(time.CLOCK_BOOTTIME)
    try:
        return Reading(asked, answered, float(finished.stdout.split()[0]))
    except (IndexError, ValueError):
        return None


_newest: dict[int, Reading] = {}
"""Of each run's host, up to which pauses are charged; it outlives connections, since a pause may
break one."""

_driven: dict[int, int] = {}
"""The generation in which this process last took each run."""


def taken(run_id: int, generation: int) -> None:
    """This process drives the run now.

    Where another one did in between, it may have charged what was since, so the reading is
    forgotten: a pause that falls between two workers is not seen.
    """
    if _driven.get(run_id) != generation - 1:
        _newest.pop(run_id, None)
    _driven[run_id] = generation


def forget(run_id: int) -> None:
    """The run has ended."""
    _newest.pop(run_id, None)
    _driven.pop(run_id, None)


class Pauses:
    """With which pause of the host the attempts in each piece of a stream are to be charged.

    The clock is read when a stream begins, and again with the result of a trial in which the
    stream was silent for longer than its samples are apart.
    """

    def __init__(self, run_id: int, connection: Connection, interval_s: float) -> None:
        """Made by `begin`."""
        self._run_id, self._connection = run_id, connection
        self._latest: Reading | None = None
        self._longest_s = interval_s + LEAST_S
        self._caught_up_s = min(CAUGHT_UP_S, interval_s / 2)
        self._suspicious = False
        self._paused_ns = 0
        self._charged = False

    @classmethod
    async def begin(cls, run_id: int, connection: Connection, interval_s: float) -> "Pauses":
        """Read the clock for what happened before the stream; raises HostError."""
        pauses = cls(run_id, connection, interval_s)
        pauses._paused_ns = await pauses._read()
        return pauses

    def heard(self, gap_s: float, waited_s: float) -> None:
        """Bytes came `gap_s` after those before; for `waited_s` nothing was there to be read."""
        if self._charged and waited_s >= self._caught_up_s:
            self._paused_ns = 0
        self._suspicious = self._suspicious or gap_s > self._longest_s

    async def charged_to(self, lines: bytes) -> int:
        """Nanoseconds to charge to the whole lines that have come; raises HostError."""
        if self._suspicious and RESULT in lines:
            self._suspicious = False
            self._paused_ns = max(self._paused_ns, await self._read())
        # the first that were measured are older than the reading, however late they come
        self._charged = self._charged or SAMPLE in lines or RESULT in lines
        return self._paused_ns

    def stored(self) -> None:
        """What was charged is stored: pauses up to the latest reading are not charged again."""
        if self._latest:
            _newest[self._run_id] = self._latest

    async def _read(self) -> int:
        """How long the host was paused since the reading up to which pauses are charged.

        0 where it does not tell, and at the first reading.
        """
        self._latest = await read(self._connection)
        if self._latest is None:
            return 0
        return paused_ns(_newest.setdefault(self._run_id, self._latest), self._latest)
