"""How a built-in profile is written down: its class, and the units of its sizes in bytes."""

from dataclasses import dataclass

from assay.profiles.schemas import ProfileBody

MB = 10**6
GB = 10**9
TB = 10**12
KIB = 2**10
MIB = 2**20


@dataclass(frozen=True)
class Builtin:
    """A profile that is defined in the code."""

    slug: str
    name: str
    description: str
    body: ProfileBody
