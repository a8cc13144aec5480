"""What comparisons of two runs say in the same words; they name a run by its id."""

from typing import Literal

from assay.base.worded import Quantity, Words, say
from assay.base.words import figure

CERTAIN = 0.995
"""From this difference on, a percentage says no more."""

Answer = Literal["a_faster", "b_faster", "within_noise", "too_few_repeats", "not_comparable"]
"""How run A compares with run B."""


def run(run_id: int) -> Quantity:
    """Return a run's name in a sentence."""
    return {"run_id": run_id}


def faster_words(ratio: float) -> str:
    """Return how a rate compares with another: `42 % faster than`, `2.10 times as fast as`."""
    if ratio >= 2:
        return f"{figure(ratio)} times as fast as"
    change = abs(ratio - 1)
    amount = f"{100 * change:.0f}"
    if not 1 - CERTAIN <= change <= CERTAIN:
        amount = "under 1" if change < CERTAIN else "over 99"
    return f"{amount} % {'faster' if ratio > 1 else 'slower'} than"


def faster_sentence(answer: Answer, ratio: float, a: int, b: int, details: Words) -> Words:
    """Return how much faster run A is than run B, or why that is not known.

    `details` follow the names, such as `(545 MB/s against 325 MB/s)`. The ratio is A ÷ B.
    """
    if answer == "too_few_repeats":
        sentence = "{} has {} times the rate of {} {}, in too few repeats to exclude noise."
        return say(sentence, run(a), figure(ratio), run(b), details)
    if answer == "within_noise":
        return say("{} is as fast as {} within noise {}.", run(a), run(b), details)
    return say("{} is {} {} {}.", run(a), faster_words(ratio), run(b), details)


def not_compared(a: int, b: int, why: Words) -> Words:
    """Return that two runs do not compare, and why."""
    return say("{} and {} cannot be compared: {}.", run(a), run(b), why)
