"""Full duplex: each leg in both directions at the same time, and what that needs of both ends.

In a run, the pair from the sink to the source follows the pair from the source to the sink.
"""

from collections.abc import Iterator, Sequence

from assay.http.field_errors import FieldError
from assay.kinds.fields import Cache
from assay.kinds.path.fields import READING, WRITING, Leg
from assay.kinds.path.parameters import PathTest
from assay.kinds.planning import FieldName, Place
from assay.kinds.storage import resolved_cache


def refused(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the caches that would differ between the directions, whose rates would not compare."""
    if not test.full_duplex:
        return
    sides: tuple[tuple[str, Cache, frozenset[Leg], str], ...] = (
        ("source_cache", test.source_cache, READING, "read"),
        ("sink_cache", test.sink_cache, WRITING, "write"),
    )
    for field, asked, legs, does in sides:
        found = [resolved_cache(asked, place) for place in (source, sink)]
        if any(leg in legs for leg in test.legs) and found[0] != found[1]:
            message = (
                f"means {found[0]} at {source.name} and {found[1]} at {sink.name}, but with full "
                f"duplex both {does} in the same way"
            )
            yield FieldError(name(number, field), message, 'Use "page".', asked)


def refused_of_several(
    number: int, pairs: Sequence[tuple[Place, Place]], name: FieldName, *, at_once: bool
) -> Iterator[FieldError]:
    """Yield why the directions of these pairs cannot be measured, or would be measured twice."""
    field = name(number, "full_duplex")
    if not at_once:
        message = "cannot be combined with the arrangement `mesh`, which measures each direction"
        yield FieldError(field, message, "Use one of the two.", value=True)
        return
    for position, (source, sink) in enumerate(pairs):
        if (sink, source) in pairs[:position]:
            message = f"makes {source.name} → {sink.name} twice, because both are source and sink"
            yield FieldError(field, message, "Select each pair in one direction.", value=True)
