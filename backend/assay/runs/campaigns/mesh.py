"""Meshes: a transfer from each place to each other one, as a grid of source × destination.

A campaign with the arrangement *mesh* has a run for each ordered pair of places of each test.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.base.errors import Problem
from assay.base.examples import shown
from assay.base.states import RunState
from assay.kinds.registry import KINDS, Headline
from assay.runs import csv_text, participants
from assay.runs.campaigns.queries import by_test, find, is_mesh
from assay.runs.stored_results import outcomes
from assay.tables.runs import Participant, Run


class NotMesh(Problem):
    """The campaign is no mesh."""

    status, code, title = 409, "not_mesh", "The campaign is not a mesh"

    def __init__(self, campaign_id: int) -> None:
        """Name the campaign."""
        super().__init__(
            f"Campaign {campaign_id} does not measure each pair of its hosts.",
            "Launch one with the arrangement `mesh`.",
        )


class MeshPlace(BaseModel):
    """A target, or the memory of a host: a row and a column of the grid."""

    host_id: int
    host: str
    target_id: int | None
    path: str | None


class MeshCell(BaseModel):
    """The run from one place to another, each a position in `places`.

    `headline` is the finding of the run, with what limits it; both it and the rate are null until
    the run has ended, and where it has none.
    """

    source: int
    sink: int
    run_id: int
    state: RunState
    bytes_per_s: float | None
    headline: Headline | None


class MeshGrid(BaseModel):
    """The pairs of one test."""

    test: Annotated[int, Field(description="Position in the profile, from 1 on")]
    title: str
    kind: str
    cells: list[MeshCell]


def _example() -> dict[str, Any]:
    kind = next(one for one in KINDS.values() if one.transfers)
    headline = kind.examples.outcome["headline"]
    cells = [
        {
            "source": source,
            "sink": 1 - source,
            "run_id": 61 + source,
            "state": "done",
            "bytes_per_s": headline["bytes_per_s"],
            "headline": headline,
        }
        for source in (0, 1)
    ]
    places = [
        {"host_id": number, "host": name, "target_id": number, "path": "/mnt/raid"}
        for number, name in ((5, "cern-1"), (6, "cit-1"))
    ]
    grid = {"test": 1, "title": "Disk to disk", "kind": kind.name, "cells": cells}
    return {"campaign_id": 7, "places": places, "grids": [grid]}


class Mesh(BaseModel):
    """The transfers of a campaign between each two of its places, in both directions."""

    model_config = ConfigDict(json_schema_extra=shown(_example))

    campaign_id: int
    places: list[MeshPlace]
    grids: list[MeshGrid]


def mesh(session: Session, campaign_id: int) -> Mesh:
    """Return the rate of each pair; raises NotFound or NotMesh."""
    campaign = find(session, campaign_id)
    if not is_mesh(campaign.parameters):
        raise NotMesh(campaign_id)
    runs = session.scalars(
        select(Run).where(Run.campaign_id == campaign_id).order_by(Run.number)
    ).all()
    members = participants.of_runs(session, [run.id for run in runs])
    tests = [
        (test, of_test)
        for test, of_test in by_test(campaign.parameters, runs)
        if KINDS[of_test[0].kind].transfers
    ]
    places = {
        (one.host_id, one.target_id): one
        for _, of_test in tests
        for run in of_test
        for one in members[run.id]
    }
    ordered = _ordered(campaign.parameters, places)
    order = {place: position for position, place in enumerate(ordered)}
    known = outcomes(session, runs)
    grids = [
        MeshGrid(
            test=test,
            title=of_test[0].title,
            kind=of_test[0].kind,
            cells=[
                MeshCell(
                    source=order[_place(members[run.id][0])],
                    sink=order[_place(members[run.id][-1])],
                    run_id=run.id,
                    state=cast(RunState, run.state),
                    bytes_per_s=known[run.id].best_bytes_per_s if run.id in known else None,
                    headline=known[run.id].headline if run.id in known else None,
                )
                for run in of_test
            ],
        )
        for test, of_test in tests
    ]
    return Mesh(
        campaign_id=campaign_id,
        places=[
            MeshPlace(
                host_id=one.host_id,
                host=one.host.name,
                target_id=one.target_id,
                path=one.target.path if one.target else None,
            )
            for one in map(places.__getitem__, ordered)
        ],
        grids=grids,
    )


PlaceIds = tuple[int, int | None]
"""The ids of a host and of a target; of the host alone for its memory."""


def _place(member: Participant) -> PlaceIds:
    return member.host_id, member.target_id


def _ordered(
    parameters: Mapping[str, Any], places: Mapping[PlaceIds, Participant]
) -> Sequence[PlaceIds]:
    """Return the places in the order in which the campaign names them."""
    named = [(one.get("target_id"), one.get("host_id")) for one in parameters["sources"]]
    return sorted(
        places,
        key=lambda place: named.index((None, place[0]) if place[1] is None else (place[1], None)),
    )


_COLUMNS = (
    *("test", "title", "source_host", "source_path", "sink_host", "sink_path"),
    *("run_id", "state", "bytes_per_s", "limit", "no_result"),
)


def mesh_csv(found: Mesh) -> str:
    """Return a row for each pair of each test."""
    rows: list[tuple[object, ...]] = []
    for grid in found.grids:
        for cell in grid.cells:
            source, sink = found.places[cell.source], found.places[cell.sink]
            rows.append(
                (
                    *(grid.test, grid.title, source.host, source.path, sink.host, sink.path),
                    *(cell.run_id, cell.state, cell.bytes_per_s),
                    *(getattr(cell.headline, name, None) for name in ("limit", "no_result")),
                )
            )
    return csv_text.table(_COLUMNS, rows)


def example_csv() -> str:
    """Return the table of the example."""
    return mesh_csv(Mesh.model_validate(_example()))
