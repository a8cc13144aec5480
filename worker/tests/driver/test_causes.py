"""Why a run failed: the cause, although another end reported its consequence first."""

import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from assay.runs.causes import Causes
from assay.tables.database import reading, writing
from assay.tables.ownership import Ownership
from assay.tables.runs import Attempt, Notice, Participant, Run, Trial
from assay_worker.driver.final_state import final_state
from assay_worker.driver.job import load
from sqlalchemy import select
from testing import records, transfers
from testing.disks import mounted
from testing.installation import Installation
from testing.sshd import Sshd

DAY = timedelta(days=1)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fill(disk: Path) -> None:
    """Take all but 64 KiB of a file system that somebody else is writing to at the same time."""
    for number in range(100):
        call = ["stat", "--file-system", "--format=%a %S", disk]
        blocks, size = map(int, subprocess.check_output(call, text=True).split())
        if (length := blocks * size - (64 << 10)) <= 0:
            return
        # it takes what there is, and fails if that became less
        call = ["fallocate", "--length", str(length), disk / f"other-{number}"]
        subprocess.run(call, check=False)
    raise AssertionError(f"{disk} does not fill up")


def test_records_into_a_sink_that_fills_up_fail_for_lack_of_space(
    installation: Installation, sshd: Sshd, tmp_path: Path
) -> None:
    hosts = [installation.local_host(), installation.ssh_host(sshd)]
    with mounted(tmp_path, 16 << 30) as disk:  # not the database's
        sink = {"target_id": installation.target(hosts[0], disk / "log")}
        run_id = records.launch(hosts, sink, window_ms=10_000)
        installation.drive_until(run_id, lambda: installation.sample_count(run_id) > 2)
        fill(disk)
        installation.drive_to_the_end(run_id, 60)
    run = installation.run(run_id)
    assert run.state == "failed" and run.error is not None
    assert run.error["code"] == "no_space"
    assert run.error["detail"].startswith("1 of 1 trials failed (no_space). ")
    assert "No space left on device" in run.error["detail"]
    # the page shows the message with the error, and only there
    assert run.state_reason == "No trial has a result: 1 of 1 trials failed (no_space)."
    assert records.only_trial(run_id).reason == "no_space"


@pytest.fixture
def ends(installation: Installation, sshd: Sshd) -> list[dict[str, int]]:
    return [{"host_id": installation.local_host()}, {"host_id": installation.ssh_host(sshd)}]


Codes = Mapping[str, float | None]
"""What a participant reports, each with the seconds since the start of the trial.

None is outside every trial.
"""


def reported(
    run_id: int,
    at: int,
    codes: Codes,
    *,
    clock: timedelta = timedelta(0),
    trial: int = 0,
    number: int = 1,
    stored: Mapping[str, int] | None = None,
) -> None:
    """Report failures of an attempt at a participant, whose clock differs.

    `stored` is what their notices have instead of the number of the attempt.
    """
    own = {"attempt": number} if stored is None else stored
    with writing() as session:
        trial_id = trial_ids(run_id)[trial]
        (participant_id,) = session.scalars(
            select(Participant.id).where(Participant.run_id == run_id, Participant.position == at)
        )
        began = START + clock + timedelta(hours=trial + number)
        session.add(
            Attempt(
                trial_id=trial_id,
                participant_id=participant_id,
                number=number,
                status="failed",
                reason=next(iter(codes)),
                started_at=began,
            )
        )
        session.add_all(
            Notice(
                run_id=run_id,
                participant_id=participant_id,
                at=began + timedelta(seconds=seconds or 0),
                level="error",
                code=code,
                message=f"it was {code}",
                detail={"trial": None} if seconds is None else {"trial": trial_id, **own},
            )
            for code, seconds in codes.items()
        )


def trial_ids(run_id: int) -> Sequence[int]:
    """Return the trials of a run in the order of measurement."""
    with reading() as session:
        return session.scalars(
            select(Trial.id).where(Trial.run_id == run_id).order_by(Trial.position)
        ).all()


def ended(run_id: int, error: dict[str, Any] | None = None) -> Run:
    """Return the run as it ends, perhaps with an error that ended it."""
    with writing() as session:
        run = session.get_one(Run, run_id)
        run.error = error
        job = load(Ownership(Run, run_id, run.generation, "test"))[0]
        final_state(session, job, run)
        session.flush()
    with reading() as session:
        return session.get_one(Run, run_id)


CASES: list[tuple[Codes, Codes, str]] = [
    ({"peer_ended": 1.0}, {"no_space": 1.02}, "no_space"),
    ({"io": 3.0}, {"no_space": 2.9}, "no_space"),
    ({"io": 2.9}, {"no_space": 3.0}, "io"),
    ({"peer_ended": 1.0}, {"peer_silent": 9.0}, "peer_silent"),
    ({"peer_ended": 1.0}, {"peer_ended": 1.1}, "peer_ended"),
    ({"peer_ended": 1.0}, {"read_only": None}, "read_only"),
    ({"io": 1.0}, {"read_only": None}, "io"),
    ({"connect_failed": 0.1}, {"port_taken": 0.2}, "port_taken"),
]


@pytest.mark.parametrize("clock", [timedelta(0), DAY, -DAY])
@pytest.mark.parametrize(("sender", "receiver", "code"), CASES)
def test_the_first_cause_since_the_start_of_the_trial_counts_whatever_the_clocks_say(
    ends: list[dict[str, int]], clock: timedelta, sender: Codes, receiver: Codes, code: str
) -> None:
    run_id = transfers.launch(*ends, legs=["memory"])
    reported(run_id, 0, sender)
    reported(run_id, 1, receiver, clock=clock)
    (trial_id,) = trial_ids(run_id)
    with reading() as session:
        attempts = session.scalars(select(Attempt).where(Attempt.trial_id == trial_id)).all()
        cause, *_ = Causes(session, run_id).of_trial(trial_id, attempts)
    assert cause.code == code
    assert cause.message is not None and cause.message.endswith(f": it was {code}")
    (shown,) = transfers.path_of(run_id).legs[0].trials
    assert (shown.status, shown.reason) == ("failed", code)


@pytest.mark.parametrize("stored", [None, {}])
def test_an_error_of_an_earlier_attempt_is_not_the_cause(
    ends: list[dict[str, int]], stored: Mapping[str, int] | None
) -> None:
    run_id = transfers.launch(*ends, legs=["memory"])
    for number, code in ((1, "memory"), (2, "io")):
        reported(run_id, 0, {code: 5.0}, number=number, stored=stored)
        reported(run_id, 1, {"peer_ended": 5.1}, number=number, stored=stored)
    error = ended(run_id).error
    assert error is not None and error["code"] == "io"


def test_what_failed_in_an_earlier_trial_failed_first(ends: list[dict[str, int]]) -> None:
    run_id = transfers.launch(*ends, legs=["memory"], repeats=3)
    consequence, early, late = {"peer_silent": 0.1}, {"read_only": 0.01}, {"io": 50.0}
    for trial, codes in ((2, early), (1, late), (0, consequence)):
        for at in (0, 1):
            reported(run_id, at, codes, trial=trial)
    error = ended(run_id).error
    assert error is not None and error["code"] == "io"


@pytest.mark.parametrize(
    ("sender", "receiver", "code"),
    [
        ({"read_only": 3.0}, {"stale": 2.9}, "stale"),
        ({"read_only": 2.9}, {"stale": 3.0}, "read_only"),
        ({"peer_silent": 2.0}, {"stale": 3.0}, "stale"),
    ],
)
def test_a_run_that_probes_end_has_the_first_cause_in_the_trial_that_they_end(
    ends: list[dict[str, int]], sender: Codes, receiver: Codes, code: str
) -> None:
    run_id = transfers.launch(*ends, legs=["memory"], repeats=2)
    reported(run_id, 0, {"io": 1.0})  # ends only its trial
    reported(run_id, 1, {"peer_ended": 1.1})
    reported(run_id, 0, sender, trial=1)
    reported(run_id, 1, receiver, trial=1)
    (first,) = sender
    detail = f"this machine: it was {first}"
    run = ended(run_id, {"code": first, "title": "The probe ended the test", "detail": detail})
    assert run.error is not None and run.error["code"] == code
    assert run.error["detail"].endswith(f": it was {code}")


def test_an_error_that_no_probe_reported_remains(ends: list[dict[str, int]]) -> None:
    run_id = transfers.launch(*ends, legs=["memory"])
    reported(run_id, 0, {"io": 1.0})
    reported(run_id, 1, {"peer_ended": 1.1})
    error = {"code": "internal", "title": "Internal error", "detail": "a bug"}
    assert ended(run_id, error).error == error
