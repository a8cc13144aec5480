"""The kind *commits*: append a record and sync it, as a database does with its log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from assay.analysis.edition import EDITION
from assay.analysis.statuses import COUNTED
from assay.base.field_errors import FieldError
from assay.base.worded import say
from assay.kinds.examples import example
from assay.kinds.export import figures
from assay.kinds.headline import BaseHeadline, HeadlineWords
from assay.kinds.kind import BaseParameters, BaseTest, Kind
from assay.kinds.metrics import Arguments, Doubt, Measurement, Metric
from assay.kinds.parameters import Group, Parameter
from assay.kinds.planning import Caution, FieldName, Place, PlannedRun, PlannedTrial
from assay.kinds.result import BaseComparison, BaseResult, Report, RunOutcome
from assay.kinds.run_record import RunRecord, TrialRecord
from pydantic import BaseModel, ConfigDict, Field

NAME = "commits"
CELL = "commits"
SLOWEST_PER_S = 20
"""Commits per second of a slow disk."""

Record = Annotated[int, Field(strict=True, ge=512, le=2**20)]
Records = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Repeats = Annotated[int, Field(strict=True, ge=1, le=100)]
Timeout = Annotated[int, Field(strict=True, ge=100, le=3_600_000)]
SampleInterval = Annotated[int, Field(strict=True, ge=100, le=60_000)]


COMMITS = Group("Commits")


class CommitsTest(BaseTest):
    """Commits of `records` records of `record` bytes each."""

    model_config = ConfigDict(json_schema_extra=example(NAME, "test"))

    kind: Literal["commits"]
    record: Annotated[
        Record, Parameter("Record size", "Bytes of each commit.", "size", COMMITS, common=True)
    ]
    records: Annotated[Records, Parameter("Records", "Commits per trial.", "count", COMMITS)]
    repeats: Repeats = 3
    timeout_ms: Timeout = 60_000
    sample_ms: SampleInterval = 1000

    @property
    def trials(self) -> int:
        """Number of trials on one target."""
        return self.repeats


class ResolvedCommits(CommitsTest):
    """Commits as a run measures them."""

    model_config = ConfigDict(extra="ignore")


class CommitsParameters(BaseParameters):
    """The parameters of one trial."""

    kind: Literal["commits"]
    record: int
    records: int


class CommitTrial(BaseModel):
    """A trial with its rate and the latency that 99 % of its commits did not exceed."""

    id: int
    repeat: int
    status: str
    reason: str | None = None
    attempts: int = 0
    flags: list[Any] = []
    commits_per_s: float | None
    p99_ns: float | None


class CommitsHeadline(BaseHeadline):
    """The mean of the repeats."""

    kind: Literal["commits"]
    commits_per_s: float
    record: int

    def worded(self) -> HeadlineWords:
        """Return the rate; commits are no dimension that a page prints large."""
        commits = f"{round(self.commits_per_s)} commits/s"
        rest = say("{} in records of {}", commits, {"block_bytes": self.record})
        return HeadlineWords(None, None, rest)


class CommitsResult(BaseResult):
    """All trials, and the mean of those that count."""

    model_config = ConfigDict(json_schema_extra=example(NAME, "result"))

    kind: Literal["commits"]
    record: int
    trials: list[CommitTrial]
    commits_per_s: float | None


class CommitsComparison(BaseComparison):
    """The first run's mean divided by the second's."""

    kind: Literal["commits"]
    ratio: float | None


@dataclass(frozen=True)
class PlannedCommits(PlannedRun):
    """Commits on one place."""

    test: CommitsTest

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return NAME

    @property
    def title(self) -> str:
        """Title of the test."""
        return self.test.title

    @property
    def role(self) -> str:
        """Role of the participant."""
        return "writer"

    @property
    def parameters(self) -> dict[str, Any]:
        """The test."""
        return self.test.model_dump(mode="json")

    @property
    def cells(self) -> int:
        """Number of parameter combinations."""
        return 1

    @property
    def trials(self) -> int:
        """Number of trials."""
        return self.test.repeats

    def order(self) -> list[PlannedTrial]:
        """Return the repeats."""
        sizes = {"record": self.test.record, "records": self.test.records}
        return [PlannedTrial(repeat, CELL, sizes) for repeat in range(1, self.trials + 1)]

    @property
    def file_size_asked(self) -> int | str:
        """Size of the file."""
        return self.file_size

    @property
    def prepared_bytes(self) -> int:
        """Bytes written before the first trial."""
        return 0

    @property
    def bytes_written(self) -> int:
        """Bytes of all repeats."""
        return self.trials * self.file_size

    @property
    def peak_bytes(self) -> int:
        """Size of the file."""
        return self.file_size

    @property
    def shortest_s(self) -> float:
        """Duration at 100,000 commits per second."""
        return self.trials * self.test.records / 100_000

    @property
    def longest_s(self) -> float:
        """Duration if every trial reaches its time limit."""
        return self.trials * self.test.timeout_ms / 1000

    def cautions(self) -> Iterator[Caution]:
        """Warn if a slow disk would reach the time limit."""
        if self.test.records > SLOWEST_PER_S * self.test.timeout_ms / 1000:
            yield Caution("commits_slow", f"{self.name} reaches its time limit on a slow disk.")


def _payload(result: CommitsResult, _: Arguments) -> Measurement:
    """Return the bytes of the commits per second."""
    if result.commits_per_s is None:
        return Measurement(None, doubts=[Doubt("not_measured", "No trial was measured.")])
    counted = sum(trial.commits_per_s is not None for trial in result.trials)
    return Measurement(result.commits_per_s * result.record, repeats=counted)


PAYLOAD = Metric(
    "commits.payload",
    "rate of committed data",
    "rate",
    "durability",
    "Mean over the repeats of the commits per second × the record size.",
    "A commits test.",
    lambda _test, _arguments: None,
    _payload,
    sense="rate",
)


class CommitsKind(Kind):
    """Commits per second."""

    name = NAME
    test = CommitsTest
    resolved = ResolvedCommits
    trial = CommitsParameters
    result = CommitsResult
    headline = CommitsHeadline
    comparison = CommitsComparison
    cautions = frozenset({"commits_slow"})
    metrics = (PAYLOAD,)
    figure_columns = figures("number", "commits_per_s", "p99_ns")

    def plan(
        self, number: int, test: CommitsTest, place: Place, field: FieldName
    ) -> tuple[PlannedRun | None, list[FieldError]]:
        """Plan the test on a place."""
        return PlannedCommits(place, number, test.record * test.records, test), []

    def plan_fields(
        self, parameters: Mapping[str, Any], trial: Mapping[str, Any], *, role: str, direct: bool
    ) -> dict[str, object]:
        """Return the fields of a trial's line in the probe's plan."""
        timeouts = {"timeout_ms": parameters["timeout_ms"], "sync_timeout_ms": 60_000}
        return {"record": trial["record"], "records": trial["records"], **timeouts}

    def peak_bytes(self, trials: Sequence[Mapping[str, Any]], role: str) -> int:
        """Return the size of the largest file."""
        return max((trial["record"] * trial["records"] for trial in trials), default=0)

    def judge(self, run: RunRecord) -> CommitsResult:
        """Return the rate of each trial, and their mean."""
        trials = [_trial(trial) for trial in run.trials]
        rates = [trial.commits_per_s for trial in trials if trial.commits_per_s is not None]
        return CommitsResult(
            kind=NAME,
            run_id=run.id,
            edition=EDITION,
            participants=run.participants,
            record=run.parameters["record"],
            trials=trials,
            commits_per_s=sum(rates) / len(rates) if rates else None,
        )

    def outcome(self, result: CommitsResult) -> RunOutcome:
        """Return the mean, for lists."""
        if result.commits_per_s is None:
            return RunOutcome()
        best = max(result.trials, key=lambda trial: trial.commits_per_s or 0)
        return RunOutcome(
            headline=CommitsHeadline(
                kind=NAME, commits_per_s=result.commits_per_s, record=result.record
            ),
            metric=PAYLOAD.name,
            best_trial_id=best.id,
        )

    def compare(self, results: Sequence[CommitsResult]) -> CommitsComparison:
        """Compare the means."""
        one, other = results[0].commits_per_s, results[1].commits_per_s
        if not one or not other:
            return CommitsComparison(kind=NAME, sentences=[], ratio=None)
        sentence = say("{} times the commits.", {"figure": one / other})
        return CommitsComparison(kind=NAME, sentences=[sentence], ratio=one / other)

    def trial_words(self, parameters: Mapping[str, Any]) -> str:
        """Format a trial's parameters."""
        return f"{parameters['records']} records of {parameters['record']} B"

    def report(self, result: Mapping[str, Any]) -> Report:
        """Format a result for a terminal."""
        rows = [(str(trial["repeat"]), str(trial["commits_per_s"])) for trial in result["trials"]]
        return Report("Commits", ("repeat", "commits/s"), rows, ())

    def exported(self, result: CommitsResult) -> Iterable[tuple[Any, Any]]:
        """Yield each repeat; there are no cells."""
        return ((None, trial) for trial in result.trials)


def _trial(trial: TrialRecord) -> CommitTrial:
    (attempt,) = trial.deciding
    counts = attempt is not None and attempt.status in COUNTED and bool(attempt.app_ns)
    return CommitTrial(
        id=trial.id,
        repeat=trial.repeat,
        reason=trial.reason,
        attempts=trial.attempts,
        status=attempt.status if attempt else "waiting",
        commits_per_s=attempt.ops / (attempt.app_ns or 1) * 1e9 if attempt and counts else None,
        p99_ns=attempt.latency.percentile(0.99) if attempt and attempt.latency else None,
    )
