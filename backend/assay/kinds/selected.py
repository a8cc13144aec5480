"""The sentence beside a headline about the selection of its cell, the same for every kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.analysis import words
from assay.analysis.repeats import Repeats
from assay.analysis.winner import selected_mean


@dataclass(frozen=True)
class Selected:
    """The confidence interval of the true mean of the cell with the highest mean.

    `figures` has both ends, the `confidence`, the number of `means` compared, and `noise_share`,
    the relative standard deviation of one repeat. `message` is the same as text.
    """

    message: str
    figures: Mapping[str, float]


def selected(cells: Iterable[Repeats | None]) -> Selected | None:
    """Return the sentence about the best of these cells; None where nothing can be claimed."""
    found = selected_mean([cell for cell in cells if cell is not None])
    if found is None:
        return None
    low, high = words.rate(found.low), words.rate(found.high)
    message = (
        f"With {words.percent(found.confidence)} confidence the cell's true mean rate is "
        f"{f'between {low} and {high}' if low != high else f'{low} to three digits'}, allowing for "
        f"its selection as the highest of {found.cells} means."
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


def selected_words(headline: Mapping[str, Any] | None) -> list[str]:
    """Return the sentence of a headline's document; none if it has none."""
    found = headline.get("selected") if headline else None
    return [found["message"]] if found else []
