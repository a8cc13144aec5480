"""Cron expressions: which minutes of the calendar they name, in no time zone. Pure.

`timetable.py` turns these into points in time. Daylight saving time is handled there, so `cronsim`,
which has rules of its own for it, is only given times without a zone.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice, pairwise

from cronsim import CronSim, CronSimError

LONGEST = 100
FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
SHORTEST_INTERVAL = timedelta(minutes=15)
"""The minimum time between two fire times."""

_EXAMPLE = "Use five fields such as 0 2 * * 1-5: at 02:00 from Monday to Friday."
_ANY_DAY = datetime(2024, 1, 1)  # of a leap year
_COMPARED = 400
"""Times whose distances are compared: at the minimum interval, those of four days."""


class CronError(ValueError):
    """An expression that cannot be used; `remedy` is what to do."""

    def __init__(self, message: str, remedy: str = _EXAMPLE) -> None:
        """Keep the remedy."""
        super().__init__(message)
        self.remedy = remedy


def check(expression: str) -> None:
    """Raise CronError for an expression that is invalid, never fires or fires too often."""
    parts = expression.split()
    if len(parts) != len(FIELDS):
        raise CronError(f"has {len(parts)} fields, but must have five: {', '.join(FIELDS)}")
    for number, part in enumerate(parts):
        alone = ["*"] * len(FIELDS)
        alone[number] = part
        if not _is_valid(" ".join(alone)):
            raise CronError(f"has {part!r} as {FIELDS[number]}, which is not valid")
    never = CronError(
        "never fires: no month that it names has such a day",
        "Choose a day that exists, or L as the day of the month for its last day.",
    )
    if not _is_valid(expression):
        raise never
    times = list(islice(after(expression, _ANY_DAY), _COMPARED))
    if not times:
        raise never
    shortest = min((later - earlier for earlier, later in pairwise(times)), default=None)
    if shortest is not None and shortest < SHORTEST_INTERVAL:
        raise CronError(
            f"fires {_minutes(shortest)} apart; the minimum is {_minutes(SHORTEST_INTERVAL)}",
            "Choose fewer minutes, such as 0,30 or */15.",
        )


def after(expression: str, local: datetime) -> Iterator[datetime]:
    """Yield the minutes after `local`, a time without a zone; ends after 50 years without any."""
    return iter(CronSim(expression, local))


def description(expression: str) -> str:
    """Return an expression in English: `At 02:00 on Monday`."""
    return CronSim(expression, _ANY_DAY).explain()


def _is_valid(expression: str) -> bool:
    try:
        CronSim(expression, _ANY_DAY)
    except CronSimError:
        return False
    return True


def _minutes(interval: timedelta) -> str:
    return f"{round(interval.total_seconds() / 60)} min"
