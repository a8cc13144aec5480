"""Queries for tools."""

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.errors import NotFound
from assay.kinds.programs import ToolDefinition
from assay.tables.tools import Tool


def find(session: Session, tool_id: int, *, lock: bool = False) -> Tool:
    """Return a tool, or raise NotFound."""
    tool = session.get(Tool, tool_id, with_for_update=lock or None)
    if tool is None:
        raise NotFound("tool", tool_id)
    return tool


def definitions(session: Session) -> Mapping[str, ToolDefinition]:
    """Return the definitions of all tools by name."""
    return {
        one.name: ToolDefinition.model_validate(one.definition)
        for one in session.scalars(select(Tool).order_by(Tool.name))
    }
