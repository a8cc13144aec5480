"""The threads of a probe for each physical device below its target. Pure."""

from collections.abc import Iterator

from assay.analysis import words
from assay.kinds.path.fields import MOST_DISK_THREADS
from assay.kinds.planning import Caution, Place

CAUTIONS = frozenset({"devices_unknown", "disk_threads_limited"})
"""The codes of the warnings."""


def threads(per_device: int, devices: int) -> int:
    """Return the threads for a target on so many devices; 0 is unknown, and counts as one."""
    return min(MOST_DISK_THREADS, per_device * max(1, devices))


def cautions(per_device: int, place: Place) -> Iterator[Caution]:
    """Yield that the devices of a target are unknown, or too many for a thread each."""
    number = threads(per_device, len(place.devices))
    if not place.devices:
        yield Caution(
            "devices_unknown",
            f"{place.host_name} does not show the physical devices below {place.path} "
            f"({place.fs_type}): they count as one, for {words.count(number, 'thread')}. If there "
            "are more, give their number as `threads_per_device`.",
        )
    elif number < per_device * len(place.devices):
        yield place.caution(
            "disk_threads_limited",
            "",
            f" is on {words.count(len(place.devices), 'device')}: "
            f"{per_device} for each would be more than the {MOST_DISK_THREADS} threads that a "
            "target has at most.",
        )
