"""The guardian of a lab: waits for the exit of its creator, and removes what is left of the lab.

The kernel ends a killed lab's processes, and with them its mounts and links, but not its loop
devices, throttles and directory. The guardian runs outside the lab. Its standard input is a pipe
from the lab's creator, which closes when the creator exits, however that happens.

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
