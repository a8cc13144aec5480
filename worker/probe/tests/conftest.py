"""A real probe for each test, built once, with directories of the test's own.

After each test, no process, test file or sanitizer report may remain.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for probe_driver and spool_rules
pytest.register_assert_rewrite(
    *("probe_driver", "disturbance_driver", "transfer_driver", "records_driver", "tool_driver"),
    *("machines", "nth_call", "golden_good"),
)

from machines import Machine  # noqa: E402
from probe_driver import Probe  # noqa: E402 (after its assertions are registered)
from records_driver import RecordEnds  # noqa: E402
from tool_driver import ToolEnds  # noqa: E402
from transfer_driver import Ends  # noqa: E402

PROBE = Path(__file__).resolve().parent.parent
RELEASE = PROBE / "build" / platform.machine() / "assay-probe"
SANITIZED = PROBE / "build/asan/assay-probe"
FUZZER = PROBE / "build/fuzz/plan"


def build(*goals: str) -> None:
    (PROBE / "build").mkdir(exist_ok=True)
    with (PROBE / "build/.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes build the same
        made = subprocess.run(
            ["make", "-C", PROBE, f"PYTHON={sys.executable}", *goals],
            capture_output=True,
            text=True,
            check=False,
        )
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="session")
def sanitized() -> Path:
    build("build/asan/assay-probe")
    return SANITIZED


@pytest.fixture(scope="session")
def release() -> Path:
    build(str(RELEASE.relative_to(PROBE)))
    return RELEASE


@pytest.fixture(scope="session")
def fuzzer() -> Path:
    build("build/fuzz/plan")
    return FUZZER


@pytest.fixture(scope="session")
def testdata_checker() -> Path:
    build("build/asan/check_testdata")
    return PROBE / "build/asan/check_testdata"


@pytest.fixture(scope="session")
def blocks_checker() -> Path:
    build("build/asan/check_blocks")
    return PROBE / "build/asan/check_blocks"


@pytest.fixture(scope="session")
def marks_checker() -> Path:
    build("build/asan/check_marks")
    return PROBE / "build/asan/check_marks"


@pytest.fixture(scope="session")
def frames_checker() -> Path:
    build("build/asan/check_frames")
    return PROBE / "build/asan/check_frames"


@pytest.fixture(scope="session")
def records_checker() -> Path:
    build("build/asan/check_records")
    return PROBE / "build/asan/check_records"


@pytest.fixture(scope="session")
def access_checker() -> Path:
    build("build/asan/check_access")
    return PROBE / "build/asan/check_access"


@pytest.fixture(scope="session")
def kthreads_checker() -> Path:
    build("build/asan/check_kthreads")
    return PROBE / "build/asan/check_kthreads"


@pytest.fixture(scope="session")
def late_statfs() -> Path:
    """Return a library to preload: the free space stays what it was at the first look."""
    build("build/late_statfs.so")
    return PROBE / "build/late_statfs.so"


@pytest.fixture(scope="session")
def chunker() -> Path:
    build("build/chunker")
    return PROBE / "build/chunker"


@pytest.fixture(scope="session")
def strace() -> str:
    path = shutil.which("strace")
    assert path, "faults are injected by strace: install it (apt-get install strace)"
    return path


def finish(probe: Probe) -> None:
    probe.clean_up()
    reports = "".join(path.read_text() for path in probe.home.glob("sanitizer*"))
    assert reports == ""
    assert probe.target.is_symlink() or not probe.target.is_dir() or probe.leftovers() == []


@pytest.fixture
def probe(sanitized: Path, tmp_path: Path) -> Iterator[Probe]:
    """The sanitized probe, with a target on the file system of the temporary folder."""
    (tmp_path / "target").mkdir()
    it = Probe(sanitized, tmp_path, tmp_path / "target")
    yield it
    finish(it)


@pytest.fixture
def shipped(release: Path, tmp_path: Path) -> Iterator[Probe]:
    """The static release build, for fault injection by strace and for speed."""
    (tmp_path / "target").mkdir()
    it = Probe(release, tmp_path, tmp_path / "target")
    yield it
    finish(it)


def two_ends(binary: Path, folder: Path, kind: type[Ends] = Ends) -> Iterator[Ends]:
    made = []
    for role in ("sender", "receiver"):
        (folder / role / "target").mkdir(parents=True)
        made.append(Probe(binary, folder / role, folder / role / "target"))
    yield kind(*made)
    for probe in made:
        finish(probe)


@pytest.fixture
def ends(sanitized: Path, tmp_path: Path) -> Iterator[Ends]:
    """The two ends of a transfer, each with a target of its own."""
    yield from two_ends(sanitized, tmp_path)


@pytest.fixture
def shipped_ends(release: Path, tmp_path: Path) -> Iterator[Ends]:
    """The same of the static release build."""
    yield from two_ends(release, tmp_path)


def record_ends(binary: Path, folder: Path, senders: int) -> Iterator[RecordEnds]:
    made = []
    for role in [*(f"sender{number}" for number in range(senders)), "receiver"]:
        (folder / role / "target").mkdir(parents=True)
        made.append(Probe(binary, folder / role, folder / role / "target"))
    yield RecordEnds(made[:-1], made[-1])
    for probe in made:
        finish(probe)


@pytest.fixture
def one_sender(sanitized: Path, tmp_path: Path) -> Iterator[RecordEnds]:
    """A sender and a receiver of records."""
    yield from record_ends(sanitized, tmp_path, 1)


@pytest.fixture
def three_senders(sanitized: Path, tmp_path: Path) -> Iterator[RecordEnds]:
    """Three senders and a receiver of records."""
    yield from record_ends(sanitized, tmp_path, 3)


@pytest.fixture
def shipped_sender(release: Path, tmp_path: Path) -> Iterator[RecordEnds]:
    """A sender and a receiver of the static release build."""
    yield from record_ends(release, tmp_path, 1)


@pytest.fixture
def tools(sanitized: Path, tmp_path: Path) -> Iterator[ToolEnds]:
    """A source and a sink between which another program moves data."""
    yield from two_ends(sanitized, tmp_path, ToolEnds)


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[Probe]:
    """The aarch64 build, emulated on other machines."""
    build("build/aarch64/assay-probe")
    binary = PROBE / "build/aarch64/assay-probe"
    if platform.machine() != "aarch64":
        emulator = shutil.which("qemu-aarch64-static")
        assert emulator, "install qemu-user-static (apt-get install qemu-user-static)"
        emulated = tmp_path / "assay-probe"
        emulated.write_text(f'#!/bin/sh\nexec {emulator} {binary} "$@"\n')
        emulated.chmod(0o755)
        binary = emulated
    (tmp_path / "target").mkdir()
    it = Probe(binary, tmp_path, tmp_path / "target")
    yield it
    finish(it)


@pytest.fixture
def memory_target(probe: Probe) -> Iterator[Probe]:
    """The probe with a target on tmpfs."""
    target = Path("/dev/shm") / f"assay-probe-test-{os.getpid()}-{time.monotonic_ns()}"
    target.mkdir()
    probe.target = target
    yield probe
    probe.clean_up()
    left = probe.leftovers()
    shutil.rmtree(target)
    assert left == []


@pytest.fixture
def machine(probe: Probe, tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine", probe)
