"""Many more runs than a worker has slots: `crowd.py HOSTS CAPACITY`; prints a line of JSON.

Every host's run is launched at once. Until the last one has ended, the active runs are counted and
the hosts record how long they are not followed. The queue, worker and scheduler are real, the hosts
are imaginary and their links reliable: a lost host would free its slot.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent)]

from assay.runs import lifecycle  # noqa: E402
from assay.tables.database import reading  # noqa: E402
from assay.tables.runs import Run  # noqa: E402
from fleet import recording, seed  # noqa: E402
from fleet.host import Host  # noqa: E402
from fleet.links import Links  # noqa: E402
from fleet.run import PROBE, Stack  # noqa: E402
from fleet.setup import Setup, installed  # noqa: E402
from sqlalchemy import select  # noqa: E402

TRIAL_S = 2
LOOK_S = 0.2
OVER_WITHIN_S = 180.0


def crowd(setup: Setup, home: Path) -> dict[str, object]:
    """Wait until all runs have ended, and return the observations."""
    facts = recording.inspection(PROBE, home)
    names = [f"imaginary-{number:05}" for number in range(setup.hosts)]
    hosts = {name: Host(name, facts, number) for number, name in enumerate(names)}
    with installed(setup, home):
        seed.launch(hosts, facts["target"], 1, TRIAL_S)
        began = time.monotonic()
        most, waits = asyncio.run(_watch(setup, home, hosts))
        seconds = time.monotonic() - began
        with reading() as session:
            states = session.scalars(select(Run.state)).all()
    return {
        "states": {state: states.count(state) for state in set(states)},
        "most_active": most,
        "waits_for": sorted(waits),
        "starts": max(host.starts for host in hosts.values()),
        "driven_twice": sum(host.driven_twice for host in hosts.values()),
        "longest_unwatched_s": max(host.longest_unwatched_s for host in hosts.values()),
        "seconds": seconds,
    }


async def _watch(setup: Setup, home: Path, hosts: dict[str, Host]) -> tuple[int, set[str]]:
    """Return the most runs that were active at once, and what the queued ones waited for."""
    server = await Links(hosts, reliable=True).serve(home / "hosts")
    stack = Stack(setup, home, home / "hosts")
    most, waits = 0, set[str]()
    end = time.monotonic() + OVER_WITHIN_S
    try:
        while time.monotonic() < end:
            with reading() as session:
                runs = session.execute(select(Run.state, Run.waits_for)).all()
            most = max(most, sum(state in lifecycle.ACTIVE for state, _ in runs))
            waits |= {waits_for["kind"] for _, waits_for in runs if waits_for}
            if all(state in lifecycle.FINAL for state, _ in runs):
                break
            await asyncio.sleep(LOOK_S)
    finally:
        stack.end()
        server.close()
    return most, waits


if __name__ == "__main__":
    size, capacity = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="assay-crowd-") as folder:
        print(json.dumps(crowd(Setup(size, "sqlite", 1, 0, capacity), Path(folder))))
