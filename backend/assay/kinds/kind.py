"""The interface of a test kind, and the plain data that it is given and answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, StringConstraints
from pydantic.config import JsonDict

from assay.analysis.cliff import Intervals
from assay.analysis.histogram import Latency
from assay.http.field_errors import FieldError
from assay.http.field_types import RequestBody, Storable
from assay.kinds.planning import FieldName, Place, PlannedRun

Title = Annotated[str, StringConstraints(min_length=1, max_length=200), Storable]

CutShort = Literal["cancelled", "failed", "lost"]
"""Why a run did not measure all that was planned."""


class BaseTest(RequestBody):
    """What every test has; the fields of each kind come on top, `kind` among them."""

    kind: Any
    title: Title

    @property
    def trials(self) -> int:
        """Measurements on one target."""
        raise NotImplementedError


class BaseParameters(BaseModel):
    """The parameters of one trial; each kind has its own."""

    kind: Any


@dataclass(frozen=True)
class AttemptRecord:
    """The attempt that decides a trial, as it is stored.

    `result` is the probe's `result` event, `course` the throughput over time where the attempt
    counts and is long enough.
    """

    status: str
    reason: str | None
    bytes: int
    ops: int
    app_ns: int | None
    durable_ns: int | None
    result: Mapping[str, Any] | None
    disturbance: Mapping[str, int | None]
    latency: Latency | None
    course: Intervals | None


@dataclass(frozen=True)
class TrialRecord:
    """A trial with its deciding attempt, how often it was begun, and whether it will be again."""

    id: int
    repeat: int
    cell: str
    parameters: Mapping[str, Any]
    attempts: int
    again: bool
    deciding: AttemptRecord | None


@dataclass(frozen=True)
class Site:
    """Where a run measured, as far as the source of its rates depends on it."""

    fs_type: str | None
    array_name: str | None
    array_cache_bytes: int | None


@dataclass(frozen=True)
class RunRecord:
    """A run as its kind judges it: the resolved test, the trials in order, and the site."""

    id: int
    parameters: Mapping[str, Any]
    trials: Sequence[TrialRecord]
    site: Site
    cut_short: CutShort | None


class BaseHeadline(BaseModel):
    """What a run found, for lists; each kind has its own. Clients word it."""

    kind: Any


class BaseResult(BaseModel):
    """What every result has."""

    kind: Any
    run_id: int
    edition: str


class BaseComparison(BaseModel):
    """How two results of one kind compare; each kind has its own."""

    kind: Any


@dataclass(frozen=True)
class HeldRate:
    """A rate in bytes per second, and how long it held, in ns."""

    bytes_per_s: float
    ns: float


@dataclass(frozen=True)
class Outcome:
    """The answer of a run in a list, and the trial that reached most."""

    headline: BaseHeadline | None = None
    headline_bytes_per_s: float | None = None
    headline_levels: list[HeldRate] | None = None
    best_bytes_per_s: float | None = None
    best_trial_id: int | None = None


@dataclass(frozen=True)
class Report:
    """A result for a terminal: a table, its first column the rows' names, and sentences."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str]


@dataclass(frozen=True)
class Examples:
    """Examples for the API's documentation."""

    test: JsonDict
    parameters: dict[str, Any]
    overrides: JsonDict
    trial: dict[str, Any]
    cell: str
    outcome: dict[str, Any]
    result: dict[str, Any]
    comparison: dict[str, Any]


class Kind(ABC):
    """A test kind: everything about it that the rest of Assay asks for."""

    name: ClassVar[str]
    test: ClassVar[type[BaseTest]]
    resolved: ClassVar[type[BaseTest]]
    """The test as a run measures it; fields that it does not have are ignored."""
    overrides: ClassVar[type[RequestBody]]
    trial: ClassVar[type[BaseParameters]]
    result: ClassVar[type[BaseResult]]
    headline: ClassVar[type[BaseHeadline]]
    comparison: ClassVar[type[BaseComparison]]
    labels: ClassVar[Mapping[str, str]]
    """The parameters of a run that are conditions of its result, with their labels."""
    sizes: ClassVar[frozenset[str]]
    """Those of the labeled parameters that are bytes."""
    cautions: ClassVar[frozenset[str]]
    """The codes of its estimates' warnings."""
    examples: ClassVar[Examples]

    @abstractmethod
    def plan(
        self, number: int, test: Any, place: Place, field: FieldName
    ) -> tuple[PlannedRun | None, list[FieldError]]:
        """Plan the campaign's test `number` on a place; None where a problem prevents it."""

    @abstractmethod
    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the probe's plan.

        `direct` says whether O_DIRECT was found to bypass the page cache at the target.
        """

    @abstractmethod
    def peak_bytes(self, trials: Sequence[Mapping[str, Any]]) -> int:
        """Return the most bytes that the files of these trials occupy at once."""

    @abstractmethod
    def judge(self, run: RunRecord) -> BaseResult:
        """Return the result of a run in whatever state it is."""

    @abstractmethod
    def outcome(self, result: Any) -> Outcome:
        """Return the answer of an ended run, as lists show it."""

    @abstractmethod
    def compare(self, results: Sequence[Any], names: Sequence[str]) -> BaseComparison:
        """Compare the first result with the second; `names` are what to call them."""

    @abstractmethod
    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Return a trial's parameters in a few words."""

    @abstractmethod
    def report(self, result: Mapping[str, Any]) -> Report:
        """Return the API's answer of a result in words, for a terminal."""

    @abstractmethod
    def table(self, result: Any) -> str:
        """Return a result as CSV; every column names its unit."""
