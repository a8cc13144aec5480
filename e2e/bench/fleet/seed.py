"""The rows of a fleet, as the API would create them."""

from collections.abc import Iterable
from typing import Any

from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay.tables.profiles import Profile
from assay.tables.runs import Participant, Run, Trial
from assay.tables.targets import Target
from fleet.replay import REPLAY

MB = 10**6
PARAMETERS: dict[str, Any] = {
    "kind": "matrix",
    "operation": "write",
    "title": "Write",
    "block": [65536],
    "threads": [1],
    "files": 1,
    "file_size": MB,
    "file_size_asked": MB,
    "layout": "fresh",
    "cache": "page",
    "cache_asked": "page",
    "open_mode": "rw",
    "sample_ms": 1000,
    "sync_timeout_ms": 600_000,
    "repeats": 1,
    "order": "given",
}


def launch(names: Iterable[str], facts: dict[str, Any], trials: int, trial_s: int) -> None:
    """Create a host, a target and a queued run for each name, with a campaign per hundred."""
    body: dict[str, Any] = {"tests": [], "watch_ms": 600_000}
    with writing() as session:
        profile = Profile(slug="fleet", name="Fleet", body=body, created_by="bench")
        session.add(profile)
        session.flush()
        snapshot = {"slug": "fleet", "name": "Fleet", "version": 1, "body": body}
        for number, name in enumerate(names):
            if number % 100 == 0:
                campaign = Campaign(
                    name="Fleet",
                    profile_id=profile.id,
                    profile_snapshot=snapshot,
                    created_by="bench",
                )
                session.add(campaign)
            host = Host(name=name, connection=REPLAY, state="ready")
            session.add(host)
            session.flush()
            target = Target(
                host_id=host.id,
                name="imaginary",
                path=facts["path"],
                fs_type=facts["type"],
                fs_source=facts["source"],
                fs_uuid=facts["uuid"],
                reserve_bytes=0,
                facts=facts,
            )
            run = Run(
                campaign_id=campaign.id,
                number=number % 100 + 1,
                title="Replay",
                kind="matrix",
                parameters=PARAMETERS | {"timeout_ms": trial_s * 1000},
                trials_total=trials,
            )
            session.add_all([target, run])
            session.flush()
            place = {"host_id": host.id, "target_id": target.id}
            session.add(Participant(run_id=run.id, role="writer", **place))
            sizes = {"block": 65536, "threads": 1, "files": 1, "file_size": MB}
            session.add_all(
                Trial(
                    run_id=run.id,
                    position=position,
                    repeat=position + 1,
                    cell="65536x1",
                    parameters=sizes,
                )
                for position in range(trials)
            )
