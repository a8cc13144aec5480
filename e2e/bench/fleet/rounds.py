"""Rounds of the dispatcher: many waiting runs on hosts that they share, until all have begun.

    rounds.py [--runs 1000] [--hosts 200] [--database sqlite] [--out PREFIX]

One run in five needs two hosts; some campaigns are a schedule's. In each round a part of the runs
at work end. No host may ever be at two, and none may starve; a round's time holds its transaction
and the messages that it sends.
"""

import argparse
import gc
import random
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
ROOT = BENCH.parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent)]

import machine  # noqa: E402
from all import write  # noqa: E402
from assay.base.messaging.queue import enqueue  # noqa: E402
from assay.runs import lifecycle  # noqa: E402
from assay.runs.scheduling import capacity, reservations  # noqa: E402
from assay.tables.campaigns import SCHEDULE, Campaign  # noqa: E402
from assay.tables.database import writing  # noqa: E402
from assay.tables.hosts import Host  # noqa: E402
from assay.tables.runs import Participant, Run  # noqa: E402
from assay.tables.targets import Target  # noqa: E402
from figures import Figure, text  # noqa: E402
from fleet import report, seed  # noqa: E402
from fleet.setup import Setup, installed  # noqa: E402
from sqlalchemy import select, update  # noqa: E402

RUNS, HOSTS = 1000, 200
MOST_RUNS = 5000
END_EACH_ROUND = 0.05
MOST_ROUNDS = 5000


def queue_up(runs: int, hosts: int, chance: random.Random) -> dict[int, set[int]]:
    """Create queued runs on the hosts; return the hosts of each."""
    facts = {"path": "/mnt/a", "type": "ext4", "source": "/dev/sda1", "uuid": None}
    seed.launch((f"host-{number}" for number in range(runs)), facts, 1, 60)
    with writing() as session:
        found = select(Target.host_id, Target.id).order_by(Target.host_id).limit(hosts)
        targets = dict(map(tuple[int, int], session.execute(found)))
        ids = list(targets)
        for host in session.scalars(select(Host).where(Host.id.in_(ids))):
            host.machine_id, host.boot_id = f"machine-{host.id}", f"boot-{host.id}"
        for target in session.scalars(select(Target).where(Target.host_id.in_(ids))):
            disks = [{"name": "sda", "wwid": f"naa.{target.id}"}, {"name": "sdb", "wwid": None}]
            target.facts = facts | {"kind": "local", "disks": disks}
        needs: dict[int, set[int]] = {}
        for one in session.scalars(select(Participant).order_by(Participant.id)).all():
            one.host_id = chance.choice(ids)
            one.target_id = targets[one.host_id]
            needs[one.run_id] = {one.host_id}
            if chance.random() < 0.2:
                other = chance.choice([host for host in ids if host != one.host_id])
                needs[one.run_id].add(other)
                place = {"host_id": other, "target_id": targets[other]}
                session.add(Participant(run_id=one.run_id, position=1, role="writer", **place))
        some = update(Campaign).where(Campaign.id % 3 == 0).values(origin=SCHEDULE)
        session.execute(some)
    return needs


def rounds(needs: dict[int, set[int]], chance: random.Random) -> list[tuple[float, float]]:
    """Seconds of each round, on the clock and of this process's CPU, until every run has begun."""
    enqueue("none", 0)  # a running process has already imported the queue's client
    gc.collect()
    gc.freeze()  # as each process of the appliance does once it has started
    at_work: set[int] = set()
    left, took = set(needs), list[tuple[float, float]]()
    while left:
        with writing() as session:
            capacity.announce(session, "bench", len(needs))
        begin, cpu = time.perf_counter(), time.process_time()
        with writing() as session:
            admitted = reservations.dispatch(session)
        took.append((time.perf_counter() - begin, time.process_time() - cpu))
        assert left.issuperset(admitted), "a run began twice"
        left.difference_update(admitted)
        at_work.update(admitted)
        busy = [host for run_id in at_work for host in needs[run_id]]
        assert len(busy) == len(set(busy)), "a host is at two runs"
        assert len(took) < MOST_ROUNDS, "a run starves"
        ending = [run_id for run_id in at_work if chance.random() < END_EACH_ROUND]
        at_work.difference_update(ending)
        with writing() as session:
            for run_id in ending:
                session.get_one(Run, run_id).state = lifecycle.DONE
                reservations.release(session, run_id)
    return took


def figures(runs: int, hosts: int, database: str) -> list[Figure]:
    """Measure and return the rounds' rows of the table."""
    chance = random.Random(1)
    setup = Setup(hosts, database, 1, 0)
    with (
        tempfile.TemporaryDirectory(prefix="assay-rounds-") as home,
        installed(setup, Path(home)),
    ):
        took = rounds(queue_up(runs, hosts, chance), chance)
    return report.of_rounds(f"{runs} runs on {hosts} hosts, {database}", took)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--out", type=Path, help="PREFIX of the reports")
    options = parser.parse_args()
    when, facts = datetime.now(UTC), machine.describe(ROOT)
    found = figures(options.runs, options.hosts, options.database)
    print(text(found))
    if options.out:
        write(options.out, when, facts, found)
    return 1 if any(figure.verdict not in {"yes", None} for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())
