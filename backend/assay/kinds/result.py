"""What a kind makes of a run: its result, its finding for lists, its report and comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from assay.kinds.levels import HeldLevels
from assay.kinds.pictures import Picture
from assay.kinds.selected import Selected


class BaseHeadline(BaseModel):
    """The finding of a run, for lists; each kind has its own. Clients format it as text.

    `selected` is what the selection of the best of several cells means for its rate.
    """

    kind: Any
    selected: Selected | None = None


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
    """The comparison of two results of one kind; each kind has its own. Clients word it."""

    kind: Any


@dataclass(frozen=True)
class Delivery:
    """One way in which a run moved data from a source to a sink, for comparison across kinds.

    `rates` are the leading rates of its reliable trials, in bytes per second; `cpu_s_per_gb` is the
    CPU time of both hosts, with what they use anyway. `lost` counts what did not arrive as sent,
    null if that is unknown.
    """

    name: str
    length_bytes: int | None
    rates: Sequence[float]
    bytes_per_s: float | None
    cpu_s_per_gb: float | None
    lost: int | None


HeadlineLevels = Annotated[
    HeldLevels | None,
    Field(description="Replace the headline's rate if that of its cell changed for good"),
]


@dataclass(frozen=True)
class RunOutcome:
    """The finding of a run in a list, and its best trial.

    `best_bytes_per_s` is the mean of the repeats of the headline's cell, which `headline_levels`
    replace.
    """

    headline: BaseHeadline | None = None
    headline_levels: HeldLevels | None = None
    best_bytes_per_s: float | None = None
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
