"""Whatever follows the OpenAPI document, or just misses it, is answered, and never by a 5xx.

schemathesis makes the requests: the documented examples, the borders of every parameter, and
random ones, valid or not, the same in every run. An administrator sends them to an appliance in
use, and half of the ids are of what there is.
"""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import (
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from testing.api import FOUND
from testing.furnished import DOCUMENT, Furnished

RANDOM = 5
"""Random requests for each operation, in addition to the fixed ones."""

GENERATION = GenerationConfig(
    deterministic=True, database="none", max_examples=RANDOM, no_shrink=True
)
PHASES = PhasesConfig(coverage=CoveragePhaseConfig(unexpected_methods=set()))

api = schemathesis.openapi.from_dict(
    DOCUMENT,
    config=SchemathesisConfig(
        seed=1, projects=ProjectsConfig(default=ProjectConfig(generation=GENERATION, phases=PHASES))
    ),
)


ASKS_A_HOST = ("/check]", "POST /api/v1/targets]")


@pytest.fixture
def served(furnished: Furnished, request: pytest.FixtureRequest) -> Iterator[Furnished]:
    """The API with a worker, so that requests do not wait for one in vain."""
    if not any(name in request.node.name for name in ASKS_A_HOST):
        yield furnished
        return
    with furnished.appliance.answering(FOUND):
        yield furnished


@pytest.mark.parametrize("configured", ["postgresql"], indirect=True)  # the stricter one
@api.parametrize()
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_request_causes_an_internal_error(case: schemathesis.Case, served: Furnished) -> None:
    speak_of_what_there_is(case, served)
    request = case.as_transport_kwargs(base_url="http://testserver")
    request.pop("cookies", None)
    request["headers"]["Authorization"] = f"Bearer {served.appliance.admin.token}"
    # as on the wire: the client encodes text as ASCII only
    request["headers"] = {n: v.encode("latin-1") for n, v in request["headers"].items()}
    answer = served.http.request(**request)
    assert answer.status_code < 500, f"{request}: {answer.text}"


def speak_of_what_there_is(case: schemathesis.Case, furnished: Furnished) -> None:
    """Replace half of the ids by existing ones; follow no existing campaign's stream, which never
    ends.
    """
    for place in (case.path_parameters, case.query, case.body):
        if isinstance(place, dict):
            for name, known in furnished.ids.items():
                value = place.get(name)
                if isinstance(value, int) and value % 2:
                    place[name] = known
                if isinstance(place.get(f"{name}s"), list):
                    place[f"{name}s"] = [known, *place[f"{name}s"]]
    if case.path.endswith("/stream"):
        case.path_parameters["campaign_id"] = 10**6
