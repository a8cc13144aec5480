"""The lab: hosts, disks and links of known speed, with fault injection.

A host is a set of namespaces with its own sshd; a disk is a throttled loop device; a link is a veth
pair, or a forwarder with a delay. `Lab` creates and removes them; `python -m lab` is the command
line. docs/lab.md describes the usage, and each module its implementation.
"""

from lab.commands import LabError
from lab.disks import Disk
from lab.faults import Fault
from lab.file_faults import FileFault
from lab.hosts import Host
from lab.lab import GIB, MIB, Lab
from lab.links import Link
from lab.mechanisms import MissingMechanismError, require
from lab.wan import Wan, Way

__all__ = [
    "GIB",
    "MIB",
    "Disk",
    "Fault",
    "FileFault",
    "Host",
    "Lab",
    "LabError",
    "Link",
    "MissingMechanismError",
    "Wan",
    "Way",
    "require",
]
