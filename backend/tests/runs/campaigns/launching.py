"""What tests of launches share."""

from typing import Any

from assay.tables.database import reading
from sqlalchemy import func, select
from testing.api import Appliance

TEST: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536, 262144],
    "threads": [1, 2, 4],
    "files": 2,
    "file_size": 20_000_000,
    "repeats": 3,
}


def plan_on(appliance: Appliance, *targets: int, **fields: Any) -> dict[str, Any]:
    return {"profile_id": appliance.profile(), "target_ids": list(targets), **fields}


def launch_on(appliance: Appliance, *targets: int, **fields: Any) -> dict[str, Any]:
    answer = appliance.operator.post("/campaigns", plan_on(appliance, *targets, **fields))
    assert answer.status_code == 201, answer.text
    return answer.json()


def count_rows(kind: type[Any]) -> int:
    with reading() as session:
        return session.scalars(select(func.count()).select_from(kind)).one()


def problems(appliance: Appliance, plan: dict[str, Any]) -> list[dict[str, Any]]:
    refused = appliance.operator.post("/campaigns", plan)
    assert refused.status_code == 422
    return refused.json()["errors"]
