"""Hosts, disks and links of known speed, which fail when they are told to.

A host is a set of namespaces with its own sshd; a disk is a throttled loop device; a link is a
veth pair. `Lab` makes them and ends them; `python -m lab` does the same for people. docs/lab.md
says how to use it, the modules how each thing works.
"""

from lab.commands import LabError
from lab.disks import Disk
from lab.faults import Fault
from lab.hosts import Host
from lab.lab import GIB, MIB, Lab
from lab.links import Link
from lab.mechanisms import MissingMechanismError, require
from lab.troubles import Trouble

__all__ = [
    "GIB",
    "MIB",
    "Disk",
    "Fault",
    "Host",
    "Lab",
    "LabError",
    "Link",
    "MissingMechanismError",
    "Trouble",
    "require",
]
