"""One trial of a million samples: how long it takes to store, and to read down-sampled.

    rollups.py SAMPLES REPETITIONS FIGURES

Uses a separate database. It also reports the same chart computed from the samples, to show what
the roll-ups spare, and whether the memory of the ingest grows. Adds its figures to the file
FIGURES, a line of JSON each.
"""

import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assay.runs.samples import queries
from assay.runs.samples.blocks import merged
from assay.runs.samples.stored import Samples
from assay.tables import schema
from assay.tables.database import make_engine
from assay.tables.runs import Attempt
from invented import Invented
from sqlalchemy import select
from sqlalchemy.orm import Session

POINTS = 600


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def grown(resident: list[int]) -> float:
    """Return how much memory the last tenth of the transactions needed, against the second one."""
    tenth = max(1, len(resident) // 10)
    return max(resident[-tenth:]) / max(resident[tenth : 2 * tenth])


def from_samples(session: Session, trial: int, count: int) -> int:
    """Compute the same chart from the samples of every block."""
    attempt = session.scalars(select(Attempt).where(Attempt.trial_id == trial)).one()
    assert attempt.sample_count == count
    return len(merged(Samples(session, attempt).course(0), -(-count // POINTS))["count"])


def main(count: int, repetitions: int, figures: Path) -> None:
    logging.getLogger("assay.base.messaging.changes").setLevel(logging.ERROR)  # without live pages
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        engine = make_engine(f"sqlite:///{folder}/assay.db")
        schema.migrate(engine)
        writer = engine.execution_options(writes=True)
        with Session(writer, expire_on_commit=False) as session:
            run = Invented(session, [65536], [1], 1)
            session.commit()
            trial, trial_id = run.trials[0], run.trials[0].id
            run.measure(session, trial, count)
            run.finish(session)
            rate = count / run.storing_s
            growth = grown(run.resident)
        with Session(engine) as session:
            rolled = [
                seconds(lambda: queries.series(session, trial_id, POINTS))
                for _ in range(repetitions)
            ]
            raw = [
                seconds(lambda: from_samples(session, trial_id, count)) for _ in range(repetitions)
            ]
    millions = f"{count / 1e6:g} million samples"
    with figures.open("a") as file:
        name = f"memory of the ingest over {millions}: last tenth ÷ second tenth"
        bar = {"most": 1.05}
        file.write(json.dumps({"name": name, "unit": "", "values": [growth], "bar": bar}) + "\n")
        for name, unit, values in (
            (f"stored, of {millions} of one trial, through the ingest", "samples/s", [rate]),
            (f"{POINTS} points of {millions}, read from roll-ups", "ms", [s * 1e3 for s in rolled]),
            ("the same without roll-ups, from the samples", "ms", [s * 1e3 for s in raw]),
        ):
            file.write(json.dumps({"name": name, "unit": unit, "values": values}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
