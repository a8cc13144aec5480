"""Time zones of the IANA database: which there are, and what a wrong name may mean."""

from functools import cache
from zoneinfo import available_timezones

from assay.base.suggestions import did_you_mean

_NO_ZONES = frozenset({"localtime", "Factory", "posixrules"})
"""Files that are no zones, or that differ between machines."""


@cache
def names() -> frozenset[str]:
    """Return the names of all zones."""
    return frozenset(available_timezones() - _NO_ZONES)


def problem_of(name: str) -> tuple[str, str] | None:
    """Return what is wrong with the name of a zone, and the remedy; None if there is the zone."""
    if name in names():
        return None
    cities = {one.rpartition("/")[2]: one for one in sorted(names())}
    meant = cities.get(name.strip().title().replace(" ", "_"))
    remedy = (
        (f"Did you mean `{meant}`?" if meant else None)
        or did_you_mean(name, names())
        or "Use a name such as Europe/Berlin or UTC."
    )
    return f"{name!r} is not a time zone of the IANA database", remedy
