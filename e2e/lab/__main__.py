"""Command line of the lab: `python -m lab up` and `python -m lab down`."""

import os
import shutil
import sys

from lab import site
from lab.arrays import ARRAYS
from lab.commands import LabError
from lab.lab import Lab
from lab.mechanisms import require


def up() -> None:
    """Start the three arrays, which run until `down`; raises LabError."""
    lab = Lab(lasting=True)
    try:
        lines = [_described(lab, number) for number in range(len(ARRAYS))]
        if "SUDO_UID" in os.environ:  # the user who called sudo must be able to read the key
            shutil.chown(lab.key, int(os.environ["SUDO_UID"]))
        lab.outlast()
    except BaseException:
        lab.down()
        raise
    print("Three hosts are running. Stop them with `make lab-down`.\n")
    print(f"user         {next(iter(lab.hosts.values())).user}")
    print(f"private key  {lab.key}\n")
    print("\n\n".join(lines))


def _described(lab: Lab, number: int) -> str:
    array = ARRAYS[number]
    host, disk = array.raised(lab)
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


COMMANDS = {"up": up, "down": down}


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
