"""From a profile and overrides to the tests that are really meant, and whom to blame in them."""

from collections.abc import Sequence

from pydantic import ValidationError

from assay.campaigns.schemas import CampaignPlan
from assay.http.field_errors import FieldError, from_pydantic
from assay.kinds.registry import Test


class Resolution:
    """The tests of a plan with its overrides laid over them; `problems` where that does not fit."""

    def __init__(self, plan: CampaignPlan, profile_tests: Sequence[Test]) -> None:
        """Lay the overrides over each test."""
        self._overrides = plan.overrides.model_dump(exclude_none=True)
        self._prefix = "profile.tests" if plan.tests is None else "tests"
        self.tests: list[Test] = []
        self.problems: list[FieldError] = []
        for number, test in enumerate(profile_tests if plan.tests is None else plan.tests):
            try:
                known = type(test).model_fields
                laid_over = {n: v for n, v in self._overrides.items() if n in known}
                self.tests.append(type(test).model_validate({**test.model_dump(), **laid_over}))
            except ValidationError as error:
                for one in from_pydantic(error.errors()):
                    name = self.field(number, one.field.partition(".")[0])
                    blamed = FieldError(name, one.message, one.remedy, one.value)
                    if blamed not in self.problems:
                        self.problems.append(blamed)

    def field(self, number: int, name: str) -> str:
        """Where in the request the field `name` of the n-th test came from."""
        return f"overrides.{name}" if name in self._overrides else f"{self._prefix}.{number}.{name}"
