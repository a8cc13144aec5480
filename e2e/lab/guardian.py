"""The guardian of a lab: waits for the end of the process that made it, and removes what it left.

The kernel ends a killed lab's processes, and so its mounts and links, but not its loop devices,
throttles and folder. So a lab has a guardian outside of it, whose standard input is a pipe that the
lab's maker holds: it ends with the maker, however that ends.

    python -m lab.guardian NUMBER PID STARTED
"""

import sys
import time

from lab import site
from lab.commands import LabError
from lab.processes import Process

PAUSES_S = (0, 1, 10)
"""Pause between attempts: a command or a pending disk operation may end a little later."""


def guard(number: int, maker: Process) -> None:
    """Wait until a lab's creator has exited, then remove what is left of the lab."""
    sys.stdin.buffer.read()
    while not maker.is_gone():  # the kernel closes its files a little before
        time.sleep(0.01)
    for pause_s in PAUSES_S:
        time.sleep(pause_s)
        try:
            site.remove_if_dead(number)
        except LabError as error:
            print(error, flush=True)


if __name__ == "__main__":
    guard(int(sys.argv[1]), Process(int(sys.argv[2]), sys.argv[3]))
