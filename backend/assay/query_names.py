"""The names of query parameters: one that is not known is a mistake, as it is in a body."""

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute

from assay.errors import Invalid
from assay.field_errors import FieldError


async def only_known(request: Request) -> None:
    """Raise Invalid for query parameters that the endpoint does not have."""
    if not request.query_params:  # most requests: nothing of the route need be gathered
        return
    route: APIRoute = request.scope["route"]
    known = {
        parameter.alias
        for parameter in get_flat_params(route.dependant)
        if isinstance(parameter.field_info, Query)
    }
    if unknown := sorted(request.query_params.keys() - known):
        raise Invalid(
            [
                FieldError(
                    name,
                    "is not known here",
                    "Leave it out, or correct its name.",
                    request.query_params[name],
                )
                for name in unknown
            ]
        )
