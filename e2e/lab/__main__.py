"""Command line of the lab: `python -m lab up`, `python -m lab down` and `python -m lab hold`."""

import json
import os
import shutil
import sys

from lab import site
from lab.arrays import Array, raise_all
from lab.commands import LabError
from lab.disks import Disk
from lab.hosts import Host
from lab.lab import Lab
from lab.mechanisms import require


def up() -> None:
    """Start the arrays, which run until `down`, or describe running ones; raises LabError."""
    if (running := site.description()) is not None:
        print(running)
        return
    lab = Lab(lasting=True)
    try:
        arrays = [_described(*raised) for raised in raise_all(lab)]
        if "SUDO_UID" in os.environ:  # the user who called sudo must be able to read the key
            shutil.chown(lab.key, int(os.environ["SUDO_UID"]))
        user = next(iter(lab.hosts.values())).user
        login = f"user         {user}\nprivate key  {lab.key}"
        heading = "Four hosts are running. Stop them with `make lab-down`."
        description = "\n\n".join([heading, login, *arrays])
        lab.outlast(description)
    except BaseException:
        lab.down()
        raise
    print(description)


def _described(array: Array, host: Host, disk: Disk) -> str:
    return (
        f"{host.name}: {array.character}\n"
        f"  address      {host.address} port {host.port}\n"
        f"  fingerprint  {host.fingerprint}\n"
        f"  target       {host.target(disk)} ({array.file_system})"
    )


def down() -> None:
    """Remove the running lab and the leftovers of killed ones."""
    require("root")
    removed = site.remove_all()
    print(f"removed {removed} lab{'' if removed == 1 else 's'}")


def hold() -> None:
    """Start the arrays with disks in memory, for a test: until standard input ends.

    Prints one line of JSON about them when they are ready. Raises LabError.
    """
    with Lab() as lab:
        hosts = [
            {
                "name": host.name,
                "address": host.address,
                "port": host.port,
                "user": host.user,
                "fingerprint": host.fingerprint,
                "target": str(host.target(disk)),
            }
            for _, host, disk in raise_all(lab, in_memory=True)
        ]
        print(json.dumps({"private_key": lab.key.read_text(), "hosts": hosts}), flush=True)
        sys.stdin.read()


COMMANDS = {"up": up, "down": down, "hold": hold}


def main() -> int:
    """Run the command named by the arguments; return the exit code."""
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        print(f"usage: python -m lab {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        COMMANDS[sys.argv[1]]()
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
