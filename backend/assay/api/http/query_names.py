"""Validation of query parameter names: unknown and repeated ones are errors, as in a body.

FastAPI would silently ignore unknown parameters, and all but the last value of a repeated one.
"""

from collections.abc import Iterator
from typing import get_args, get_origin

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.suggestions import did_you_mean


async def only_known(request: Request) -> None:
    """Raise Invalid for query parameters that are unknown, or given more than once."""
    if not request.query_params:  # most requests
        return
    route: APIRoute = request.scope["route"]
    known = {
        parameter.alias: _takes_several(parameter.field_info.annotation)
        for parameter in get_flat_params(route.dependant)
        if isinstance(parameter.field_info, Query)
    }
    if mistakes := list(_mistakes(request, known)):
        raise Invalid(mistakes)


def _mistakes(request: Request, known: dict[str, bool]) -> Iterator[FieldError]:
    for name in sorted(request.query_params.keys()):
        values = request.query_params.getlist(name)
        if name not in known:
            remedy = did_you_mean(name, known) or "Remove it or correct its name."
            yield FieldError(name, "is unknown", remedy, values[-1])
        elif len(values) > 1 and not known[name]:
            yield FieldError(name, "is given more than once", "Give one value.", values)


def _takes_several(annotation: object) -> bool:
    """Return whether a type is a list, or a list or null."""
    return any(get_origin(part) is list for part in (annotation, *get_args(annotation)))
