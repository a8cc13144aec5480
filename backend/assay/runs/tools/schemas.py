"""API types of tools."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from assay.base.field_types import EntityTag, NameOf, Reference, RequestBody, not_both
from assay.kinds.programs import EXAMPLE, ToolDefinition
from assay.kinds.transfer.fields import Address

EndState = Literal["queued", "running", "found", "missing", "failed"]


class ToolOut(BaseModel):
    """A tool with its commands; a built-in one cannot be changed, but copied."""

    model_config = ConfigDict(
        title="Tool",
        from_attributes=True,
        json_schema_extra={
            "examples": [
                {
                    "id": 11,
                    "builtin": False,
                    "definition": EXAMPLE,
                    "changed_by": "ada",
                    "changed_at": "2026-11-26T14:00:00Z",
                    "etag": '"5be2…"',
                }
            ]
        },
    )

    id: int
    builtin: bool
    definition: ToolDefinition
    changed_by: str
    changed_at: datetime
    etag: EntityTag


class ToolCheckIn(RequestBody):
    """The hosts between which a tool is to be used.

    The addresses are those of the test, if it has any.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"source_host_id": 3, "sink_host_id": 4}]}
    )

    source_host_id: Reference | None = None
    source_host: NameOf = None
    sink_host_id: Reference | None = None
    sink_host: NameOf = None
    source_address: Address | None = None
    sink_address: Address | None = None

    _has_a_source = not_both("source_host_id", "source_host", required=True)
    _has_a_sink = not_both("sink_host_id", "sink_host", required=True)


class EndCheck(BaseModel):
    """Whether a host has what a tool needs.

    It is *missing* if the tool's check command failed: `message` is what that printed. It *failed*
    if Assay could not run it; `message` and `remedy` say why.
    """

    host_id: int
    needs: str
    state: EndState
    message: str | None = None
    remedy: str | None = None


class ToolCheckOut(BaseModel):
    """Whether both hosts have what a tool needs; of one that is still checked, ask again."""

    model_config = ConfigDict(
        title="ToolCheck",
        json_schema_extra={
            "examples": [
                {
                    "source": {
                        "host_id": 3,
                        "needs": "rsync, ssh, and a key that logs in at the sink",
                        "state": "missing",
                        "message": "assay@10.0.0.4: Permission denied (publickey).",
                        "remedy": None,
                    },
                    "sink": {
                        "host_id": 4,
                        "needs": "rsync",
                        "state": "found",
                        "message": None,
                        "remedy": None,
                    },
                }
            ]
        },
    )

    source: EndCheck
    sink: EndCheck


def stored(definition: ToolDefinition) -> dict[str, Any]:
    """Return a definition as stored in the database."""
    return definition.model_dump(mode="json")
