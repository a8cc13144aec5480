"""Simulation of a full disk cache: a process that counts written bytes and lowers the rate.

    python -m lab.cliff GROUP DEVICE BYTES SLOW FAST REST

It is a process because the disk of a lasting lab needs it after its creator has exited.
"""

import sys
import time

from lab.disks import moved
from lab.groups import Group, number

LOOK_S = 0.01
TRICKLE = 0.01
"""Share of the cache that may be written while the disk counts as idle."""


def watch(group: Group, device: str, cache: int, slow: int, fast: int, rest_s: float) -> None:
    """Write at `fast` bytes per second (0 is no limit) for `cache` bytes, then at `slow`.

    Never returns. The cache empties after `rest_s` seconds with almost no writes (a file system
    occasionally writes its journal).
    """
    empty_at = quiet_at = moved(device).written
    quiet_since = time.monotonic()
    full = False
    while True:
        time.sleep(LOOK_S)
        written = moved(device).written
        if written - quiet_at > cache * TRICKLE:
            quiet_at, quiet_since = written, time.monotonic()
        elif rest_s and time.monotonic() - quiet_since > rest_s:
            empty_at = written
        if full != (written - empty_at >= cache):
            full = not full
            group.throttle(number(device), write=slow if full else fast or None)


if __name__ == "__main__":
    _, name, device_name, *numbers = sys.argv
    size, low, high = (int(text) for text in numbers[:3])
    watch(Group(name), device_name, size, low, high, float(numbers[3]))
