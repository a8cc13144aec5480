"""Entity tags of what can be edited, and the header `If-Match`.

A tag covers the fields that a user edits, not what workers observe: a check of a host between
reading and editing it is no conflict. Equal fields have equal tags.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Header

from assay.base.errors import Problem

IF_MATCH = "If-Match"
_DIGITS = 32
_TAG = re.compile(r'\s*((?:W/)?"[^"]*")\s*')

IfMatch = Annotated[
    str | None,
    Header(
        alias=IF_MATCH,
        max_length=2000,
        description="The `etag` that you read: the request fails with 412 if it has changed since",
    ),
]


class PreconditionFailed(Problem):
    """The object was changed after the client read it."""

    status, code, title = 412, "precondition_failed", "Changed since you opened it"

    def __init__(self, current: str, actor: str | None, at: datetime | None) -> None:
        """Use the current tag, and the newest change if the audit log has it."""
        when = f" at {at:%Y-%m-%d %H:%M:%S} UTC" if at else ""
        by = f"{actor} changed it{when}," if actor else "It was changed"
        super().__init__(
            f"{by} after you read it.",
            "Reload it and repeat your change.",
            headers={"ETag": current},
        )
        self._facts = {
            "etag": current,
            "changed_by": actor,
            "changed_at": at.isoformat() if at else None,
        }

    @property
    def facts(self) -> dict[str, Any]:
        """The current tag, and who changed the object when."""
        return self._facts


def etag(row: object, fields: Iterable[str], labels: Mapping[str, str] | None = None) -> str:
    """Return the tag of these attributes of `row`, and its labels if it has any, in double quotes.

    Labels are not attributes of the row, but an attribute `labels` of the request.
    """
    values = {name: labels if name == "labels" else getattr(row, name) for name in fields}
    text = json.dumps(values, sort_keys=True, default=str)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"'


def matches(given: str, current: str) -> bool:
    """Return whether `If-Match` names the current tag; `*` matches any, a weak tag none."""
    return given.strip() == "*" or current in _TAG.findall(given)
