"""What a kind makes of a run: its result, its finding for lists, its report and comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from assay.base.worded import Words
from assay.kinds.headline import BaseHeadline
from assay.kinds.levels import HeldLevels
from assay.kinds.pictures import Picture


class ResultParticipant(BaseModel):
    """Where one of a run's participants measured, and its role: *writer*, *reader*, *sender* or
    *receiver*.

    `clock_uncertainty_ns` is how far its start may be from the agreed start. `devices` are the
    physical disks below its target; empty if they are unknown.
    """

    id: int
    host: str
    path: str | None
    role: str
    clock_uncertainty_ns: int | None
    devices: list[str] = Field(default_factory=list[str])


class BaseResult(BaseModel):
    """Fields of every result."""

    kind: Any
    run_id: int
    edition: str
    participants: list[ResultParticipant]


class BaseComparison(BaseModel):
    """The comparison of results of one kind; each kind has its own.

    `sentences` say what was found; they name a run by its id.
    """

    kind: Any
    sentences: list[Words]


HeadlineLevels = Annotated[
    HeldLevels | None,
    Field(description="Replace the headline's rate if that of its cell changed for good"),
]


@dataclass(frozen=True)
class RunOutcome:
    """The finding of a run in a list, and its best trial.

    `metric` is that of the headline's figure: the mean of the repeats of its cell, in bytes per
    second, which `headline_levels` replace. None without one.
    """

    headline: BaseHeadline | None = None
    headline_levels: HeldLevels | None = None
    metric: str | None = None
    best_trial_id: int | None = None


@dataclass(frozen=True)
class Report:
    """A result for people: a table, whose first column has the row names, and sentences.

    A terminal shows these; a page also shows the pictures.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str]
    pictures: Sequence[Picture] = ()
