"""The appliance's own storage fails during a run: a locked database, a full disk."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from assay.runs.attempts import COUNTED
from assay.tables.database import writing
from sqlalchemy import text
from testing.assertions import assert_complete, assert_nothing_stays
from testing.installation import BOTH, SLOW, Installation, is_over, wait_until
from testing.sshd import Sshd

TRIALS = 20
LOCKED_S, FULL_S = 10, 5
RECOVERY_S = 30


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A small file system, so that a test can fill the installation's disk."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory on another disk than the appliance's full one."""
    return tmp_path_factory.mktemp("elsewhere")


def begun(installation: Installation, target: int) -> int:
    """A run in progress, driven by a worker, with a scheduler."""
    run_id = installation.launch(target, repeats=TRIALS, **SLOW)
    installation.start_scheduler()
    installation.start_worker()
    wait_until(lambda: installation.run(run_id).trials_done >= 2)
    return run_id


def fill(folder: Path) -> Path:
    """Write until nothing more fits; the file to be removed again."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                pass
    return filler


@BOTH
def test_a_run_continues_after_the_database_was_locked(
    installation: Installation, elsewhere: Path
) -> None:
    scratch = elsewhere / "scratch"
    run_id = begun(installation, installation.target(installation.local_host(), scratch))
    with writing() as session:
        if session.get_bind().dialect.name == "postgresql":
            session.execute(text("LOCK TABLE runs, participants, sample_blocks, raw_chunks"))
        time.sleep(LOCKED_S)
    wait_until(is_over(installation, run_id), RECOVERY_S, "the run continues")
    assert_complete(installation, run_id)
    assert len(installation.attempts(run_id)) == TRIALS
    assert_nothing_stays(installation.home, scratch)


def test_a_remote_run_continues_after_the_appliances_disk_was_full(
    installation: Installation, tmp_path: Path, elsewhere: Path
) -> None:
    server = Sshd(elsewhere / "sshd")
    server.start()
    try:
        scratch = elsewhere / "scratch"
        run_id = begun(installation, installation.target(installation.ssh_host(server), scratch))
        filler = fill(tmp_path)
        time.sleep(FULL_S)
        assert not is_over(installation, run_id)(), "nothing can be stored"
        filler.unlink()
        wait_until(is_over(installation, run_id), RECOVERY_S, "the run continues")
        assert_complete(installation, run_id)
        assert len(installation.attempts(run_id)) == TRIALS
        assert_nothing_stays(elsewhere, scratch)
    finally:
        server.stop()


def test_a_full_disk_of_the_appliance_interrupts_at_most_one_local_trial(
    installation: Installation, tmp_path: Path, elsewhere: Path
) -> None:
    """The spools of the local machine are on that disk, too."""
    scratch = elsewhere / "scratch"
    run_id = begun(installation, installation.target(installation.local_host(), scratch))
    filler = fill(tmp_path)
    wait_until(lambda: not list(scratch.iterdir()), 10, "the probe ends and cleans")
    time.sleep(FULL_S)
    assert not is_over(installation, run_id)(), "nothing can be stored"
    filler.unlink()
    wait_until(is_over(installation, run_id), RECOVERY_S, "the run continues")
    assert_complete(installation, run_id)
    others = [a.status for a in installation.attempts(run_id) if a.status not in COUNTED]
    assert others in ([], ["interrupted"])
    assert_nothing_stays(installation.home, scratch)
