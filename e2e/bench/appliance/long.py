"""Puts a sustained run of many samples of 1 s into the appliance that ASSAY_HOME names.

    long.py SAMPLES

A mark of 100 MB takes half a second, and a whole one after three fifths of the trial. Prints the
run's id. The appliance may be running.
"""

import sys

from assay.kinds.examples import examples_of
from assay.kinds.sustained.presets import PRESETS
from assay.runs.stored_results import store
from assay.tables.database import engine
from assay.tables.runs import Run
from invented import BATCH, Invented, sample, steps
from sqlalchemy.orm import Session

SECOND = 10**9
BLOCK = 802_816
MARK_OPS = 125
EXAMPLES = examples_of("sustained")
CELL, PARAMETERS = str(BLOCK), EXAMPLES.parameters | {"block": [BLOCK]}
TRIAL = EXAMPLES.trial | {"block": BLOCK, "mark_bytes": MARK_OPS * BLOCK}
FALLS_AT = 0.6
STALLS, STALL_NS = 0.002, 400_000_000


def add_mark(run: Invented, end: int, took: int, stalls: list[list[int]], done: int) -> None:
    """Add the mark that ends at `end`; one in five hundred has a stall, added to `stalls`."""
    longest = int(took / MARK_OPS * run.chance.uniform(1.3, 2))
    if run.chance.random() < STALLS:
        longest = min(took, STALL_NS + run.chance.randrange(STALL_NS // 4))
        stalls.append([longest, end, done * BLOCK, 0])
    run.spool.mark(
        0,
        end_ns=end,
        dt_ns=took,
        bytes=MARK_OPS * BLOCK,
        ops=MARK_OPS,
        lat_sum_ns=took,
        lat_max_ns=longest,
        lat_p99_ns=longest,
        busy_ns=took,
        due_max_ns=None,
        backlog_bytes=None,
    )


def measure(session: Session, run: Invented, samples: int) -> None:
    """Add the whole trial to the spool, and store full batches in between."""
    (trial,) = run.trials
    ops, stalls = 0, list[list[int]]()
    run.spool.trial(0, total_bytes=10**15)
    for number in range(samples):
        fallen = number >= FALLS_AT * samples
        ends = [SECOND] if fallen else [round(SECOND * run.chance.uniform(0.48, 0.52)), SECOND]
        begin = 0
        for end in ends:
            add_mark(run, number * SECOND + end, end - begin, stalls, ops)
            begin, ops = end, ops + MARK_OPS
        host = sample(run.chance, trial, number, BLOCK)  # its other columns
        moved = len(ends) * MARK_OPS
        own = {"ops": moved, "bytes": moved * BLOCK, "dev_write_bytes": moved * BLOCK}
        times = {"end_ns": (number + 1) * SECOND, "dt_ns": SECOND, "host_dt_ns": SECOND}
        run.spool.sample(0, **(host | own | times))
        run.waiting += 1
        if run.waiting == BATCH:
            run.store(session)
    took = samples * SECOND
    hist = steps(run.chance, ops, took // ops)
    longest = max((ns for ns, *_ in stalls), default=SECOND)
    run.spool.result(
        0,
        ops=ops,
        bytes=ops * BLOCK,
        app_ns=took,
        durable_ns=took + SECOND,
        lat_min_ns=took // ops // 2,
        lat_max_ns=longest,
        lat_sum_ns=took,
        hist=hist,
        dev_app_bytes=ops * BLOCK,
        dev_durable_bytes=ops * BLOCK,
        working_set_bytes=ops * BLOCK,
        detail={
            "block": BLOCK,
            "mark_bytes": MARK_OPS * BLOCK,
            "footprint_bytes": ops * BLOCK,
            "ramp_ns": 0,
            "ramp_bytes": 0,
            "ramp_ops": 0,
            "asleep_ns": 0,
            "stood_still_ns": 0,
            "hist": hist,
            "due_hist": None,
            "due_max_ns": None,
            "due_unfinished": None,
            "backlog_max_bytes": None,
            "backlog_end_bytes": None,
            "backlogs": [[one.bytes_per_s, BLOCK, 0, SECOND] for one in PRESETS],
            "frames": None,
            "unreturned": [],
            "slowest": sorted(stalls, reverse=True)[:100],
            "files": {name: {"count": 1, "sum_ns": 1, "max_ns": 1} for name in ("create", "close")},
            "syncs": {"count": 0, "sum_ns": 0, "max_ns": 0, "hist": []},
            "preparation": {
                "fill_bytes": 0,
                "fill_ns": 0,
                "level_bytes": None,
                "size_bytes": None,
                "precondition_passes": 0,
                "precondition_bytes": 0,
                "precondition_ns": 0,
                "idle_ns": 0,
            },
            "read_back": None,
            "directions": None,
        },
    )


def main(samples: int) -> None:
    with Session(engine().execution_options(writes=True), expire_on_commit=False) as session:
        invented = Invented(session, [BLOCK], [1], 1)
        run = session.get_one(Run, invented.run_id)
        run.kind, run.title, run.parameters = "sustained", "Long write", PARAMETERS
        session.commit()
        measure(session, invented, samples)
        (trial,) = invented.trials
        trial.cell, trial.parameters = CELL, TRIAL
        invented.finish(session)
        session.commit()
        store(session, run)
        session.commit()
    print(invented.run_id)


if __name__ == "__main__":
    main(int(sys.argv[1]))
