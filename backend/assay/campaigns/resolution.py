"""Resolution of a profile and overrides into the tests to run."""

from collections.abc import Sequence

from pydantic import ValidationError

from assay.campaigns.schemas import CampaignPlan
from assay.http.field_errors import FieldError, from_pydantic
from assay.kinds.registry import Test


class Resolution:
    """The tests of a plan with its overrides applied; `problems` lists invalid values."""

    def __init__(self, plan: CampaignPlan, profile_tests: Sequence[Test]) -> None:
        """Apply the overrides to each test."""
        self._overrides = plan.overrides.model_dump(exclude_none=True)
        self._prefix = "profile.tests" if plan.tests is None else "tests"
        self.tests: list[Test] = []
        self.problems: list[FieldError] = []
        for number, test in enumerate(profile_tests if plan.tests is None else plan.tests):
            try:
                known = type(test).model_fields
                overrides = {n: v for n, v in self._overrides.items() if n in known}
                self.tests.append(type(test).model_validate({**test.model_dump(), **overrides}))
            except ValidationError as error:
                for one in from_pydantic(error.errors()):
                    name = self.field(number, one.field.partition(".")[0])
                    problem = FieldError(name, one.message, one.remedy, one.value)
                    if problem not in self.problems:
                        self.problems.append(problem)

    def field(self, number: int, name: str) -> str:
        """Return the request field that set the field `name` of the n-th test."""
        return f"overrides.{name}" if name in self._overrides else f"{self._prefix}.{number}.{name}"
