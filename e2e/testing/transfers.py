"""Transfers of an installation: launched as by the API, and their results."""

import time
from typing import Any

from assay.accounts.identity import Identity
from assay.campaigns.launch import Launch
from assay.campaigns.schemas import CampaignPlan
from assay.db.database import reading, writing
from assay.kinds.path.result import PathResult
from assay.kinds.programs import ToolDefinition
from assay.kinds.tool.result import ToolResult
from assay.profiles.models import Profile
from assay.runs.models import Run
from assay.runs.results import judge
from assay.tools import builtin
from assay.tools.models import Tool
from sqlalchemy import select

MB = 10**6
TEST: dict[str, Any] = {
    "kind": "path",
    "title": "Path",
    "length": 40 * MB,
    "duration_ms": 500,
    "repeats": 1,
    "sample_ms": 100,
    "streams": [2],
    "integrity": "crc32c",
    "order": "given",
}


TOOL_TEST: dict[str, Any] = {
    "kind": "tool",
    "title": "Tool",
    "length": 4 * MB,
    "files": [4],
    "repeats": 1,
    "sample_ms": 100,
    "order": "given",
}


def launch(source: dict[str, int], sink: dict[str, int], **test: Any) -> int:
    """Launch a campaign of one path test; return its run's id."""
    return _launch(source, sink, TEST | test)


def launch_tools(source: dict[str, int], sink: dict[str, int], *tools: str, **test: Any) -> int:
    """Launch a campaign of one test of these tools; return its run's id."""
    with writing() as session:
        builtin.install(session)
    return _launch(source, sink, TOOL_TEST | {"tools": list(tools)} | test)


def define(name: str, source_command: str, **fields: Any) -> str:
    """Define a tool, as an administrator does; return its name."""
    fields = {"title": name, "input": "files", "source_command": source_command} | fields
    definition = ToolDefinition.model_validate({"name": name, **fields})
    with writing() as session:
        session.add(
            Tool(name=name, definition=definition.model_dump(mode="json"), changed_by="test")
        )
    return name


def _launch(source: dict[str, int], sink: dict[str, int], test: dict[str, Any]) -> int:
    with writing() as session:
        body = {"tests": [test]}
        slug = f"transfer-{time.monotonic_ns()}"
        profile = Profile(slug=slug, name=slug, body=body, created_by="test")
        session.add(profile)
        session.flush()
        plan = CampaignPlan.model_validate(
            {"profile_id": profile.id, "sources": [source], "sinks": [sink]}
        )
        campaign_id = Launch(session, plan, lock=True).go(Identity("pipeline", "operator", "x"))
        return session.scalars(select(Run.id).where(Run.campaign_id == campaign_id)).one()


def path_of(run_id: int) -> PathResult:
    """Return the result of a run, in its current state."""
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, PathResult)
    return found


def tools_of(run_id: int) -> ToolResult:
    """Return the result of a run of tools, in its current state."""
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, ToolResult)
    return found
