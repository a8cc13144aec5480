"""Examples of criteria and verdicts, for the API's documentation; a test validates them."""

from typing import Any

from pydantic.config import JsonDict

CRITERION: JsonDict = {"criterion": "durable.mean >= 1250 MB/s", "stop": False}

SUMMARY: dict[str, Any] = {
    "outcome": "fail",
    "failed": 1,
    "inconclusive": 0,
    "waived": 0,
    "passed": 1,
    "rules": ["10.2"],
}

ROW: dict[str, Any] = {
    "number": 0,
    "criterion": "durable.mean >= 1250 MB/s",
    "label": "mean durable rate",
    "dimension": "rate",
    "outcome": "fail",
    "judged": "fail",
    "measured": 1_140_000_000.0,
    "limit": 1_250_000_000.0,
    "margin": -0.088,
    "doubts": [],
    "evidence": {
        "trial_id": 101,
        "parameters": {"block": 262_144, "threads": 1},
        "cell": "256 KiB, one thread",
        "participant": None,
    },
    "of_cells": 12,
    "waiver": None,
}

VERDICT: dict[str, Any] = {
    "run_id": 42,
    "title": "Write",
    "outcome": "fail",
    "rules": "10",
    "build": 1,
    "criteria_rules": "5",
    "rows": [ROW],
}

OF_CAMPAIGN: dict[str, Any] = {
    "campaign_id": 7,
    "outcome": "fail",
    "mixed_rules": False,
    "runs": [VERDICT],
    "unjudged": [],
}

WAIVER: JsonDict = {
    "number": 0,
    "reason": "Accepted until the controller's firmware is updated.",
    "expires_at": "2099-01-31T00:00:00Z",
}
