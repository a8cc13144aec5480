"""The finding of a run in one sentence, and what the headlines of all kinds have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, computed_field

from assay.analysis.flags import FlagCode
from assay.analysis.served_by import Source
from assay.base import words
from assay.base.worded import Quantity, Words, plain
from assay.kinds.selected import Selected

_DOUBTS: Mapping[str, str] = {
    "page_cache": "Served by the page cache",
    "array_cache": "Possibly served by the array's cache",
}

_EXCLUDED: Mapping[str, str] = {
    "suspended": "the probe was suspended",
    "starved": "the probe did not get enough CPU time",
    "contended": "the storage was busy with other I/O",
    "too_short": "the trial was too short",
    "short_overlap": "the participants barely overlapped",
}


_NOT_MEASURED = "nothing was measured"


@dataclass(frozen=True)
class HeadlineWords:
    """A headline in parts: why its figure may not be that of the storage, the figure, the rest.

    `doubt` is null if there is no reason to doubt the figure. `figure` is null if no single one
    describes the result; then `rest` is the sentence.
    """

    doubt: str | None
    figure: Quantity | None
    rest: Words


class BaseHeadline(BaseModel):
    """The finding of a run, for lists; each kind has its own.

    `words` say the same as the other fields. `selected` is what the selection of the best of
    several cells means for its rate.
    """

    kind: Any
    selected: Selected | None = None

    @computed_field
    @property
    def words(self) -> HeadlineWords:
        """The finding in words."""
        return self.worded()

    def worded(self) -> HeadlineWords:
        """Return the finding in words."""
        raise NotImplementedError


def sentences(headline: Mapping[str, Any] | None) -> list[str]:
    """Return what a headline of the API's JSON says as text: the finding, and its selection."""
    if headline is None:
        return []
    found = headline["words"]
    doubt = f"{found['doubt']}: " if found["doubt"] else ""
    figure = [found["figure"], " "] if found["figure"] else []
    selected = headline.get("selected")
    sentence = plain([doubt, *figure, *found["rest"]])
    return [f"{sentence.rstrip('.')}.", *([plain(selected["message"])] if selected else [])]


def doubt_of(source: Source | None) -> str | None:
    """Return the doubt about a figure that this source served; None for the device."""
    return _DOUBTS.get(source or "")


def unknown_source(source: Source | None) -> str:
    """Return the note that it is unknown what served a figure, with a space before it."""
    return " (served by: unknown)" if source == "unknown" else ""


def excluded_words(code: FlagCode | None) -> str:
    """Return why a flag leaves no result, as a clause; without one, nothing was measured."""
    return _EXCLUDED.get(code or "", _NOT_MEASURED)


def no_rate_words(reason: str | None, flags: Sequence[FlagCode], reasons: Mapping[str, str]) -> str:
    """Return why a transfer has no rate, as a clause: `no trial is reliable (too short)`.

    `reasons` are those of its kind; without a known one, these flags left no reliable trial.
    """
    if known := {"not_measured": _NOT_MEASURED, **reasons}.get(reason or ""):
        return known
    named = ", ".join(map(words.code_words, flags))
    return f"no trial is reliable ({named})" if named else "no trial is reliable"


def nothing(why: str, *more: str) -> HeadlineWords:
    """Return the words of a headline without a result, and what to do about it."""
    return HeadlineWords(None, None, " ".join([f"No result: {why}.", *more]))


def targets_words(participants: int, *, each: str = "") -> str:
    """Return that several targets were measured together, with a space before it."""
    return f" on {each}{words.count(participants, 'target')} together" if participants > 1 else ""
