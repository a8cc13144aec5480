"""The recorder of lock orders detects each kind of lock, so that other tests can rely on it."""

from collections.abc import Callable

import pytest
from assay.tables.database import writing
from assay.tables.hosts import Host, Inventory
from assay.tables.runs import Participant, Run
from sqlalchemy import delete, select, text, update
from sqlalchemy.orm import Session
from testing import lock_order
from testing.seeds import seed_run

Act = Callable[[Session, int], object]

LATE: dict[str, Act] = {
    "select for update": lambda s, host: s.get(Host, host, with_for_update=True),
    "select of one": lambda s, _: s.execute(
        select(Host.id).join(Participant).with_for_update(of=Host)
    ).all(),
    "update": lambda s, host: s.execute(update(Host).where(Host.id == host).values(port=23)),
    "delete": lambda s, _: s.execute(delete(Host).where(Host.id == 0)),
    "text": lambda s, _: s.execute(text("UPDATE hosts SET port = 23")),
    "reference": lambda s, host: (s.add(Inventory(host_id=host, probe="p", body={})), s.flush()),
}


@pytest.mark.parametrize("way", LATE)
def test_a_host_locked_after_a_run_is_a_violation(configured: str, way: str) -> None:
    with writing() as session:
        run, participant, _ = seed_run(session)
        run_id, host_id = run.id, participant.host_id
    with (
        pytest.raises(AssertionError, match="hosts locked after runs"),
        lock_order.watched(),
        writing() as session,
    ):
        session.get(Run, run_id, with_for_update=True)
        LATE[way](session, host_id)


def test_hosts_then_campaigns_then_runs_is_the_order(configured: str) -> None:
    with writing() as session:
        run, participant, _ = seed_run(session)
        run_id, host_id = run.id, participant.host_id
    with lock_order.watched(), writing() as session:
        session.get(Host, host_id, with_for_update=True)
        session.get(Run, run_id, with_for_update=True)
        session.add(Inventory(host_id=host_id, probe="p", body={}))
