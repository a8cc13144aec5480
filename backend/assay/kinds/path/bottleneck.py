"""What limits a transfer: pure rules, documented in `docs/measuring.md` (*Bottleneck*).

A transfer from disk to disk is compared with what its parts reach by themselves. If it reaches
about as much as the slowest part, that part is the limit; else its own evidence has to say what is.
Without a rule that applies, the limit is undetermined.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from assay.analysis import words
from assay.analysis.noise import TOLERANCE, difference

Limit = Literal[
    "source_disk",
    "sink_disk",
    "shared_disk",
    "link",
    "loss",
    "receive_buffer",
    "send_buffer",
    "pacing",
    "sender_cpu",
    "receiver_cpu",
    "network",
    "undetermined",
]
Part = Literal["read", "memory", "write"]
Rule = Literal["slowest_part", "equal_parts", "interaction", "own_evidence", "none"]

LIMITS: dict[Limit, str] = {
    "source_disk": "the source's disk",
    "sink_disk": "the sink's disk",
    "shared_disk": "the disk that source and sink share",
    "link": "the link",
    "loss": "packet loss",
    "receive_buffer": "the receiver's socket buffer",
    "send_buffer": "the sender's socket buffer",
    "pacing": "the pacing that the test asked for",
    "sender_cpu": "the sender's CPU",
    "receiver_cpu": "the receiver's CPU",
    "network": "the network or the processing of its packets",
    "undetermined": "undetermined",
}
"""Every limit as a noun phrase."""

REACHED = 0.9
"""A transfer that reaches this part of what its slowest part does is limited by that part."""

CO_LIMIT = 0.10
"""Parts within this of the slowest one limit the transfer as well."""

SATURATED = 0.95
"""A core that is busy for this part of the time is saturated."""

DOMINANT = 0.5
"""A wait or a limitation that takes this part of the time explains the rate."""

LINE = 0.9
"""A rate of this part of the link's speed is that of the link; the rest are headers."""

LOSS = 0.001
"""From this part of retransmitted bytes on, loss slows CUBIC down on any but the shortest paths."""

QUEUED = 2.0
"""If the round trip takes this many times as long under load, a queue on the path was full."""

QUEUE_NS = 1_000_000
"""A full queue delays packets by at least this long; less is the noise of the hosts."""


@dataclass(frozen=True)
class Waits:
    """Which part of the time the stages of a transfer waited; None if unknown.

    `reader_full`: the source's stage waited on a full ring, `sender_empty`: the streams waited for
    data of the source. `receiver_full`: the streams waited on a full ring at the receiver,
    `writer_empty`: the sink's stage waited for data.
    """

    reader_full: float | None = None
    sender_empty: float | None = None
    receiver_full: float | None = None
    writer_empty: float | None = None


@dataclass(frozen=True)
class Seen:
    """The evidence in a transfer itself, as means over its trials; None if unknown.

    Shares are parts of one. `busiest_core` is that of the busiest core at sender and receiver,
    which others may have used as well: `own_cores` is how many the probe's own process used.
    `throttled` is whether an end was kept off the CPU so much that its trials do not count.
    """

    bytes_per_s: float | None = None
    waits: Waits = field(default_factory=Waits)
    receive_window_limited: float | None = None
    send_buffer_limited: float | None = None
    retransmitted: float | None = None
    rtt_idle_ns: float | None = None
    rtt_load_ns: float | None = None
    link_bytes_per_s: float | None = None
    pacing_bytes_per_s: float | None = None
    sender_busiest_core: float | None = None
    receiver_busiest_core: float | None = None
    sender_own_cores: float | None = None
    receiver_own_cores: float | None = None
    sender_throttled: bool = False
    receiver_throttled: bool = False


@dataclass(frozen=True)
class Reason:
    """One piece of evidence: `code` and `figures` contain everything that programs need."""

    code: str
    message: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Bottleneck:
    """What limits a transfer, by which rule, with the evidence.

    `others` limit it as well, or are what cannot be told apart. `expected_bytes_per_s` is what the
    slowest part reaches by itself; null if a part was not measured.
    """

    limit: Limit
    others: Sequence[Limit]
    rule: Rule
    sentence: str
    evidence: Sequence[Reason]
    expected_bytes_per_s: float | None
    efficiency: float | None


@dataclass(frozen=True)
class Rates:
    """The rates of the repeats of each part by itself, and of the transfer, in bytes per second."""

    read: Sequence[float] = ()
    memory: Sequence[float] = ()
    write: Sequence[float] = ()
    transfer: Sequence[float] = ()


def name(
    rates: Rates, transfer: Seen, memory: Seen, *, needs: Sequence[Part], shared_disk: bool = False
) -> Bottleneck | None:
    """Return what limits a transfer of the parts `needs`; None if nothing was measured.

    `transfer` is the evidence in the transfer itself, `memory` that of the part between memories.
    `shared_disk`: source and sink use one device, which reads and writes each byte.
    """
    throttled = list(_throttled(transfer))
    if throttled and not rates.transfer:
        limits: list[Limit] = [one for one, _ in throttled]
        return _conclude(limits[0], limits[1:], "own_evidence", [one for _, one in throttled], None)
    parts: dict[Part, Sequence[float]] = {part: getattr(rates, part) for part in needs}
    if not rates.transfer:
        return _of_one_part(parts, memory)
    if all(parts.values()):
        return _of_parts(rates.transfer, _candidates(parts, shared_disk), transfer, memory)
    causes = list(_causes(transfer))
    return _decide(causes, "own_evidence", None, None)


def _of_one_part(parts: Mapping[Part, Sequence[float]], memory: Seen) -> Bottleneck | None:
    """Return the limit of the part between memories, if it is all that is measured."""
    if not parts.get("memory") or len(parts) > 1:
        return None
    return _decide(list(_network_causes(memory)), "own_evidence", None, None, fallback="network")


def _candidates(
    parts: Mapping[Part, Sequence[float]], shared_disk: bool
) -> dict[Limit, Sequence[float]]:
    """Return the rates of what may limit: disks and network; disks in one if they are shared."""
    of_part: dict[Part, Limit] = {
        "read": "source_disk",
        "memory": "network",
        "write": "sink_disk",
    }
    found: dict[Limit, Sequence[float]] = {of_part[part]: rates for part, rates in parts.items()}
    if shared_disk and {"source_disk", "sink_disk"} <= found.keys():
        reads, writes = found.pop("source_disk"), found.pop("sink_disk")
        pairs = zip(reads, writes, strict=False)
        found["shared_disk"] = [1 / (1 / one + 1 / other) for one, other in pairs]
    return found


def _of_parts(
    reached: Sequence[float],
    parts: Mapping[Limit, Sequence[float]],
    transfer: Seen,
    memory: Seen,
) -> Bottleneck:
    means: dict[Limit, float] = {limit: fmean(rates) for limit, rates in parts.items()}
    slowest: Limit = min(means, key=lambda limit: (means[limit], limit))
    expected, mean = means[slowest], fmean(reached)
    efficiency = mean / expected
    compared = Reason(
        "expected",
        f"The transfer reaches {words.rate(mean)}, {words.percent(efficiency)} of the slowest part "
        f"by itself ({LIMITS[slowest]}: {words.rate(expected)}).",
        {
            "transfer_bytes_per_s": mean,
            "expected_bytes_per_s": expected,
            "efficiency": efficiency,
        },
    )
    short = mean < expected and not _alike(reached, parts[slowest])
    if efficiency < REACHED and short:
        causes = list(_causes(transfer))
        return _decide(causes, "interaction", expected, efficiency, [compared])
    equal: list[Limit] = [
        limit
        for limit, rates in parts.items()
        if limit != slowest and _indistinct(rates, parts[slowest])
    ]
    near: list[Limit] = [
        limit
        for limit, mean in means.items()
        if limit != slowest and limit not in equal and mean <= expected * (1 + CO_LIMIT)
    ]
    evidence = [compared, *_others(means, slowest)]
    if equal:
        alike: list[Limit] = sorted([slowest, *equal])
        said = Reason(
            "equal_parts",
            f"{words.capital(_listed(alike))} are equal within noise.",
            {f"{limit}_bytes_per_s": means[limit] for limit in alike},
        )
        return _conclude(
            "undetermined", alike, "equal_parts", [*evidence, said], expected, efficiency
        )
    if slowest != "network":
        return _conclude(slowest, sorted(near), "slowest_part", evidence, expected, efficiency)
    causes = list(_network_causes(memory))
    named: set[Limit] = {cause for cause, _ in causes}
    limit: Limit = next(iter(named)) if len(named) == 1 else "network"
    told = [*evidence, *(reason for _, reason in causes)]
    return _conclude(limit, sorted(near), "slowest_part", told, expected, efficiency)


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether noise explains the difference between two rates."""
    return difference(one, other).within_noise


def _indistinct(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two parts cannot be told apart: by noise, by few repeats, or in practice."""
    a, b = fmean(one), fmean(other)
    return not difference(one, other).significant or abs(a - b) <= TOLERANCE * max(a, b)


def _others(means: Mapping[Limit, float], slowest: Limit) -> Iterator[Reason]:
    for limit, mean in sorted(means.items()):
        if limit != slowest:
            said = f"By itself, {LIMITS[limit]} reaches {words.rate(mean)}."
            yield Reason("part", said, {f"{limit}_bytes_per_s": mean})


Cause = tuple[Limit, Reason]


def _throttled(seen: Seen) -> Iterator[Cause]:
    """Yield the ends that were kept off the CPU."""
    ends: tuple[tuple[Limit, bool, str], ...] = (
        ("sender_cpu", seen.sender_throttled, "sender"),
        ("receiver_cpu", seen.receiver_throttled, "receiver"),
    )
    for limit, throttled, end in ends:
        if throttled:
            yield (
                limit,
                Reason("throttled", f"The {end} did not get its CPU in any trial.", {}),
            )


def _causes(seen: Seen) -> Iterator[Cause]:
    """Yield each cause that the evidence in a transfer shows."""
    yield from _cpu(seen)
    waits = seen.waits
    receiver_full = (waits.receiver_full or 0.0) >= DOMINANT
    if receiver_full:
        yield _share("sink_disk", "receiver_full", waits.receiver_full, _RECEIVER_FULL)
    if (waits.sender_empty or 0.0) >= DOMINANT:
        yield _share("source_disk", "sender_empty", waits.sender_empty, _SENDER_EMPTY)
    yield from _tcp(seen, ring_is_full=receiver_full)
    yield from _line(seen)


def _network_causes(seen: Seen) -> Iterator[Cause]:
    """Yield each cause that limits the part between memories."""
    yield from _cpu(seen)
    yield from _tcp(seen, ring_is_full=False)
    yield from _line(seen)


_RECEIVER_FULL = "The receiver's streams waited {share} of the time for its disk (full ring)."
_SENDER_EMPTY = "The sender's streams waited {share} of the time for its disk (empty ring)."
_WINDOW = "The sender was limited by the receiver's window for {share} of the time"


def _share(limit: Limit, code: str, share: float | None, text: str) -> Cause:
    value = share or 0.0
    return limit, Reason(code, text.format(share=words.percent(value)), {"share": value})


def _cpu(seen: Seen) -> Iterator[Cause]:
    """Yield the ends whose busiest core is saturated, if the transfer itself used the CPU."""
    ends: tuple[tuple[Limit, float | None, float | None, str], ...] = (
        ("sender_cpu", seen.sender_busiest_core, seen.sender_own_cores, "sender"),
        ("receiver_cpu", seen.receiver_busiest_core, seen.receiver_own_cores, "receiver"),
    )
    for limit, busiest, own, end in ends:
        if (busiest or 0.0) >= SATURATED and (own or 0.0) >= DOMINANT:
            said = (
                f"The {end}'s busiest core was busy for {words.percent(busiest or 0.0)} of the "
                f"time; the transfer used {words.figure(own or 0.0)} cores."
            )
            figures = {"share": busiest or 0.0, "own_cores": own or 0.0}
            yield limit, Reason("busiest_core", said, figures)
    yield from _throttled(seen)


def _tcp(seen: Seen, *, ring_is_full: bool) -> Iterator[Cause]:
    """Yield what TCP waited for: windows with the receiver's ring full are its disk's."""
    if (seen.receive_window_limited or 0.0) >= DOMINANT:
        if ring_is_full:
            text = f"{_WINDOW}, with the receiver's ring full."
            yield _share("sink_disk", "receive_window", seen.receive_window_limited, text)
        else:
            text = f"{_WINDOW}, with room in the receiver's ring."
            yield _share("receive_buffer", "receive_window", seen.receive_window_limited, text)
    if (seen.send_buffer_limited or 0.0) >= DOMINANT:
        text = "The sender was limited by its send buffer for {share} of the time."
        yield _share("send_buffer", "send_buffer", seen.send_buffer_limited, text)


def _line(seen: Seen) -> Iterator[Cause]:
    """Yield the link, the loss on it, or the pacing that was asked for."""
    rate = seen.bytes_per_s or 0.0
    if seen.pacing_bytes_per_s and rate >= LINE * seen.pacing_bytes_per_s:
        text = f"The rate is {{share}} of the pacing ({words.rate(seen.pacing_bytes_per_s)})."
        yield _share("pacing", "pacing", rate / seen.pacing_bytes_per_s, text)
        return
    if seen.link_bytes_per_s and rate >= LINE * seen.link_bytes_per_s:
        text = f"The rate is {{share}} of the link's speed ({words.rate(seen.link_bytes_per_s)})."
        yield _share("link", "line_rate", rate / seen.link_bytes_per_s, text)
        return
    idle, load = seen.rtt_idle_ns, seen.rtt_load_ns
    if (seen.retransmitted or 0.0) < LOSS:
        return
    queued = idle is not None and load is not None and load >= max(QUEUED * idle, idle + QUEUE_NS)
    text = f"{words.percent(seen.retransmitted or 0.0)} of the data was sent again"
    if queued:
        said = (
            f"{text}, and the round trip took {words.duration(load or 0)} under load, "
            f"{words.duration(idle or 0)} without: a queue on the path was full."
        )
        figures = {
            "retransmitted": seen.retransmitted or 0.0,
            "rtt_load_ns": load or 0.0,
            "rtt_idle_ns": idle or 0.0,
        }
        yield "link", Reason("full_queue", said, figures)
    else:
        said = f"{text}, although no queue was full."
        yield "loss", Reason("loss", said, {"retransmitted": seen.retransmitted or 0.0})


def _decide(  # noqa: PLR0917 (the facts of one conclusion)
    causes: Sequence[Cause],
    rule: Rule,
    expected: float | None,
    efficiency: float | None,
    compared: Sequence[Reason] = (),
    fallback: Limit = "undetermined",
) -> Bottleneck:
    """Return the only cause that the evidence shows, or that it is undetermined."""
    named: list[Limit] = sorted({cause for cause, _ in causes})
    evidence = [*compared, *(reason for _, reason in causes)]
    if len(named) == 1:
        return _conclude(named[0], [], rule, evidence, expected, efficiency)
    if named:
        return _conclude("undetermined", named, rule, evidence, expected, efficiency)
    none: Rule = rule if fallback != "undetermined" else "none"
    return _conclude(fallback, [], none, evidence, expected, efficiency)


def _conclude(  # noqa: PLR0917 (the facts of one conclusion)
    limit: Limit,
    others: Sequence[Limit],
    rule: Rule,
    evidence: Sequence[Reason],
    expected: float | None,
    efficiency: float | None = None,
) -> Bottleneck:
    return Bottleneck(limit, others, rule, _sentence(limit, others), evidence, expected, efficiency)


def _sentence(limit: Limit, others: Sequence[Limit]) -> str:
    if limit != "undetermined":
        verb = "limit" if others else "limits"
        return f"{words.capital(_listed([limit, *others]))} {verb} the transfer."
    if others:
        return f"The limit is undetermined: it may be {_listed(others, 'or')}."
    return "The limit is undetermined: no evidence singles out a part of the path."


def _listed(limits: Sequence[Limit], joined: str = "and") -> str:
    names = [LIMITS[limit] for limit in limits]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joined} {names[-1]}"
