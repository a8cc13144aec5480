"""Checks of hosts for a tool: a worker runs its check commands at both of them."""

from typing import Any

from sqlalchemy.orm import Session

from assay.inventory.hosts import checks, lifecycle, queries
from assay.kinds.programs import Side, ToolDefinition
from assay.runs.tools.schemas import EndCheck, ToolCheckIn, stored
from assay.tables.hosts import Check
from assay.tables.tools import Tool

KIND = "tool"
"""The kind of these checks."""


def resolved(session: Session, body: ToolCheckIn) -> ToolCheckIn:
    """Return the request with ids in place of hosts' names; raises Invalid for unknown names."""
    ids: dict[str, int | None] = {}
    for field in ("source_host", "sink_host"):
        if name := getattr(body, field):
            ids |= {f"{field}_id": queries.names(session).find(field, name), field: None}
    return body.model_copy(update=ids)


def ask(session: Session, tool: Tool, body: ToolCheckIn) -> tuple[int, int]:
    """Request the checks of source and sink; returns their ids. Raises NotFound."""
    found: list[int] = []
    hosts: dict[Side, int | None] = {"source": body.source_host_id, "sink": body.sink_host_id}
    for side, host_id in hosts.items():
        host = queries.living(session, host_id or 0)
        request: dict[str, Any] = {
            "side": side,
            "definition": stored(ToolDefinition.model_validate(tool.definition)),
            **body.model_dump(exclude={"source_host", "sink_host"}),
        }
        found.append(checks.ask(session, host.id, KIND, request).id)
    return found[0], found[1]


def shape(check: Check) -> EndCheck:
    """Return what a check found, so far."""
    definition = ToolDefinition.model_validate(check.request["definition"])
    side: Side = check.request["side"]
    needs = definition.needs_at_source if side == "source" else definition.needs_at_sink
    if check.state not in lifecycle.CHECKED:
        state = "running" if check.state == "running" else "queued"
        return EndCheck(host_id=check.host_id, needs=needs, state=state)
    if check.error:
        said = f"{check.error['title']}: {check.error['detail']}"
        return EndCheck(
            host_id=check.host_id,
            needs=needs,
            state="failed",
            message=said,
            remedy=check.error.get("remedy"),
        )
    answer = check.answer or {}
    return EndCheck(
        host_id=check.host_id,
        needs=needs,
        state="found" if answer.get("found") else "missing",
        message=answer.get("message"),
    )
