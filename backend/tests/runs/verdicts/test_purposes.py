"""What the launch form proposes for a purpose can be launched as it is proposed."""

import json
from pathlib import Path
from typing import Any

import pytest
from assay.runs.profiles.builtin import BUILTINS
from assay.runs.verdicts.applicability import problem_of

FORM = Path(__file__).parents[4] / "frontend/src/features/launch/purposes.json"
PURPOSES: list[dict[str, Any]] = json.loads(FORM.read_text())


@pytest.mark.parametrize("purpose", PURPOSES, ids=lambda purpose: purpose["name"])
def test_the_profile_of_a_purpose_can_be_judged_by_its_criteria(purpose: dict[str, Any]) -> None:
    (profile,) = [one for one in BUILTINS if one.slug == purpose["profile"]]
    assert purpose["criteria"]
    assert problem_of(purpose["criteria"], profile.body.tests) is None
