"""Ended runs with known figures, among them trials that do not count.

As a program it adds them to a running appliance, that of ASSAY_HOME. A cell's figure is the mean of
its counted repeats: RATES has what each repeat measured.
"""

import json
import sys
from dataclasses import dataclass

from assay.runs.recording.ingest import ingest
from assay.runs.verdicts.stored import store_ended
from assay.tables import all_tables  # noqa: F401 (tables refer to each other)
from assay.tables.database import writing

from testing.seeds import seed_run
from testing.spools import SECOND, Spool, contention

MB = 10**6


@dataclass(frozen=True)
class Repeat:
    """What a trial measured: its rates in MB/s, and what was wrong with it."""

    durable: float
    application: float | None = None
    """As the durable rate if null."""
    seconds: float = 2.0
    """Up to the end of the sync."""
    others: bool = False
    """Another process wrote to the disk as well."""

    @property
    def bytes(self) -> int:
        return round(self.durable * self.seconds * MB)

    @property
    def app_ns(self) -> int:
        return round(self.bytes / (self.application or self.durable) / MB * SECOND)


RATES: dict[str, list[Repeat]] = {
    "65536x1": [Repeat(264), Repeat(168), Repeat(216)],
    "65536x2": [Repeat(128), Repeat(322, others=True), Repeat(132)],
    "262144x1": [Repeat(257.5), Repeat(262.5), Repeat(260)],
    "262144x2": [Repeat(rate, 4 * rate) for rate in (134, 136, 138)],
}
"""The second repeat of the second cell does not count, and the application rates of the last are
those of half a second."""
CLEAN: dict[str, list[Repeat]] = {
    "65536x1": [Repeat(264), Repeat(168)],
    "65536x2": [Repeat(128), Repeat(322)],
    "262144x1": [Repeat(257.5), Repeat(262.5)],
    "262144x2": [Repeat(134), Repeat(294)],
}
"""Means of 216, 225, 260 and 214 MB/s."""

CRITERIA = ("durable.mean >= 250 MB/s", "app.mean >= 300 MB/s")


@dataclass(frozen=True)
class Measured:
    """The ids of a run and of what it belongs to."""

    run: int
    campaign: int
    array: int


def measured(rates: dict[str, list[Repeat]]) -> Measured:
    """Store an ended write matrix with these rates, its result, and its verdict by CRITERIA."""
    with writing() as session:
        run, participant, trials = seed_run(
            session,
            blocks=(65536, 262144),
            threads=(1, 2),
            repeats=len(next(iter(rates.values()))),
            criteria=CRITERIA,
            cache="direct",
        )
        spool = Spool().hello()
        for trial in trials:
            add_trial(spool, trial.position, rates[trial.cell][trial.repeat - 1])
        ingest(session, participant.id, 1, 0, spool.end().data)
        run.state, run.started_at, run.ended_at = "done", run.created_at, run.created_at
        run.trials_done = len(trials)
        assert participant.array_id is not None
        found = Measured(run.id, run.campaign_id, participant.array_id)
    store_ended(found.run)
    return found


def add_trial(spool: Spool, position: int, repeat: Repeat) -> None:
    """Add a trial of even samples."""
    app_ns, total = repeat.app_ns, repeat.bytes
    spool.trial(position, total_bytes=total)
    others = total if repeat.others else 0
    for number in range(20):
        spool.sample(
            position,
            end_ns=(number + 1) * app_ns // 20,
            dt_ns=app_ns // 20,
            ops=50,
            bytes=total // 20,
            dev_write_bytes=(total + others) // 20,
            lat_sum_ns=1000,
            lat_max_ns=2000,
        )
    spool.result(
        position,
        ops=1000,
        bytes=total // 20 * 20,
        app_ns=app_ns,
        durable_ns=round(repeat.seconds * SECOND),
        dev_app_bytes=total,
        dev_durable_bytes=total,
        working_set_bytes=total,
        contention=contention(written=total, others_written=others),
    )


def main() -> None:
    """Store RATES and, to compare with, CLEAN; print the ids."""
    print(json.dumps([vars(measured(rates)) for rates in (RATES, CLEAN)]))


if __name__ == "__main__":
    sys.exit(main())
