"""The filter of lists by target."""

from typing import Annotated

from fastapi import Depends

from assay.base.filters import TargetId, TargetName
from assay.base.names import given
from assay.inventory.targets.queries import names
from assay.tables.transactions import Reading


def _of_target(
    session: Reading, target_id: TargetId = None, target: TargetName = None
) -> int | None:
    return given("target", target_id, target, lambda: names(session))


OfTarget = Annotated[int | None, Depends(_of_target)]
"""The id of a target that the query parameter `target_id` or `target` names."""
