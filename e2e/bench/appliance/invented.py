"""Synthetic spools of a size that would take too long to measure, with plausible values.

The lines pass through the reader and the ingest like those of a real probe.
"""

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "e2e"))

import assay.tables.all_tables  # noqa: E402, F401  (every table that a key points at)
from assay.analysis import histogram  # noqa: E402
from assay.runs.recording.ingest import ingest  # noqa: E402
from assay.tables.runs import Participant, Run, Trial  # noqa: E402
from sqlalchemy.orm import Session  # noqa: E402
from testing.seeds import seed_run  # noqa: E402
from testing.spools import Spool  # noqa: E402

SAMPLE_NS = 100_000_000
CPUS, BASE_LATENCY_NS, LINE_RATE = 2, 12_000, 1.4e9
MEMORY, FREE = 8 * 10**9, 400 * 10**9
STALLS, STALL_NS = 0.01, 80_000_000
DRAWN = 400
"""Latencies drawn for a histogram's shape."""

BATCH = 5000
"""Samples of one transaction; a worker that catches up stores as many."""


def rate(block: int, threads: int) -> float:
    """Return bytes per second: each call has a cost, threads help a little, the device limits."""
    alone = block / (BASE_LATENCY_NS / 1e9 + block / LINE_RATE)
    return float(min(LINE_RATE, alone * threads**0.4))


def sample(chance: random.Random, trial: Trial, number: int, mean: float) -> dict[str, int]:
    """Return one interval of a trial: most are alike, one in a hundred is a stall."""
    stalled = chance.random() < STALLS
    ops = max(
        1,
        int(
            mean * chance.gauss(1, 0.06) * (0.2 if stalled else 1) / trial.parameters["block"] / 10
        ),
    )
    size = ops * trial.parameters["block"]
    latency = SAMPLE_NS * trial.parameters["threads"] // ops
    busy = [int(SAMPLE_NS * CPUS * part * chance.uniform(0.9, 1.1)) for part in (0.04, 0.3, 0.02)]
    idle = max(0, SAMPLE_NS * CPUS - sum(busy))
    return {
        "end_ns": (number + 1) * SAMPLE_NS,
        "dt_ns": SAMPLE_NS,
        "ops": ops,
        "bytes": size,
        "lat_sum_ns": ops * latency,
        "lat_min_ns": int(latency * chance.uniform(0.5, 0.8)),
        "lat_max_ns": STALL_NS + chance.randrange(10**7) if stalled else int(latency * 4.2),
        "oldest_ns": int(latency * chance.random()),
        "host_dt_ns": SAMPLE_NS,
        "cpu_user_ns": busy[0],
        "cpu_system_ns": busy[1],
        "cpu_softirq_ns": busy[2],
        "cpu_iowait_ns": idle // 3,
        "cpu_steal_ns": 0,
        "cpu_idle_ns": idle - idle // 3,
        "cpu_busiest_ns": int(SAMPLE_NS * chance.uniform(0.4, 0.7)),
        "mem_available_bytes": MEMORY - chance.randrange(10**8),
        "mem_dirty_bytes": chance.randrange(10**7),
        "mem_writeback_bytes": chance.randrange(10**6),
        "dev_read_bytes": chance.randrange(10**5),
        "dev_write_bytes": int(size * chance.uniform(1.0, 1.02)),
        "dev_busy_ns": int(SAMPLE_NS * chance.uniform(0.8, 1)),
        "net_rx_bytes": chance.randrange(10**5),
        "net_tx_bytes": chance.randrange(10**5),
        "psi_io_some_ns": int(SAMPLE_NS * chance.uniform(0.2, 0.6)),
        "psi_io_full_ns": int(SAMPLE_NS * chance.uniform(0.1, 0.2)),
        "fs_free_bytes": max(0, FREE - number * 10**6),
    }


def steps(chance: random.Random, ops: int, latency: int) -> list[tuple[int, int]]:
    """Return a histogram of `ops` latencies around `latency`, with a realistic tail."""
    drawn = Counter(
        histogram.index(int(latency * chance.lognormvariate(0, 0.5))) for _ in range(DRAWN)
    )
    counts = {step: ops * times // DRAWN for step, times in drawn.items()}
    counts[max(counts)] += ops - sum(counts.values())
    return sorted((step, count) for step, count in counts.items() if count)


class Invented:
    """A synthetic run whose samples are stored batch by batch, as by a worker."""

    def __init__(
        self, session: Session, blocks: Sequence[int], threads: Sequence[int], repeats: int
    ) -> None:
        self.spool, self.chance = Spool().hello(), random.Random(1)
        self.sent = self.waiting = 0
        self.storing_s = 0.0
        self.resident: list[int] = []  # bytes of this process after each transaction
        run, participant, self.trials = seed_run(session, tuple(blocks), tuple(threads), repeats)
        for trial in self.trials:
            trial.repeat += 1  # as a launch counts
        run.state = "done"  # no worker must drive it
        run.started_at = run.ended_at = run.created_at
        self.run_id, self.participant_id, self.generation = run.id, participant.id, run.generation

    def measure(self, session: Session, trial: Trial, samples: int) -> None:
        """Add a whole trial to the spool, and store full batches in between."""
        mean = rate(trial.parameters["block"], trial.parameters["threads"]) * self.chance.gauss(
            1, 0.03
        )
        ops = size = 0
        self.spool.trial(trial.position, total_bytes=10**15)
        for number in range(samples):
            values = sample(self.chance, trial, number, mean)
            ops, size = ops + values["ops"], size + values["bytes"]
            self.spool.sample(trial.position, **values)
            self.waiting += 1
            if self.waiting == BATCH:
                self.store(session)
        threads = trial.parameters["threads"]
        took, latency = samples * SAMPLE_NS, SAMPLE_NS * threads * samples // ops
        self.spool.result(
            trial.position,
            ops=ops,
            bytes=size,
            app_ns=took,
            durable_ns=took + self.chance.randrange(10**8, 10**9),
            lat_min_ns=latency // 2,
            lat_max_ns=STALL_NS + 10**7,
            lat_sum_ns=ops * latency,
            hist=steps(self.chance, ops, latency),
            dev_app_bytes=size,
            dev_durable_bytes=size,
            working_set_bytes=size,
        )

    def store(self, session: Session) -> None:
        """Store the new part of the spool in one transaction."""
        data = b"".join(self.spool.lines[self.sent :])
        began = time.perf_counter()
        start = session.get_one(Participant, self.participant_id).offset
        ingest(session, self.participant_id, self.generation, start, data)
        session.commit()
        self.storing_s += time.perf_counter() - began
        lines = self.spool.lines
        lines[self.sent :] = [b""] * (len(lines) - self.sent)  # numbered still, but no longer held
        self.sent, self.waiting = len(lines), 0
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        self.resident.append(pages * os.sysconf("SC_PAGE_SIZE"))

    def finish(self, session: Session) -> None:
        """Write the log's last line and end the run as a worker does."""
        self.spool.end()
        self.store(session)
        assert session.get_one(Run, self.run_id).trials_done == len(self.trials)
