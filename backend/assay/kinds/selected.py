"""The sentence beside a headline about the selection of its cell, the same for every kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.analysis.repeats import Repeats
from assay.analysis.winner import selected_mean
from assay.base import words
from assay.base.worded import Words, say


@dataclass(frozen=True)
class Selected:
    """The confidence interval of the true mean of the cell with the highest mean.

    `figures` has both ends, the `confidence`, the number of `means` compared, and `noise_share`,
    the relative standard deviation of one repeat. `message` is the same as text.
    """

    message: Words
    figures: Mapping[str, float]


def selected(cells: Iterable[Repeats | None]) -> Selected | None:
    """Return the sentence about the best of these cells; None where nothing can be claimed."""
    found = selected_mean([cell for cell in cells if cell is not None])
    if found is None:
        return None
    low, high = (say("{}", {"bytes_per_s": end}) for end in (found.low, found.high))
    between = say("between {} and {}", low, high) if low != high else low + " to three digits"
    message = say(
        "With {} confidence the cell's true mean rate is {}, allowing for its selection as the "
        "highest of {} means.",
        words.percent(found.confidence),
        between,
        str(found.cells),
    )
    if found.high < found.mean:
        message += " The headline is above this interval: the highest mean is partly luck."
    figures = {
        "low_bytes_per_s": found.low,
        "high_bytes_per_s": found.high,
        "confidence": found.confidence,
        "means": float(found.cells),
        "noise_share": found.noise,
    }
    return Selected(message, figures)
