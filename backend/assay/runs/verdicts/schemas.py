"""API types of criteria, metrics, verdicts and waivers."""

from datetime import UTC, datetime
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from assay.base.examples import shown
from assay.base.field_types import LARGEST_INTEGER, Lines, OneLine, RequestBody
from assay.kinds.metrics import (
    ArgumentDimension,
    Concern,
    Dimension,
    Direction,
    Doubt,
    EvidenceLocation,
)
from assay.kinds.registry import SHOWN, Test
from assay.runs.verdicts import examples
from assay.runs.verdicts.applicability import checked, problem_of
from assay.runs.verdicts.criteria import LONGEST, CriterionError
from assay.runs.verdicts.judging import Judged, Outcome

MOST_CRITERIA = 50


def _criterion(text: str) -> str:
    try:
        return str(checked(text))
    except CriterionError as error:
        raise PydanticCustomError(
            "criterion", "{reason}", {"reason": str(error), "remedy": error.remedy}
        ) from error


def refusal(number: int, error: CriterionError) -> PydanticCustomError:
    """Return why a body's criterion is refused, by its index."""
    return PydanticCustomError(
        "criterion",
        "{reason}",
        {
            "reason": str(error),
            "remedy": error.remedy,
            "field": f"criteria.{number}.criterion",
            "value": error.text,
        },
    )


class CriterionIn(RequestBody):
    """An acceptance criterion, such as `durable.mean >= 1250 MB/s`."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.CRITERION]})

    criterion: Annotated[
        str,
        StringConstraints(max_length=LONGEST),
        OneLine,
        AfterValidator(_criterion),
        Field(description="Metric, operator and limit; `GET /metrics` lists the metrics"),
    ]
    stop: bool = Field(
        default=False,
        description="Cancel the campaign's queued runs as soon as a run fails this criterion",
    )


Criteria = Annotated[list[CriterionIn], Field(max_length=MOST_CRITERIA)]


class CriteriaIn(RequestBody):
    """Criteria by which stored results are judged again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"criteria": [examples.CRITERION]}]})

    criteria: Annotated[Criteria, Field(min_length=1)]

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if found := problem_of([one.criterion for one in self.criteria]):
            raise refusal(*found)
        return self


class CriteriaText(RequestBody):
    """Criteria to check while they are typed; with `tests`, one of these must give each metric."""

    model_config = ConfigDict(
        json_schema_extra=shown(
            lambda: {"criteria": ["write.p99 < 20 ms"], "tests": [SHOWN.examples.test]}
        )
    )

    criteria: Annotated[
        list[Annotated[str, StringConstraints(max_length=10 * LONGEST)]],
        Field(max_length=MOST_CRITERIA),
    ]
    tests: Annotated[list[Test], Field(max_length=50)] | None = None


class CriterionMistake(BaseModel):
    """Why a criterion is refused; `position` is the index of the character."""

    position: int
    message: str
    remedy: str
    alternatives: list[str]


class CheckedCriterion(BaseModel):
    """A criterion in its usual form with its meaning; or the mistake in it."""

    criterion: str
    meaning: str | None
    mistake: CriterionMistake | None


class CheckedCriteria(BaseModel):
    """The criteria in the given order, and what else these tests can be judged on."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "criteria": [
                        {
                            "criterion": "write.p99 < 20 ms",
                            "meaning": "The p99 latency of a write in the leading cell is less "
                            "than 20 ms.",
                            "mistake": None,
                        }
                    ],
                    "metrics": ["durable.mean", "write.p99"],
                }
            ]
        }
    )

    criteria: list[CheckedCriterion]
    metrics: Annotated[
        list[str],
        Field(description="Metrics that at least one of the tests can give; of every kind without"),
    ]


class MetricArgument(BaseModel):
    """An argument of a metric."""

    name: str
    dimension: ArgumentDimension
    definition: str
    required: bool
    choices: Annotated[list[str], Field(description="The words of the dimension `word`")]


class MetricOut(BaseModel):
    """A metric that criteria may limit."""

    model_config = ConfigDict(
        title="Metric",
        json_schema_extra={
            "examples": [
                {
                    "kind": SHOWN.name,
                    "name": "durable.mean",
                    "label": "mean durable rate",
                    "dimension": "rate",
                    "concern": "durability",
                    "definition": "Mean over the repeats of the durable rate of the best cell.",
                    "better": "more",
                    "needs": "A write test.",
                    "units": ["MB/s", "GB/s"],
                    "arguments": [],
                }
            ]
        },
    )

    kind: str
    name: str
    label: str
    dimension: Dimension
    concern: Annotated[
        Concern,
        Field(description="Who served the data matters only to `durability` and `device`"),
    ]
    better: Annotated[Direction, Field(description="Which values are better")]
    definition: str
    needs: str
    units: list[str]
    arguments: list[MetricArgument]


class VerdictSummary(BaseModel):
    """The verdict in a list: the gravest outcome, and the number of criteria with each."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.SUMMARY]})

    outcome: Outcome
    failed: int
    inconclusive: int
    waived: int
    passed: int
    rules: Annotated[
        list[str],
        Field(description="Versions of the rules for results and criteria, such as `10.2`"),
    ]


class WaiverOut(BaseModel):
    """Who accepted a criterion that was not passed, why, and until when."""

    model_config = ConfigDict(title="Waiver")

    id: int
    actor: str
    reason: str
    created_at: datetime
    expires_at: datetime


class VerdictRow(BaseModel):
    """One criterion judged on one run."""

    number: Annotated[int, Field(description="Index of the criterion")]
    criterion: str
    label: str
    dimension: Dimension
    outcome: Annotated[Outcome, Field(description="`waived` while a waiver is valid")]
    judged: Annotated[Judged, Field(description="The outcome without waivers")]
    measured: Annotated[
        float | None,
        Field(description="In the dimension's unit: bytes/s, ns, bytes, part of one, or a number"),
    ]
    limit: float | None
    margin: Annotated[
        float | None,
        Field(description="Distance to the limit as a share of it; negative if it is not met"),
    ]
    doubts: Annotated[list[Doubt], Field(description="Why the outcome is inconclusive or limited")]
    evidence: EvidenceLocation
    of_cells: Annotated[
        int | None,
        Field(
            description="The value is that of the leading one of so many cells, which `evidence` "
            "names; the others were not judged. Null if it is of all"
        ),
    ]
    waiver: Annotated[WaiverOut | None, Field(description="The newest waiver, if still valid")]


class RunVerdict(BaseModel):
    """The criteria judged on one run.

    `rules` and `build` name the result, `criteria_rules` the version of the rules that judged it.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [examples.VERDICT]})

    run_id: int
    title: str
    outcome: Outcome
    rules: str
    build: Annotated[
        int | None, Field(description="Null if the result was computed for this request")
    ]
    criteria_rules: str
    rows: list[VerdictRow]


class CampaignVerdict(BaseModel):
    """The criteria judged on every ended run that they apply to.

    `outcome` is the gravest; null if nothing was judged yet. If `mixed_rules`, the runs were judged
    by different versions of the rules, and the outcome is at best inconclusive. `unjudged` has the
    criteria that apply to none of the runs, once all have ended; they are inconclusive unless they
    are waived for the campaign.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [examples.OF_CAMPAIGN]})

    campaign_id: int
    outcome: Outcome | None
    mixed_rules: bool
    runs: list[RunVerdict]
    unjudged: list[VerdictRow]


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError(
            "time_range",
            "is not in the years 1 to 9999 in UTC",
            {"remedy": "Write it like 2027-01-31T12:00:00Z."},
        ) from error


class WaiverIn(RequestBody):
    """Acceptance of a criterion that a run did not pass."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.WAIVER]})

    number: Annotated[
        int, Field(ge=0, le=LARGEST_INTEGER, strict=True, description="Index of the criterion")
    ]
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000), Lines
    ]
    expires_at: Annotated[AwareDatetime, AfterValidator(_in_utc)]
