"""Cells of transfers and their trials: which of them count, their repeats, and their flags."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from assay.analysis.flags import CODES, Flag, FlagCode, Rate
from assay.analysis.statuses import COUNTED
from assay.base import words
from assay.base.worded import say
from assay.kinds.cells import BaseTrial
from assay.kinds.limits import cut_short, excluding
from assay.kinds.run_record import RunRecord


class RatedCell(Protocol):
    """The repeats of one parameter combination, and the rate that leads."""

    @property
    def rate(self) -> Rate:
        """The leading rate."""
        ...

    @property
    def trials(self) -> Sequence[BaseTrial]:
        """The repeats."""
        ...


Trial = TypeVar("Trial", bound=BaseTrial)


def counted(trials: Iterable[Trial]) -> list[Trial]:
    """Return the trials that measured something."""
    return [one for one in trials if one.status in COUNTED]


def ended(trials: Iterable[Trial]) -> list[Trial]:
    """Return the trials that are neither waiting nor running."""
    return [one for one in trials if one.status not in ("waiting", "running")]


def excluding_cells(cells: Iterable[RatedCell]) -> list[FlagCode]:
    """Return the flags that exclude the leading rates of these cells, the most severe first."""
    found = {code for cell in cells for code in excluding(cell.trials, cell.rate)}
    return [code for code in CODES if code in found]


def of_cut_short(run: RunRecord, trials: Sequence[BaseTrial]) -> list[tuple[str, dict[str, float]]]:
    """Return the message and figures of a run that did not measure all of its trials."""
    if run.cut_short is None:
        return []
    return [cut_short(run.cut_short, len(counted(trials)), len(trials))]


def named(flag: Flag, end: str, participant_id: int | None = None) -> Flag:
    """Return a flag that names the end in its evidence: `Receiver: …`."""
    evidence = say("{}: {}", words.capital(end), flag.evidence)
    return replace(flag, evidence=evidence, participant_id=participant_id)
