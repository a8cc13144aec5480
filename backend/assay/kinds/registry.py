"""The registered test kinds, and the unions of their types for the API."""

from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import AfterValidator, Field, WithJsonSchema, create_model
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from assay.base.field_types import RequestBody
from assay.kinds.detail import BaseDetail
from assay.kinds.headline import BaseHeadline
from assay.kinds.kind import BaseParameters, BaseTest, Kind
from assay.kinds.matrix import MatrixKind
from assay.kinds.path import PathKind
from assay.kinds.records import RecordsKind
from assay.kinds.result import BaseComparison, BaseResult
from assay.kinds.sustained import SustainedKind
from assay.kinds.tool import ToolKind

_ALL: tuple[Kind, ...] = (
    MatrixKind(),
    SustainedKind(),
    PathKind(),
    RecordsKind(),
    ToolKind(),
)

KINDS: dict[str, Kind] = {one.name: one for one in _ALL}
"""Every kind by its name."""


def comparing_kind(kinds: Set[str]) -> Kind | None:
    """Return the kind that compares results of these kinds; None if they have nothing in common."""
    if len(kinds) == 1:
        return KINDS[next(iter(kinds))]
    return next((KINDS[one] for one in sorted(kinds) if KINDS[one].compares >= kinds), None)


def _existing(name: str) -> str:
    if name not in KINDS:
        names = ", ".join(sorted(KINDS))
        raise PydanticCustomError(
            "kind", "must be one of {names}", {"names": names, "remedy": f"Choose one of {names}."}
        )
    return name


KindName = Annotated[
    str, AfterValidator(_existing), WithJsonSchema({"type": "string", "enum": sorted(KINDS)})
]
"""The name of a kind in a request."""

SHOWN: Kind = _ALL[0]
"""The kind of the examples of what all kinds have."""


def _either(types: Sequence[Any]) -> Any:
    return reduce(lambda one, other: one | other, types)


def _union(types: Sequence[Any], extra: Callable[[JsonDict], None] | None = None) -> Any:
    """Return the tagged union of these types; pydantic has no union of a single type."""
    several = _either(types)
    if len(types) == 1:
        return several
    return Annotated[several, Field(discriminator="kind", json_schema_extra=extra)]


def _show_results(schema: JsonDict) -> None:
    schema["examples"] = [one.examples.result for one in _ALL]


def _overrides() -> type[RequestBody]:
    """Return a body with the overrides of all kinds; each test uses those of its fields.

    A field that has other types in other kinds, such as a number and a list, takes any of them; the
    test then takes its own.
    """
    bases = tuple(dict.fromkeys(one.overrides for one in _ALL))
    types: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
    for base in bases:
        plain = get_type_hints(base)
        for name, field in base.model_fields.items():
            types[name].setdefault(plain[name], field.annotation)
    differing: dict[str, Any] = {
        name: (_either(list(found.values())), None)
        for name, found in types.items()
        if len(found) > 1
    }
    return create_model(
        "Overrides",
        __base__=bases,
        __doc__="Values that replace those of every test of the profile that has such a field.",
        **differing,
    )


if TYPE_CHECKING:
    Test = BaseTest
    RunParameters = BaseTest
    TrialParameters = BaseParameters
    Detail = BaseDetail
    Headline = BaseHeadline
    Result = BaseResult
    Comparison = BaseComparison
    Overrides = RequestBody
else:
    Test = _union([one.test for one in _ALL])
    RunParameters = _union([one.resolved for one in _ALL])
    TrialParameters = _union([one.trial for one in _ALL])
    Detail = _either([one.detail for one in _ALL if one.detail])
    Headline = _union([one.headline for one in _ALL])
    Result = _union([one.result for one in _ALL], _show_results)
    Comparison = _union([one.comparison for one in _ALL])
    Overrides = _overrides()


def trial_parameters(name: str, parameters: Any) -> "TrialParameters":
    """Return the parameters of a trial as API type, tagged with their kind."""
    return KINDS[name].trial.model_validate({"kind": name, **parameters})
