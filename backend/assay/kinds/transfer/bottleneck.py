"""What limits a transfer, as a conclusion from the evidence of its pairs. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.kinds.transfer.evidence import (
    LIMITS,
    ONE_PAIR,
    JointCauses,
    Limit,
    LimitNames,
    Reason,
    limited_words,
)

Rule = Literal[
    "slowest_part",
    "equal_parts",
    "bounded_parts",
    "interaction",
    "own_evidence",
    "pairs_differ",
    "none",
]


@dataclass(frozen=True)
class Bottleneck:
    """What limits a transfer, by which rule, with the evidence.

    `others` limit it as well, or are what cannot be told apart. `expected_bytes_per_s` is what the
    slowest part reaches by itself; null if a part was not measured. `sentence` says it, `limited`
    the same in short. `disks` are the places of those of several disks that are the limit; empty if
    all are, or none is.
    """

    limit: Limit
    others: Sequence[Limit]
    rule: Rule
    sentence: str
    limited: str
    evidence: Sequence[Reason]
    expected_bytes_per_s: float | None
    efficiency: float | None
    disks: Sequence[str] = field(default_factory=list[str])


def decide(
    found: JointCauses,
    rule: Rule,
    names: LimitNames = ONE_PAIR,
    compared: Sequence[Reason] = (),
    fallback: Limit = "undetermined",
) -> Bottleneck:
    """Return the only cause that the evidence of each pair shows, or that it is undetermined."""
    named: list[Limit] = sorted({cause for cause, _ in found.causes})
    evidence = [*compared, *(reason for _, reason in found.causes)]
    if len(named) == 1 and found.shared:
        return conclude(named[0], [], rule, evidence, names)
    if len(named) > 1 and found.of_pairs:
        undecided = conclude("undetermined", named, "pairs_differ", evidence, names)
        return replace(undecided, sentence=_differing(found.of_pairs))
    if named:
        return conclude("undetermined", named, rule, evidence, names)
    none: Rule = rule if fallback != "undetermined" else "none"
    return conclude(fallback, [], none, evidence, names)


def _differing(of_pairs: Mapping[str, Limit]) -> str:
    each = "; ".join(f"{pair}: {LIMITS[limit]}" for pair, limit in of_pairs.items())
    return f"The pairs have different limits. {each}."


def conclude(
    limit: Limit, others: Sequence[Limit], rule: Rule, evidence: Sequence[Reason], names: LimitNames
) -> Bottleneck:
    """Return a conclusion without the figures of a comparison, in the words of these names."""
    sentence, limited = names.sentence(limit, others), limited_words(limit, others)
    return Bottleneck(limit, others, rule, sentence, limited, evidence, None, None)
