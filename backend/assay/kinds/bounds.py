"""Which side of a measured value the true one may lie on, for each doubt and sense of a metric.

The table in `docs/measuring.md` (*Criteria and verdicts*) is made from `TABLE`; a test compares
them. A doubt that gives a range instead of a side, such as a cliff, is no row of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.analysis.contention import LEAST_BYTES
from assay.analysis.flags import Flag
from assay.kinds.metrics import Bound, DoubtCode, Sense

SENSES: tuple[Sense, ...] = get_args(Sense)

SENSE_WORDS: Mapping[Sense, str] = {
    "rate": "rates, efficiency",
    "latency": "latencies",
    "burden": "buffer, frames, backlog",
    "defects": "errors, losses",
    "pattern": "behavior over time, variation, shares, CPU time, network under load",
}
"""The metrics of each sense, as the documentation's table names them."""

Effect = Bound | Literal["either", "none", "stated"]
"""Which end the measured value is of the true one's range; `stated`: the reading says it."""

EFFECT_WORDS: Mapping[Effect, str] = {
    "lower": "≥",
    "upper": "≤",
    "either": "±",
    "none": "–",
    "stated": "*",
}

Cause = Literal[
    "contended",
    "helped_by_reads",
    "starved",
    "starved_concurrent",
    "suspended",
    "too_short",
    "short_overlap",
    "gap",
    "rested",
    "rested_durable",
    "cached",
    "bounded",
    "few",
    "missing",
    "censored",
]


@dataclass(frozen=True)
class CauseRow:
    """What one cause of doubt does to metrics of each sense, in the order of `SENSES`.

    `codes` are the doubts that it gives, `why` says when it is there and why it acts this way.
    """

    codes: Sequence[DoubtCode]
    effects: tuple[Effect, Effect, Effect, Effect, Effect]
    why: str


TABLE: Mapping[Cause, CauseRow] = {
    "contended": CauseRow(
        ["contended"],
        ("lower", "upper", "upper", "none", "either"),
        "others used the device or the card: without them a rate is no lower, a latency no higher",
    ),
    "helped_by_reads": CauseRow(
        ["contended"],
        ("either", "either", "either", "none", "either"),
        "a test that reads, while others read 1 MB or more from its device: they may have filled "
        "a cache",
    ),
    "starved": CauseRow(
        ["starved"],
        ("lower", "upper", "upper", "none", "either"),
        "the probe waited for CPUs, and its clock ran on",
    ),
    "starved_concurrent": CauseRow(
        ["starved"],
        ("lower", "either", "either", "none", "either"),
        "the same without pacing and with several operations at once, also in a gap: the storage "
        "had fewer of them at a time, which shortens each",
    ),
    "suspended": CauseRow(
        ["suspended"],
        ("either", "either", "either", "none", "either"),
        "the clocks may have stopped, and the storage rested",
    ),
    "too_short": CauseRow(
        ["too_short"],
        ("either", "either", "either", "none", "either"),
        "caches, throttles and write-back may not have shown yet",
    ),
    "short_overlap": CauseRow(
        ["short_overlap"],
        ("either", "either", "either", "none", "either"),
        "the common window is not typical of the trial",
    ),
    "gap": CauseRow(
        ["suspended", "starved"],
        ("none", "upper", "upper", "none", "either"),
        "a sustained trial that lacked CPUs, paced if with several operations at once: "
        "operations that a gap delayed are counted, its marks are not",
    ),
    "rested": CauseRow(
        ["interrupted"],
        ("upper", "either", "either", "lower", "either"),
        "a sustained trial was interrupted: its storage could rest, and not all data was verified",
    ),
    "rested_durable": CauseRow(
        ["interrupted"],
        ("either", "either", "either", "lower", "either"),
        "the same for a durable rate, which includes what the kernel wrote meanwhile",
    ),
    "cached": CauseRow(
        ["cache_served", "array_cache", "source_unknown"],
        ("upper", "none", "lower", "none", "either"),
        "a cache can only be faster than the device. Only metrics of durability or of the device",
    ),
    "bounded": CauseRow(
        ["bounded"],
        ("upper", "none", "none", "none", "none"),
        "a final sync timed out, so the durable rate is lower",
    ),
    "few": CauseRow(
        ["too_few_repeats", "too_few_operations"],
        ("either", "either", "either", "either", "either"),
        "too few to tell",
    ),
    "missing": CauseRow(
        ["interrupted", "timed_out"],
        ("either", "stated", "stated", "lower", "stated"),
        "a repeat has no result, or ended before its last operation: a highest value or a sum "
        "can only rise (≥), any other value may be either",
    ),
    "censored": CauseRow(
        ["censored"],
        ("stated", "stated", "stated", "stated", "stated"),
        "the trial ended first (≥), or only a bound is known: the message says which",
    ),
}


def effect(cause: Cause, sense: Sense) -> Effect:
    """Return what a cause of doubt does to metrics of a sense."""
    return TABLE[cause].effects[SENSES.index(sense)]


def bound_of(cause: Cause, sense: Sense) -> Bound | None:
    """Return the bound that a measured value is; None if the true one may be on either side."""
    found = effect(cause, sense)
    if found == "either":
        return None
    if found in ("none", "stated"):
        raise ValueError(f"{cause} gives metrics of the sense {sense} no bound: {found}")
    return found


def cause_of(flag: Flag, *, reads: bool, concurrent: bool = False) -> Cause | None:
    """Return why a trial's flag makes its figures doubtful; None if it does not.

    `reads`: the trial reads from storage, which reads by others may help. `concurrent`: it has no
    pace, and several operations at once.
    """
    match flag.code:
        case "contended":
            helped = reads and flag.figures.get("others_read_bytes", 0) >= LEAST_BYTES
            return "helped_by_reads" if helped else "contended"
        case "starved":
            return "starved_concurrent" if concurrent else "starved"
        case "suspended" | "too_short" | "short_overlap":
            return flag.code
        case _:
            return None


def documented() -> list[str]:
    """Return the lines of the documentation's table."""
    head = ["doubt", *SENSE_WORDS.values(), "because"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in TABLE.values():
        codes = ", ".join(f"`{code}`" for code in row.codes)
        signs = " | ".join(EFFECT_WORDS[one] for one in row.effects)
        lines.append(f"| {codes} | {signs} | {row.why} |")
    return lines
