"""Puts many finished runs into the appliance that ASSAY_HOME names; prints their number.

    many.py RUNS

Four runs are a campaign; they are spread over 50 hosts with two targets each, 20 arrays and the
built-in profiles. All have the result of one run that passed through reader and ingest, and its
verdict; one in twenty failed.
"""

import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from assay.runs.verdicts.stored import store_ended
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.database import now, writing
from assay.tables.hosts import Host, Inventory
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Result, Run, StoredFigure
from assay.tables.targets import Target
from assay.tables.verdicts import Verdict
from invented import ROOT  # also makes `testing` importable
from sqlalchemy import insert, inspect, select, text
from sqlalchemy.orm import Session
from testing.api import FOUND
from testing.seeds import seed_ended_run

HOSTS, TARGETS, ARRAYS, RUNS_OF_CAMPAIGN = 50, 2, 20, 4
CRITERIA = [{"criterion": "durable.mean >= 4 MB/s", "stop": False}]
PAUSE = timedelta(minutes=20)

assert ROOT.is_dir()


def main(count: int) -> None:
    with writing() as session:
        run = seed_ended_run(session)
        session.get_one(Campaign, run.campaign_id).criteria = CRITERIA
        run_id = run.id
    store_ended(run_id)
    with writing() as session:
        targets = list(_targets(session, run_id))
        profiles = session.scalars(select(Profile).where(Profile.builtin)).all()
        model = session.get_one(Run, run_id)
        first = _campaigns(session, count // RUNS_OF_CAMPAIGN, profiles)
        _runs(session, model, first, count, targets)
        if session.get_bind().dialect.name == "postgresql":  # ids were given
            for table in (Campaign.__tablename__, Run.__tablename__):
                last = f"SELECT max(id) FROM {table}"
                session.execute(text(f"SELECT setval('{table}_id_seq', ({last}))"))
    print(count)


def _targets(session: Session, run_id: int) -> Iterator[Target]:
    """Add hosts, arrays and targets like those of the run."""
    (part,) = session.scalars(select(Participant).where(Participant.run_id == run_id))
    model = session.get_one(Target, part.target_id)
    model.facts = FOUND
    inventory = session.get_one(Inventory, part.inventory_id)
    arrays = [Array(name=f"vault-{n:02}", vendor="Acme", model="S24") for n in range(ARRAYS)]
    session.add_all(arrays)
    session.flush()
    for number in range(HOSTS):
        address = f"10.1.0.{number + 1}"
        host = Host(name=f"node-{number:02}", connection="ssh", address=address, state="ready")
        session.add(host)
        session.flush()
        session.add(Inventory(host_id=host.id, probe="0.1.0", body=inventory.body))
        for place in range(TARGETS):
            values = _copied(model, host_id=host.id, path=f"/mnt/data{place}")
            target = Target(**values | {"array_id": arrays[(number + place) % ARRAYS].id})
            session.add(target)
            session.flush()
            yield target


def _copied(row: Any, **changed: Any) -> dict[str, Any]:
    """Return the columns of a row, without its id, with some changed."""
    columns = inspect(type(row)).columns.keys()
    return {name: getattr(row, name) for name in columns if name != "id"} | changed


def _campaigns(session: Session, count: int, profiles: Any) -> int:
    """Add campaigns, the newest last; return the id of the first."""
    (newest,) = session.scalars(select(Campaign).order_by(Campaign.id.desc()).limit(1))
    start = now() - PAUSE * count
    rows = [
        _copied(
            newest,
            id=newest.id + 1 + number,
            name=f"Acceptance {number % 400}",
            profile_id=profiles[number % len(profiles)].id,
            created_at=start + PAUSE * number,
            created_by=("ada", "grace", "ci")[number % 3],
        )
        for number in range(count)
    ]
    session.execute(insert(Campaign), rows)
    return newest.id + 1


def _runs(session: Session, model: Run, campaign: int, count: int, targets: list[Target]) -> None:
    (part,) = session.scalars(select(Participant).where(Participant.run_id == model.id))
    (result,) = session.scalars(select(Result).where(Result.run_id == model.id))
    (verdict,) = session.scalars(select(Verdict).where(Verdict.run_id == model.id))
    start = now() - PAUSE * (count // RUNS_OF_CAMPAIGN)
    figures = session.scalars(select(StoredFigure).where(StoredFigure.run_id == model.id)).all()
    tables = Run, Participant, Result, StoredFigure, Verdict
    rows: dict[Any, list[dict[str, Any]]] = {table: [] for table in tables}
    for number in range(count):
        run_id, target = model.id + 1 + number, targets[number % len(targets)]
        launched = start + PAUSE * (number // RUNS_OF_CAMPAIGN)
        failed = number % 20 == 0
        rows[Run].append(
            _copied(
                model,
                id=run_id,
                campaign_id=campaign + number // RUNS_OF_CAMPAIGN,
                number=number % RUNS_OF_CAMPAIGN + 1,
                title=("Write", "Read", "Rewrite", "Mixed")[number % 4],
                state="failed" if failed else "done",
                created_at=launched,
                started_at=launched,
                ended_at=launched + PAUSE,
            )
        )
        place = {"host_id": target.host_id, "target_id": target.id, "array_id": target.array_id}
        place |= {"array_name": f"vault-{number % ARRAYS:02}"}
        # an appliance that ran these would long have merged the chunks of their logs
        rows[Participant].append(_copied(part, run_id=run_id, merged=part.offset, **place))
        body = result.body | {"run_id": run_id}
        rows[Result].append(_copied(result, run_id=run_id, body=body))
        rows[StoredFigure] += [_copied(one, run_id=run_id) for one in figures]
        outcome = "fail" if failed else verdict.outcome
        rows[Verdict].append(_copied(verdict, run_id=run_id, outcome=outcome))
    for table, values in rows.items():
        for begin in range(0, len(values), 1000):
            session.execute(insert(table), values[begin : begin + 1000])


if __name__ == "__main__":
    main(int(sys.argv[1]))
