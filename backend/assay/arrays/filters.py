"""The filter of lists by array."""

from typing import Annotated

from fastapi import Depends

from assay.arrays.queries import names
from assay.http.filters import ArrayId, ArrayName
from assay.http.names import given
from assay.http.transactions import Reading


def _of_array(session: Reading, array_id: ArrayId = None, array: ArrayName = None) -> int | None:
    return given("array", array_id, array, lambda: names(session))


OfArray = Annotated[int | None, Depends(_of_array)]
"""The id of an array that the query parameter `array_id` or `array` names."""
