"""Timetables: the points in time at which a schedule fires. Pure.

A cron expression and blackouts are wall-clock times of one time zone, and every rule about
daylight saving time is here:

- A time that does not exist, because clocks are set forward over it, fires at the first moment
  after the gap. Several times in one gap fire once.
- A time that occurs twice, because clocks are set back, fires at its first occurrence only.
- A time in a blackout does not fire. A blackout begins at its start and ends before its end; a time
  that was moved out of a gap is judged where it fires.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from typing import Literal
from zoneinfo import ZoneInfo

from assay.runs.schedules import cron

HORIZON = timedelta(days=3660)
"""No fire time is searched later; two leap days may be eight years apart."""

MOST_SKIPPED = 2000
"""Fire times that are skipped in sequence; weekly blackouts repeat after far fewer."""

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Adjustment = Literal["gap", "repeated"]

_DAY = timedelta(days=1)
_MIDNIGHT = time()


@dataclass(frozen=True)
class Weekly:
    """A blackout from `start` on each of `days`; at or before `start`, `end` is on the next day."""

    days: frozenset[Day]
    start: time
    end: time

    def end_at(self, local: datetime) -> datetime | None:
        """Return when the blackout around `local` ends; None outside of it."""
        for before in (0, 1):  # it may have begun yesterday
            date = local.date() - before * _DAY
            if DAYS[date.weekday()] not in self.days:
                continue
            start = datetime.combine(date, self.start)
            end = datetime.combine(date, self.end)
            if end <= start:
                end += _DAY
            if start <= local < end:
                return end
        return None


@dataclass(frozen=True)
class Dated:
    """A blackout between two wall-clock times."""

    start: datetime
    end: datetime

    def end_at(self, local: datetime) -> datetime | None:
        """Return when the blackout ends if `local` is in it, or None."""
        return self.end if self.start <= local < self.end else None


@dataclass(frozen=True)
class FireTime:
    """A point in time, in UTC and in the zone.

    `cron_time` is the minute that the expression names; `adjustment` is why it needed a rule.
    """

    at: datetime
    local: datetime
    cron_time: datetime
    adjustment: Adjustment | None


@dataclass(frozen=True)
class Timetable:
    """When a schedule fires; the expression must be valid, and the zone exist."""

    expression: str
    zone: str
    weekly: Sequence[Weekly] = ()
    dated: Sequence[Dated] = ()

    @cached_property
    def _zone(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    def fire_times(self, after: datetime) -> Iterator[FireTime]:
        """Yield the fire times after a point in time, up to the horizon."""
        return (one for one, blackout_end in self.all_times(after) if blackout_end is None)

    def all_times(self, after: datetime) -> Iterator[tuple[FireTime, datetime | None]]:
        """Yield also times in a blackout, with its end; of a long one, only the first.

        Ends after `MOST_SKIPPED` times in blackouts in sequence.
        """
        skipped, last = 0, after
        # a time in a gap fires later than its own minute
        begin = after.astimezone(self._zone).replace(tzinfo=None) - _DAY
        times = cron.after(self.expression, begin)
        while skipped < MOST_SKIPPED:
            named = next(times, None)
            if named is None or named - begin > HORIZON:
                return
            found = self._fire_time(named)
            if found.at <= last:
                continue
            end = self.blackout_end(found.local)
            yield found, end
            last, skipped = found.at, 0 if end is None else skipped + 1
            if end is None or end <= named:
                continue
            if end - begin > HORIZON:
                return
            # the end itself may be a fire time
            times = cron.after(self.expression, end - timedelta(minutes=1))

    def blackout_end(self, local: datetime) -> datetime | None:
        """Return when the longest blackout around a wall-clock time ends; None outside of all."""
        local = local.replace(tzinfo=None)
        ends = (one.end_at(local) for one in (*self.weekly, *self.dated))
        return max((end for end in ends if end is not None), default=None)

    def local(self, at: datetime) -> datetime:
        """Return a point in time in the zone."""
        return at.astimezone(self._zone)

    def _fire_time(self, named: datetime) -> FireTime:
        first = named.replace(tzinfo=self._zone, fold=0)
        second = named.replace(tzinfo=self._zone, fold=1)
        before, later = first.astimezone(UTC), second.astimezone(UTC)
        if before == later:
            return FireTime(before, first, named, None)
        if before < later:  # the clocks show this time twice
            return FireTime(before, first, named, "repeated")
        at = self._change_between(later, before)
        return FireTime(at, at.astimezone(self._zone), named, "gap")

    def _change_between(self, before: datetime, after: datetime) -> datetime:
        """Return the second at which the zone's offset changes between two points in time."""
        old = before.astimezone(self._zone).utcoffset()
        while after - before > timedelta(seconds=1):
            middle = before + timedelta(seconds=(after - before).total_seconds() // 2)
            if middle.astimezone(self._zone).utcoffset() == old:
                before = middle
            else:
                after = middle
        return after
