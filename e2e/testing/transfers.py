"""Transfers of an installation: launched as by the API, and their results."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from assay.base.identity import Identity
from assay.kinds.path.result import PathResult
from assay.kinds.programs import ToolDefinition
from assay.kinds.tool.result import ToolResult
from assay.runs.campaigns.launch import Launch
from assay.runs.campaigns.schemas import CampaignPlan
from assay.runs.results import judge
from assay.runs.tools import builtin
from assay.tables.database import reading, writing
from assay.tables.profiles import Profile
from assay.tables.runs import Run
from assay.tables.tools import Tool
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


End = dict[str, int]

TOOL_TEST: dict[str, Any] = {
    "kind": "tool",
    "title": "Tool",
    "length": 4 * MB,
    "files": [4],
    "repeats": 1,
    "sample_ms": 100,
    "order": "given",
}


def launch(source: End, sink: End, **test: Any) -> int:
    """Launch a campaign of one path test from a source to a sink; return its run's id."""
    (run_id,) = launch_all([source], [sink], **test)
    return run_id


def launch_all(
    sources: Sequence[End], sinks: Sequence[End], how: Mapping[str, Any] | None = None, **test: Any
) -> list[int]:
    """Launch a campaign of one path test; return the ids of its runs. `how` is more of its plan."""
    return launch_test(TEST | test, sources, sinks, how or {})


def launch_tools(source: End, sink: End, *tools: str, **test: Any) -> int:
    """Launch a campaign of one test of these tools; return its run's id."""
    with writing() as session:
        builtin.install(session)
    (run_id,) = launch_test(TOOL_TEST | {"tools": list(tools)} | test, [source], [sink], {})
    return run_id


def define(name: str, source_command: str, **fields: Any) -> str:
    """Define a tool, as an administrator does; return its name."""
    fields = {"title": name, "input": "files", "source_command": source_command} | fields
    definition = ToolDefinition.model_validate({"name": name, **fields})
    with writing() as session:
        session.add(
            Tool(name=name, definition=definition.model_dump(mode="json"), changed_by="test")
        )
    return name


def launch_test(
    test: Mapping[str, Any], sources: Sequence[End], sinks: Sequence[End], how: Mapping[str, Any]
) -> list[int]:
    """Launch a campaign of one test; return the ids of its runs. `how` is more of its plan."""
    with writing() as session:
        body = {"tests": [test]}
        slug = f"transfer-{time.monotonic_ns()}"
        profile = Profile(slug=slug, name=slug, body=body, created_by="test")
        session.add(profile)
        session.flush()
        plan = CampaignPlan.model_validate(
            {"profile_id": profile.id, "sources": sources, "sinks": sinks, **how}
        )
        campaign_id = Launch(session, plan, lock=True).go(Identity("pipeline", "operator", "x"))
        runs = select(Run.id).where(Run.campaign_id == campaign_id).order_by(Run.number)
        return list(session.scalars(runs))


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
