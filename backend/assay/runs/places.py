"""Where runs measured, in words."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.runs.schemas import RunParticipant

if TYPE_CHECKING:  # the command line does not need the database
    from assay.runs.models import Participant


def place(one: "Participant | RunParticipant") -> str:
    """Return the host and directory of a participant; of one in memory only the host."""
    return place_of(one.host.name, one.target.path if one.target else None)


def place_of(host: str, path: str | None) -> str:
    """Return a host with a directory; without one it is the host's memory."""
    return f"{host} {path}" if path else host


def titled(title: str, at: Iterable[str]) -> str:
    """Return the title of a run with the places where it measured."""
    return f"{title} on {' + '.join(at)}"


def places(of: "Iterable[Participant | RunParticipant]") -> list[str]:
    """Return the hosts and directories of participants, in their order."""
    return [place(one) for one in of]
