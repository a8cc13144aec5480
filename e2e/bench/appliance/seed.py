"""Puts a large finished run into the appliance that ASSAY_HOME names; prints its id.

    seed.py TRIALS_A_CELL SAMPLES

The matrix has ten blocks by four threads. The appliance may be running.
"""

import sys

from assay.tables.database import engine
from invented import Invented
from sqlalchemy.orm import Session

BLOCKS, THREADS = [2**power for power in range(12, 22)], [1, 2, 4, 8]


def main(repeats: int, samples: int) -> None:
    with Session(engine().execution_options(writes=True), expire_on_commit=False) as session:
        run = Invented(session, BLOCKS, THREADS, repeats)
        session.commit()
        for trial in run.trials:
            run.measure(session, trial, samples)
        run.finish(session)
    print(run.run_id)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
