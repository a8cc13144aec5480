"""Doubts about measured values that kinds have in common."""

from collections.abc import Iterable

from assay.analysis.flags import Flag
from assay.analysis.served_by import ServedBy
from assay.kinds.metrics import Concern, Doubt

FEWEST_REPEATS = 3
"""Minimum repeats for a statement about their spread."""

PERCENTILES = {
    "p50": 0.5,
    "p90": 0.9,
    "p99": 0.99,
    "p99.9": 0.999,
    "p99.99": 0.9999,
    "p99.999": 0.99999,
}
"""The percentiles that metrics have, with the share of operations that do not exceed them."""

LEFT_MEMORY = frozenset({"server_bytes", "shared_device", "others_or_amplification"})
"""Reasons of an unknown source although the data demonstrably left the host's memory."""


def of_flags(flags: Iterable[Flag]) -> list[Doubt]:
    """Return a doubt for each code."""
    return list(
        {flag.code: Doubt(flag.code, flag.evidence, flag.figures) for flag in flags}.values()
    )


def bounded() -> Doubt:
    """Return the doubt about a durable rate whose final sync timed out."""
    return Doubt(
        "bounded", "A final sync timed out: the true durable rate is lower.", bound="upper"
    )


def of_source(found: ServedBy | None, concern: Concern) -> list[Doubt]:
    """Return the doubt about who served the data, if it matters; a cache can only be faster."""
    if found is None or concern == "application" or found.source == "device":
        return []
    if concern == "durability" and found.reason in LEFT_MEMORY:
        return []
    match found.source:
        case "page_cache":
            return [Doubt("cache_served", found.evidence, found.figures, "upper")]
        case "array_cache":
            return [Doubt("array_cache", found.evidence, found.figures, "upper")]
        case _:
            return [Doubt("source_unknown", found.evidence, found.figures, "upper")]
