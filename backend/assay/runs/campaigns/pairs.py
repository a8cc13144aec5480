"""Which source of a campaign's transfers moves data to which sink. Pure.

*together*: many to one, one to many, or each source to the sink at its position, in one run.
*mesh*: each place to each other one, a run for each direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeVar

from assay.base.field_errors import FieldError
from assay.kinds.planning import FieldName, Place

Arrangement = Literal["together", "mesh"]

MOST_MESHED = 16
"""Maximum number of places of a mesh: 240 runs of each test."""

End = TypeVar("End")


@dataclass(frozen=True)
class Pair:
    """A source and a sink, with their positions in `sources` and `sinks`."""

    source: Place
    sink: Place
    positions: tuple[int, int]

    def naming(self, name: FieldName) -> FieldName:
        """Return `name`, which also names the ends, as the fields `source` and `sink`."""
        ends = {
            side: f"{side}s.{position}"
            for side, position in zip(("source", "sink"), self.positions, strict=True)
        }
        return lambda number, field: ends.get(field) or name(number, field)


@dataclass(frozen=True)
class Transfers:
    """The ends of a campaign's transfers; in a mesh, `sinks` are the `sources`."""

    sources: Sequence[Place] = ()
    sinks: Sequence[Place] = ()
    arrangement: Arrangement = "together"

    @property
    def pairs(self) -> list[Pair]:
        """The pairs in the order of their runs; none if sources and sinks cannot be paired."""
        number = len(self.sources)
        if self.arrangement == "together":
            positions = paired(number, len(self.sinks))
        else:
            positions = meshed(number) if number <= MOST_MESHED else []
        return [
            Pair(self.sources[one], self.sinks[other], (one, other)) for one, other in positions
        ]


NO_TRANSFERS = Transfers()


def paired(sources: int, sinks: int) -> list[tuple[int, int]]:
    """Return the positions of so many sources and sinks that run together; empty if they cannot."""
    if sources == sinks:
        return [(position, position) for position in range(sources)]
    return list(product(range(sources), range(sinks))) if 1 in (sources, sinks) else []


def meshed(number: int) -> list[tuple[int, int]]:
    """Return all ordered pairs of different positions, those that can run at once side by side.

    The circle method of round-robin tournaments: in each round every place is in one pair, or rests
    if their number is odd. Each round is followed by the same one in the other direction.
    """
    places = list(range(number + number % 2))
    found: list[tuple[int, int]] = []
    for _ in places[1:]:
        half = len(places) // 2
        facing = zip(places[:half], reversed(places[half:]), strict=True)
        games = [(one, other) for one, other in facing if number not in (one, other)]
        found += [*games, *((other, one) for one, other in games)]
        places = [places[0], places[-1], *places[1:-1]]
    return found


def mispaired(
    sources: Sequence[End], sinks: Sequence[End], arrangement: Arrangement
) -> Iterator[FieldError]:
    """Yield why sources and sinks cannot be paired; missing ones are not reported."""
    if arrangement == "mesh":
        yield from _not_meshed(sources, sinks)
        return
    pairs = paired(len(sources), len(sinks))
    if sources and sinks and not pairs:
        message = f"has {len(sinks)}, but there are {len(sources)} sources"
        remedy = (
            "Select one source, one sink, or as many of each: then each source has its own sink."
        )
        yield FieldError("sinks", message, remedy)
    chosen = [(sources[one], sinks[other]) for one, other in pairs]
    for position, pair in enumerate(chosen):
        if chosen.index(pair) != position:
            side = "sources" if len(sources) > 1 else "sinks"
            message, remedy = "makes the same pair as an earlier one", "Name each pair once."
            yield FieldError(f"{side}.{position}", message, remedy)


def _not_meshed(sources: Sequence[End], sinks: Sequence[End]) -> Iterator[FieldError]:
    if not 2 <= len(sources) <= MOST_MESHED:
        message = f"has {len(sources)}; a mesh connects from 2 to {MOST_MESHED} places"
        yield FieldError("sources", message, "Select more or fewer places.")
    if sinks and (len(sinks) != len(sources) or any(one not in sources for one in sinks)):
        message = "differs from `sources`, but in a mesh each place is a source and a sink"
        yield FieldError("sinks", message, "Omit it, or list the same places.")


def on_one_host(transfers: Transfers) -> Iterator[FieldError]:
    """Yield the places of a mesh whose host has another one, between which there is no network."""
    if transfers.arrangement != "mesh":
        return
    first: dict[int, int] = {}
    for position, place in enumerate(transfers.sources):
        other = first.setdefault(place.host_id, position)
        if other != position:
            message = f"is on {place.host_name}, as `sources.{other}` is"
            remedy = "A mesh has one place on each host: remove one of them."
            yield FieldError(f"sources.{position}", message, remedy)
