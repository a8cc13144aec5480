"""Requests that wait for the end of one check."""

import asyncio
import time
from typing import Any

import httpx
import pytest
from assay.base.messaging.changes import announce
from assay.inventory.hosts import checks
from assay.tables.database import writing
from assay.tables.hosts import Check
from sqlalchemy import select, update
from testing.api import Appliance
from testing.appliance import until

CROWD, CHANGES = 20, 5


def test_a_change_is_read_once_for_all_who_wait(
    appliance: Appliance, served: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[int] = []
    written = checks._load

    def counted(check_id: int) -> Check:
        loads.append(check_id)
        return written(check_id)

    monkeypatch.setattr(checks, "_load", counted)
    host = appliance.host()

    def change_and_end() -> None:
        until("the first look", lambda: loads)
        with writing() as session:
            (number,) = session.scalars(select(Check.id).where(Check.host_id == host))
        for change in range(CHANGES):
            _set(number, step=f"step {change}")
            time.sleep(0.5)
        _set(number, state="ok")

    async def ask() -> list[httpx.Response]:
        token = f"Bearer {appliance.operator.token}"
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{served}/api/v1",
            headers={"Authorization": token},
            timeout=60,
        ) as client:
            path = f"/hosts/{host}/check?wait=30"
            asked = [asyncio.create_task(client.post(path)) for _ in range(CROWD)]
            await asyncio.to_thread(change_and_end)
            return await asyncio.gather(*asked)

    answers = asyncio.run(ask())
    assert [one.status_code for one in answers] == [200] * CROWD
    assert len(loads) < CROWD + 3 * CHANGES  # each request reads what it answers


def _set(number: int, **values: Any) -> None:
    with writing() as session:
        session.execute(update(Check).where(Check.id == number).values(**values))
        announce(f"check:{number}", after=session)
