"""Rows that a test needs initially: a run with its host, target and trials."""

from typing import Any

from assay.runs.recording.ingest import ingest
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.hosts import Host, Inventory
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Run, Trial
from assay.tables.targets import Target
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from testing.spools import Spool

TEST: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "files": 1,
    "file_size": 10**7,
    "layout": "fresh",
    "cache": "page",
    "open_mode": "rw",
    "timeout_ms": 60000,
    "sync_timeout_ms": 600000,
    "repeats": 1,
    "sample_ms": 100,
    "order": "given",
}


def resolved(test: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a run of this test."""
    return test | {"file_size_asked": test["file_size"], "cache_asked": test["cache"]}


def seed_run(
    session: Session,
    blocks: tuple[int, ...] = (65536,),
    threads: tuple[int, ...] = (1,),
    repeats: int = 1,
    operation: str = "write",
    cache_bytes: int | None = None,
    device: str | None = "vda",
    criteria: tuple[str, ...] = (),
    **parameters: Any,
) -> tuple[Run, Participant, list[Trial]]:
    """Create a run with one participant on its own host; trials in passes over the matrix."""
    number = session.scalars(select(func.count(Host.id))).one() + 1
    test = TEST | {
        "operation": operation,
        "block": list(blocks),
        "threads": list(threads),
        "repeats": repeats,
        **parameters,
    }
    named = {"slug": f"profile-{number}", "name": "Matrix"}
    judged_by = [{"criterion": criterion, "stop": False} for criterion in criteria]
    body = {"tests": [test], "criteria": judged_by}
    profile = Profile(**named, body=body, created_by="test")
    host = Host(name=f"host-{number}", connection="ssh", state="ready")
    array = Array(name=f"array-{number}", cache_bytes=cache_bytes)
    session.add_all([profile, host, array])
    session.flush()
    target = Target(
        host_id=host.id,
        array_id=array.id,
        name="scratch",
        path="/mnt/a",
        fs_type="ext4",
        fs_source="/dev/vda",
        fs_uuid="u-1",
        facts={
            **{"kind": "local", "device": device, "direct": "real"},
            **{"free_bytes": 9 * 10**11, "size_bytes": 10**12},
        },
    )
    inventory = Inventory(
        host_id=host.id, probe="0.1.0", body={"kernel": "6.12", "cpus": {"count": 2, "model": "A"}}
    )
    campaign = Campaign(
        name="Campaign",
        profile_id=profile.id,
        profile_snapshot=named | {"version": 1, "body": body},
        criteria=judged_by,
        created_by="test",
    )
    session.add_all([target, inventory, campaign])
    session.flush()
    run = Run(
        campaign_id=campaign.id,
        number=1,
        title="Write",
        kind="matrix",
        parameters=resolved(test),
        state="running",
        generation=1,
        trials_total=len(blocks) * len(threads) * repeats,
    )
    session.add(run)
    session.flush()
    participant = Participant(
        run_id=run.id,
        role="writer" if operation == "write" else "reader",
        host_id=host.id,
        target_id=target.id,
        inventory_id=inventory.id,
        array_id=array.id,
        array_name=array.name,
        array_cache_bytes=array.cache_bytes,
        array_identity=array.identity,
    )
    cells = [(r, b, t) for r in range(1, repeats + 1) for b in blocks for t in threads]
    trials = [
        Trial(
            run_id=run.id,
            position=position,
            repeat=repeat,
            cell=f"{block}x{count}",
            parameters={"block": block, "threads": count, "files": 1, "file_size": 10**7},
        )
        for position, (repeat, block, count) in enumerate(cells)
    ]
    session.add_all([participant, *trials])
    session.flush()
    return run, participant, trials


def seed_ended_run(session: Session) -> Run:
    """Create an ended run with three complete trials; its result is not stored."""
    run, participant, trials = seed_run(session, repeats=3)
    spool = Spool().hello()
    for trial in trials:
        spool.whole_trial(trial.position)
    ingest(session, participant.id, 1, 0, spool.end().data)
    run.state, run.ended_at = "done", run.created_at
    session.flush()
    return run
