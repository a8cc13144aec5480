"""Launch and driver lock in the same order, so that they never deadlock."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from assay.base.identity import Identity
from assay.runs.campaigns.launch import Launch
from assay.runs.campaigns.schemas import CampaignPlan
from assay.tables.database import engine, writing
from assay.tables.hosts import Host
from assay.tables.ownership import Ownership
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Reservation, Run
from assay.tables.targets import Target
from assay_worker.driver import failures
from assay_worker.driver.job import load
from sqlalchemy import event
from testing.installation import Installation
from testing.seeds import TEST, resolved, seed_run

ON_POSTGRESQL = pytest.mark.parametrize("installation", ["postgresql"], indirect=True)


@ON_POSTGRESQL
def test_a_launch_and_a_driver_on_one_host_do_not_deadlock(
    installation: Installation, tmp_path: Path
) -> None:
    with writing() as session:
        run, participant, _ = seed_run(session)
        session.add(Reservation(resource=f"host:{participant.host_id}", run_id=run.id))
        target = session.get_one(Target, participant.target_id)
        target.facts = {**target.facts, "free_bytes": 10**12, "size_bytes": 10**12}
        other = Host(name="other", connection="local", state="ready")
        session.add(other)
        session.flush()
        queued = Run(
            campaign_id=run.campaign_id,
            number=2,
            title="Queued",
            kind="matrix",
            parameters=resolved(TEST),
            trials_total=1,
        )
        session.add(queued)
        session.flush()
        session.add(Participant(run_id=queued.id, role="writer", host_id=other.id))
        profile = Profile(slug="p", name="P", body={"tests": [TEST]}, created_by="test")
        session.add(profile)
        session.flush()
        plan = CampaignPlan(profile_id=profile.id, target_ids=[target.id])
        run_id = run.id
    launch_has_host, driver_has_lock = threading.Event(), threading.Event()

    def meet(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        """Let each take its first lock before the other continues, if the order allows it."""
        name = threading.current_thread().name
        if name.startswith("launch") and "FROM hosts" in statement and "FOR UPDATE" in statement:
            launch_has_host.set()
            driver_has_lock.wait(2)
        if name.startswith("driver") and statement.startswith("UPDATE campaigns"):
            driver_has_lock.set()

    def launch() -> int:
        with writing() as session:
            launched = Launch(session, plan, lock=True)
            return launched.go(Identity("pipeline", "operator", "x"))

    def drive() -> None:
        assert launch_has_host.wait(30)
        failures.hosts_reachable(load(Ownership(Run, run_id, 1, "worker")))

    event.listen(engine(), "after_cursor_execute", meet)
    with (
        ThreadPoolExecutor(1, thread_name_prefix="launch") as first,
        ThreadPoolExecutor(1, thread_name_prefix="driver") as second,
    ):
        answers: list[Any] = [first.submit(launch), second.submit(drive)]
        assert answers[0].result(60) > 0
        assert answers[1].result(60) is None
