"""A campaign whose every text names its machine, to see what a report hides."""

from dataclasses import dataclass
from typing import Any

from assay.inventory.labels import put_labels
from assay.runs.recording.ingest import ingest
from assay.runs.verdicts import examples
from assay.runs.verdicts.stored import store_ended
from assay.tables.arrays import Array
from assay.tables.campaigns import Campaign
from assay.tables.clock import now
from assay.tables.database import writing
from assay.tables.hosts import Host, Inventory
from assay.tables.labels import CampaignLabel
from assay.tables.notes import CampaignNotes, RunNotes
from assay.tables.runs import Notice, Run
from assay.tables.targets import Target

from testing.api import FOUND, login_key
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

SENTINELS = {
    "host": "owlvault07",
    "other host": "kestrel-nine",
    "host name": "owlvault07.lab.example.com",
    "address": "198.51.100.77",
    "IPv6 address": "2001:db8::77:1",
    "path": "/mnt/secretpool",
    "file": "/mnt/secretpool/projects/falcon",
    "source": "198.51.100.9:/export/hiddenvol",
    "array serial": "SN-QX99812",
    "MAC": "52:54:00:ab:cd:ef",
    "UUID": "0c5e1b62-9a0c-4f6e-8a3b-7f6a2b9d4e11",
    "WWN": "naa.600508b1001c4d2e9f3a",
    "person": "mallory-the-operator",
}
"""What a report hides, by what it is; none contains another word of the product."""


@dataclass(frozen=True)
class Named:
    """The ids of the campaign and its run."""

    campaign_id: int
    run_id: int


def _everything() -> str:
    return ", ".join(SENTINELS.values())


def seed_named(blocks: tuple[int, ...] = (65536, 262144)) -> Named:
    """Store an ended campaign; its host, target and array, and all its texts, have `SENTINELS`."""
    said = f"seen: {_everything()}; x{SENTINELS['host']}y."
    with writing() as session:
        run, participant, trials = seed_run(session, blocks, threads=(1, 2), repeats=2)
        host = session.get_one(Host, participant.host_id)
        host.name, host.address = SENTINELS["host"], SENTINELS["address"]
        host.user, host.credential_id = "assay", login_key(session)
        session.add(Host(name=SENTINELS["other host"], connection="local"))
        target = session.get_one(Target, participant.target_id)
        target.path, target.facts = SENTINELS["path"], FOUND
        array = session.get_one(Array, target.array_id)
        array.serial = SENTINELS["array serial"]
        participant.array_identity = array.identity
        participant.labels = {"host": {"rack": SENTINELS["host"]}}
        participant.external_references = {"array": said[:200]}
        body = session.get_one(Inventory, participant.inventory_id)
        body.body = body.body | _inventory()
        campaign = session.get_one(Campaign, run.campaign_id)
        campaign.name = f"Acceptance of {SENTINELS['host']}"
        campaign.created_by = SENTINELS["person"]
        campaign.reference = f"CHG {SENTINELS['address']}"
        campaign.criteria = [examples.CRITERION]
        put_labels(
            session, CampaignLabel, campaign.id, {SENTINELS["host"]: SENTINELS["other host"]}
        )
        run.title = f"Write on {SENTINELS['host']}"
        for table, owner in ((CampaignNotes, campaign.id), (RunNotes, run.id)):
            notes = table(owner_id=owner, text=f"**Notes** {said}", changed_by=SENTINELS["person"])
            session.add(notes)
        notice = {"level": "info", "code": "preparing", "detail": {}, "message": said}
        session.add(Notice(run_id=run.id, participant_id=participant.id, at=now(session), **notice))
        session.flush()
        spool = Spool().hello(hostname=SENTINELS["host name"], fs_source=SENTINELS["source"])
        for trial in trials:
            _measure(spool, trial.position)
        ingest(session, participant.id, 1, 0, spool.end().data)
        _end(run, said)
        ids = Named(campaign.id, run.id)
    store_ended(ids.run_id)
    return ids


def _measure(spool: Spool, trial: int) -> None:
    """Add a trial of two seconds; every other one is faster, and its rate sways."""
    spool.trial(trial)
    each = [10**8 + 10**7 * (trial % 5) + 10**6 * (number % 7) for number in range(20)]
    for number, size in enumerate(each):
        spool.sample(
            trial,
            end_ns=(number + 1) * SECOND // 10,
            dt_ns=SECOND // 10,
            ops=100,
            bytes=size,
            lat_sum_ns=1000,
            lat_max_ns=2000 + number,
        )
    took = {"app_ns": 2 * SECOND, "durable_ns": 2 * SECOND}
    spool.result(trial, bytes=sum(each), ops=2000, **took)


def _end(run: Run, said: str) -> None:
    run.state, run.started_at, run.ended_at = "done", run.created_at, run.created_at
    run.state_reason = said
    remedy = f"Look at {SENTINELS['file']}."
    run.error = {"code": "ssh", "title": "Connection lost", "detail": said, "remedy": remedy}


def _inventory() -> dict[str, Any]:
    return {
        "hostname": SENTINELS["host name"],
        "os": "Debian GNU/Linux 13",
        "arch": "x86_64",
        "mem_total_bytes": 64 * 10**9,
        "mem_limit_bytes": 64 * 10**9,
        "machine_id": SENTINELS["UUID"],
        "filesystems": [
            {
                "mount": SENTINELS["path"],
                "type": "nfs4",
                "source": SENTINELS["source"],
                "uuid": SENTINELS["UUID"],
                "options": f"rw,addr={SENTINELS['address']},username=falcon",
                "device": "vda",
            }
        ],
        "devices": [
            {
                "name": "vda",
                "model": "Acme P5",
                "size_bytes": 10**12,
                "rotational": False,
                "scheduler": "none",
                "write_cache": "write back",
                "read_ahead_bytes": 131072,
            }
        ],
        "nics": [
            {
                "name": "eth0",
                "speed_bits_per_s": 10**10,
                "state": "up",
                "mac": SENTINELS["MAC"],
            }
        ],
    }
