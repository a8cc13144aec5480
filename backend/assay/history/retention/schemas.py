"""API types of retention. Sizes are those of the stored, compressed data."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from assay.base.field_types import EntityTag, RequestBody

LONGEST_DAYS = 36_500

RuleName = Literal["raw_logs", "samples", "campaigns"]
RULES: tuple[RuleName, ...] = ("raw_logs", "samples", "campaigns")

_RULES: JsonDict = {
    "raw_logs": {"older_than_days": 90, "keep_labeled": True, "keep_referenced": True},
    "samples": None,
    "campaigns": None,
}
_PART: JsonDict = {
    "campaigns": 1,
    "runs": 1,
    "bytes": 48_120_332,
    "items": [
        {
            "campaign_id": 7,
            "campaign": "vault after the firmware update",
            "run_id": 42,
            "test": "Write matrix",
            "ended_at": "2026-05-03T09:12:44Z",
            "bytes": 48_120_332,
        }
    ],
}


class RetentionRule(RequestBody):
    """Removes what belongs to campaigns that ended so long ago, with exceptions.

    Never removed is what belongs to a campaign with the label `baseline`, one with a waiver, or one
    that has not ended.
    """

    older_than_days: Annotated[
        int, Field(strict=True, ge=1, le=LONGEST_DAYS, description="Since the end")
    ]
    keep_labeled: Annotated[
        bool, Field(strict=True, description="Except campaigns with labels")
    ] = True
    keep_referenced: Annotated[
        bool, Field(strict=True, description="Except campaigns with an external reference")
    ] = True


class RetentionRules(RequestBody):
    """A rule for each of the raw logs, the samples, and whole campaigns; null keeps all."""

    model_config = ConfigDict(json_schema_extra={"examples": [_RULES]})

    raw_logs: RetentionRule | None = None
    samples: RetentionRule | None = None
    campaigns: RetentionRule | None = None


class SpaceUsed(BaseModel):
    """What is stored, and how much space it takes.

    `results_bytes` are results, and attempts with their histograms. The database also has indexes,
    and pages that removals have freed: SQLite uses `reusable_bytes` again before its file grows.
    """

    campaigns: int
    runs: int
    raw_logs_bytes: int
    samples_bytes: int
    results_bytes: int
    database_bytes: int
    reusable_bytes: int | None = Field(description="Null on PostgreSQL, which manages it itself")


class RetentionOut(BaseModel):
    """The rules, when they were last applied, and the space used."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "rules": _RULES,
                    "changed_at": "2026-11-20T08:00:00Z",
                    "changed_by": "grace",
                    "applied_at": "2026-11-27T02:00:00Z",
                    "pending": False,
                    "space": {
                        "campaigns": 812,
                        "runs": 3401,
                        "raw_logs_bytes": 5_120_332_118,
                        "samples_bytes": 3_001_334_887,
                        "results_bytes": 411_220_019,
                        "database_bytes": 9_004_113_920,
                        "reusable_bytes": 0,
                    },
                    "etag": '"0b1f6a4e0c7c4e59b3b0d2c4a8e5f601"',
                }
            ]
        }
    )

    rules: RetentionRules
    changed_at: datetime | None
    changed_by: str | None
    applied_at: datetime | None = Field(description="When they were last applied completely")
    pending: bool = Field(description="Whether they will be applied now, not within the hour")
    space: SpaceUsed
    etag: EntityTag


class RemovalItem(BaseModel):
    """A run whose raw log or samples, or a campaign, that a rule removes."""

    campaign_id: int
    campaign: str
    run_id: int | None
    test: str | None
    ended_at: datetime | None
    bytes: int


class RemovalPreview(BaseModel):
    """What a rule removes now: counts, bytes, and the oldest items."""

    campaigns: int
    runs: int
    bytes: int
    items: list[RemovalItem] = Field(description="At most 100, the oldest first")


class RetentionPreview(BaseModel):
    """What the rules remove now; each rule by itself, null without one."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"raw_logs": _PART, "samples": None, "campaigns": None}]}
    )

    raw_logs: RemovalPreview | None
    samples: RemovalPreview | None
    campaigns: RemovalPreview | None
