"""What the ends of a path test refuse: legs, caches, ports and addresses they cannot have.

Full duplex measures each leg in both directions at the same time: in a run, the pair from the sink
to the source follows the pair from the source to the sink.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.base.field_errors import FieldError
from assay.kinds.fields import Cache
from assay.kinds.path.fields import READING, TRANSFERS, WRITING, Leg
from assay.kinds.path.parameters import PathTest
from assay.kinds.path.planned import PathPlan
from assay.kinds.planning import FieldName, Place
from assay.kinds.storage import resolved_cache
from assay.kinds.transfer.planned import SENDER


def refused_of_several(
    planned: Sequence[PathPlan], name: FieldName, *, at_once: bool
) -> Iterator[FieldError]:
    """Yield the addresses that several hosts cannot have, and ports too few for all listeners."""
    test, number = planned[0].test, planned[0].number
    if test.full_duplex:
        pairs = [(one.source, one.sink) for one in planned]
        yield from _refused_directions(number, pairs, name, at_once=at_once)
    for field, places in (
        ("source_address", [one.source for one in planned]),
        ("sink_address", [one.sink for one in planned]),
    ):
        hosts = list(dict.fromkeys(place.host_name for place in places))
        address = getattr(test, field)
        if address is not None and len(hosts) > 1:
            message = f"is an address of one host, but there are {len(hosts)}: {', '.join(hosts)}"
            remedy = "Omit it: then each host has the address by which Assay reaches it."
            yield FieldError(name(number, field), message, remedy, address)
    if not at_once or not test.port or not any(leg in TRANSFERS for leg in test.legs):
        return
    of_end = [one.source if test.listener == SENDER else one.sink for one in planned]
    yield from too_few_ports(number, test, of_end, name)


def too_few_ports(
    number: int, test: PathTest, listening: Sequence[Place], name: FieldName
) -> Iterator[FieldError]:
    """Yield that the range of ports has fewer than the pairs that listen at one host need."""
    host, listeners = Counter(place.host_name for place in listening).most_common(1)[0]
    listeners *= 2 if test.full_duplex else 1
    last = test.last_port or test.port
    if last - test.port + 1 < listeners:
        message = f"is {last}, but {listeners} pairs need ports from {test.port} on at {host}"
        remedy = f"Use {test.port + listeners - 1} or more, or 0 as `port` for any."
        if test.port + listeners - 1 > 65_535:
            remedy = f"Use a `port` of at most {65_536 - listeners}, or 0 for any."
        yield FieldError(name(number, "last_port"), message, remedy, test.last_port)


def without_disk(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the legs that use a disk at an end that is memory."""
    for side, place, legs in (("source", source, READING), ("sink", sink, WRITING)):
        unfit = [leg for leg in test.legs if leg in legs]
        if place.is_memory and unfit:
            message = f'has "{unfit[0]}", which uses a disk at the {side}, but that is {place.name}'
            remedy = f"Select a target as {side}, or only legs without its disk."
            yield FieldError(name(number, "legs"), message, remedy, list(test.legs))


def same_place(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield that both ends are the same directory and both are used."""
    if source.is_memory or source.target_id != sink.target_id:
        return
    if any(leg in READING for leg in test.legs) and any(leg in WRITING for leg in test.legs):
        message = f"is the same directory as the source: {sink.name}"
        remedy = "Select another target as source or sink."
        yield FieldError(name(number, "sink"), message, remedy)


def refused_direct(
    number: int, test: PathTest, source: Place, sink: Place, name: FieldName
) -> Iterator[FieldError]:
    """Yield the ends whose disk is used by direct I/O, which its file system refuses."""
    ends = (
        ("source_cache", test.source_cache, READING, source),
        ("sink_cache", test.sink_cache, WRITING, sink),
    )
    for field, cache, legs, place in ends:
        used = not place.is_memory and any(leg in legs for leg in test.legs)
        if used and cache == "direct" and place.direct == "refused":
            message = f"the file system of {place.name} ({place.fs_type}) refuses O_DIRECT"
            remedy = 'Use cache "page" or "direct_if_real".'
            yield FieldError(name(number, field), message, remedy, cache)


def differing_caches(
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


def _refused_directions(
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
