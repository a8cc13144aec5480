"""Endpoints for tools. Only an administrator defines commands; operators choose among them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.access import preconditions
from assay.access.audit import record
from assay.api.accounts.authentication import may
from assay.api.http.paging import Listing, Page, each, listing
from assay.api.http.routes import Route
from assay.base.errors import Conflict, NameTaken
from assay.base.etags import IfMatch
from assay.base.field_types import Id
from assay.base.filters import Words, has_words
from assay.base.identity import Identity
from assay.inventory.hosts.checks import CheckWait, ended
from assay.kinds.programs import ToolDefinition
from assay.runs.tools import checks, queries
from assay.runs.tools.schemas import ToolCheckIn, ToolCheckOut, ToolOut, stored
from assay.tables.clock import now
from assay.tables.database import writing
from assay.tables.tools import Tool
from assay.tables.transactions import Reading, Writing

router = APIRouter(prefix="/tools", tags=["tools"], route_class=Route)

ToolList = Annotated[
    Listing[ToolOut],
    Depends(
        listing(ToolOut, {"id": Tool.id, "name": Tool.name, "changed_at": Tool.changed_at}, by="id")
    ),
]


class BuiltinTool(Conflict):
    """The tool is part of Assay."""

    code, title = "builtin_tool", "A built-in tool cannot be changed"


@router.get("", response_model=Page[ToolOut], summary="List tools")
def list_tools(
    _who: Annotated[Identity, may("tool.read")], session: Reading, part: ToolList, q: Words = None
) -> Page[ToolOut] | JSONResponse:
    """The programs that tests of the kind *tool* may use, oldest first."""
    chosen = select(Tool).where(has_words(q or "", Tool.name))
    return part.page(session, chosen, each(ToolOut.model_validate))


@router.get("/{tool_id}", summary="Show a tool")
def show_tool(
    tool_id: Id, _who: Annotated[Identity, may("tool.read")], session: Reading
) -> ToolOut:
    """Includes its commands, with their placeholders."""
    return ToolOut.model_validate(queries.find(session, tool_id))


@router.post("", status_code=201, summary="Define a tool")
def create_tool(
    body: ToolDefinition, who: Annotated[Identity, may("tool.create")], session: Writing
) -> ToolOut:
    """Its commands run on hosts with the permissions of Assay's login there."""
    _free(session, body.name)
    tool = Tool(name=body.name, definition=stored(body), changed_by=who.actor)
    session.add(tool)
    session.flush()
    record(session, who, "tool.created", _named(tool), **tool.definition)
    return ToolOut.model_validate(tool)


@router.put("/{tool_id}", summary="Change a tool")
def replace_tool(
    tool_id: Id,
    body: ToolDefinition,
    who: Annotated[Identity, may("tool.change")],
    session: Writing,
    if_match: IfMatch = None,
) -> ToolOut:
    """Runs that were launched before keep the commands that they had."""
    tool = _own(session, tool_id)
    preconditions.check(session, if_match, tool.etag, f"tool {tool.id}")
    if body.name != tool.name:
        _free(session, body.name)
    tool.name, tool.definition = body.name, stored(body)
    tool.changed_by, tool.changed_at = who.actor, now(session)
    session.flush()
    record(session, who, "tool.changed", _named(tool), **tool.definition)
    return ToolOut.model_validate(tool)


@router.delete("/{tool_id}", status_code=204, summary="Delete a tool")
def delete_tool(
    tool_id: Id,
    who: Annotated[Identity, may("tool.delete")],
    session: Writing,
    if_match: IfMatch = None,
) -> None:
    """Results keep its commands; profiles that name it can no longer be launched."""
    tool = _own(session, tool_id)
    preconditions.check(session, if_match, tool.etag, f"tool {tool.id}")
    record(session, who, "tool.deleted", _named(tool))
    session.delete(tool)


@router.post("/{tool_id}/check", summary="Check two hosts for a tool")
async def check_tool(
    tool_id: Id,
    body: ToolCheckIn,
    who: Annotated[Identity, may("tool.check")],
    request: Request,
    wait: CheckWait = 0,
) -> ToolCheckOut:
    """Runs the tool's check commands at both hosts, such as a login from the source at the sink."""
    source_id, sink_id = await run_in_threadpool(_ask, tool_id, body, who)
    source = await ended(request, source_id, wait, for_client=True)
    sink = await ended(request, sink_id, wait, for_client=True)
    return ToolCheckOut(source=checks.shape(source), sink=checks.shape(sink))


def _ask(tool_id: int, body: ToolCheckIn, who: Identity) -> tuple[int, int]:
    with writing() as session:
        tool = queries.find(session, tool_id)
        body = checks.resolved(session, body)
        record(session, who, "tool.checked", _named(tool), **body.model_dump(exclude_none=True))
        return checks.ask(session, tool, body)


def _own(session: Session, tool_id: int) -> Tool:
    """Return a tool that may be changed."""
    tool = queries.find(session, tool_id, lock=True)
    if tool.builtin:
        raise BuiltinTool(f"'{tool.name}' is part of Assay.", "Define a tool of another name.")
    return tool


def _free(session: Session, name: str) -> None:
    if taken := session.scalar(select(Tool.id).where(Tool.name == name)):
        raise NameTaken("tool", name, taken)


def _named(tool: Tool) -> str:
    return f"tool {tool.id} {tool.name}"
