"""Endpoints of qualification files: apply, export and their JSON Schema."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool

from assay.api.accounts.authentication import may
from assay.api.declarations import application
from assay.api.declarations.export import export
from assay.api.declarations.plan import ApplyOptions
from assay.api.declarations.reading import read
from assay.api.declarations.schemas import SCHEMA_ID, ApplyIn, FileExport, FilePlan, json_schema
from assay.api.http.routes import Route
from assay.base.field_types import Name
from assay.base.identity import Identity
from assay.tables.transactions import Reading

router = APIRouter(tags=["declarations"], route_class=Route)

SCHEMA_EXAMPLE = {"$schema": SCHEMA_ID, "title": "Qualification file", "type": "object"}

ApplyWait = Annotated[
    float,
    Query(
        ge=0,
        le=600,
        allow_inf_nan=False,
        description="Maximum time to wait for checks of hosts and inspections of directories, s",
    ),
]


@router.post("/apply", summary="Apply a qualification file")
async def apply_file(
    body: ApplyIn,
    who: Annotated[Identity, may("file.apply")],
    request: Request,
    *,
    dry_run: Annotated[bool, Query(description="Only plan: change nothing")] = False,
    prune: Annotated[
        bool, Query(description="Remove what the file created and no longer has")
    ] = False,
    adopt: Annotated[
        bool, Query(description="Take over objects that others created, also other files")
    ] = False,
    wait: ApplyWait = 60,
) -> FilePlan:
    """Creates and changes what the file describes, in one transaction; twice has the same effect.

    Then checks new hosts, approves keys that the file has, and registers targets. Fields that the
    file omits keep their values.
    """
    file = await run_in_threadpool(read, body.text)
    options = ApplyOptions(prune=prune, adopt=adopt)
    if dry_run:
        planned = await run_in_threadpool(application.plan, file, options, who)
        return application.outcome(planned, planned.changes)
    return await application.apply(request, file, options, who, wait)


@router.get("/export", summary="Export a qualification file")
def export_file(
    _who: Annotated[Identity, may("file.export")],
    session: Reading,
    *,
    name: Annotated[Name, Query(description="The name of the file")] = "export",
    file: Annotated[
        Name | None, Query(description="Only what this file manages, under its name")
    ] = None,
) -> FileExport:
    """Hosts, targets, arrays and profiles that are not built in.

    Applying the file here changes nothing; applying it to another appliance recreates everything
    except credentials, which must exist there under the same names.
    """
    return export(session, file or name, file)


@router.get(
    "/schemas/qualification.json",
    summary="Show the JSON Schema of qualification files",
    responses={200: {"content": {"application/json": {"example": SCHEMA_EXAMPLE}}}},
)
def show_qualification_schema(_who: Annotated[Identity, may("appliance.read")]) -> dict[str, Any]:
    """For editors and validators; also in `docs/schemas`."""
    return json_schema()
