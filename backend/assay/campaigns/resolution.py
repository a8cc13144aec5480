"""Resolution of a profile and overrides into the tests to run."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from assay.campaigns.schemas import CampaignPlan
from assay.http.field_errors import FieldError, from_pydantic
from assay.kinds.registry import KINDS, Test


class Resolution:
    """The tests of a plan with its overrides applied; `problems` lists invalid values."""

    def __init__(self, plan: CampaignPlan, profile_tests: Sequence[Test]) -> None:
        """Apply the overrides to each test."""
        self._overrides = plan.overrides.model_dump(exclude_none=True)
        self._prefix = "profile.tests" if plan.tests is None else "tests"
        self.tests: list[Test] = []
        self.problems: list[FieldError] = []
        given = profile_tests if plan.tests is None else plan.tests
        for number, test in enumerate(given):
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
        if not self.problems:
            self.problems += self._without_effect(given)

    def _without_effect(self, given: Sequence[Test]) -> Iterator[FieldError]:
        """Yield the overrides that change nothing, because no test has or uses the value.

        A rate without `pace`, for example, would leave an unpaced test unpaced.
        """
        for name, value in self._overrides.items():
            where, having = f"overrides.{name}", list[tuple[Test, Test]]()
            for before, after in zip(given, self.tests, strict=True):
                having += [(before, after)] if name in type(after).model_fields else []
            if not having:
                message = "is given, but no test of the profile has this value"
                yield FieldError(where, message, "Omit it.", value)
            elif all(getattr(before, name) == getattr(after, name) for before, after in having):
                continue
            elif all(name in KINDS[one.kind].unused(one.model_dump()) for _, one in having):
                decided = (KINDS[one.kind].used_with(name, one.model_dump()) for _, one in having)
                used = next(filter(None, decided), None)
                if used and used[0] in self._overrides:
                    continue  # the launch form keeps the rate of a test that is paced no more
                remedy = f"Omit it, or set {used[0]} to {used[1]}." if used else "Omit it."
                message = "is given, but no test uses it with its other parameters"
                yield FieldError(where, message, remedy, value)

    def field(self, number: int, name: str) -> str:
        """Return the request field that set the field `name` of the n-th test."""
        return f"overrides.{name}" if name in self._overrides else f"{self._prefix}.{number}.{name}"
