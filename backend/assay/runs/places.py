"""Where runs measured, in words."""

from collections.abc import Iterable
from typing import Any, Protocol


class Placed(Protocol):
    """A participant, as a table or the API has it."""

    @property
    def host(self) -> Any:
        """Its host, with a name."""

    @property
    def target(self) -> Any:
        """Its target, with a path; None in memory."""


def place(participant: Placed) -> str:
    """Return the host and directory of a participant; of one in memory only the host."""
    target = participant.target
    return place_of(participant.host.name, target.path if target else None)


def place_of(host: str, path: str | None) -> str:
    """Return a host with a directory; without one it is the host's memory."""
    return f"{host} {path}" if path else host


def titled(title: str, at: Iterable[str]) -> str:
    """Return the title of a run with the places where it measured."""
    return f"{title} on {' + '.join(at)}"


def places(participants: Iterable[Placed]) -> list[str]:
    """Return the hosts and directories of participants, in their order."""
    return list(map(place, participants))
