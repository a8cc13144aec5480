"""`make lab-up` and `make lab-down`."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import site
from lab.arrays import ARRAYS
from lab.commands import LabError, wait_until

pytestmark = pytest.mark.xdist_group("removed labs")

ENVIRONMENT = os.environ | {"PYTHONPATH": str(site.PACKAGE_PARENT)}


def lab(word: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lab", word],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(autouse=True)
def _nothing_lasts() -> Iterator[None]:
    """Only one lasting lab is possible per machine, so tests of it wait here for each other."""
    with site.LABS.with_name("assay-lab-test.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        site.remove_if_dead(site.LASTING_NUMBER)
        wait_until(
            "the lab that is running, but that this test needs to start, ends (make lab-down)",
            lambda: not site.is_up(),
            30,
        )
        with subprocess.Popen(
            ["sh", "-c", 'cat; exec "$0" -m lab down', sys.executable],
            stdin=subprocess.PIPE,  # it waits for our end, also when this process is killed
            stdout=subprocess.DEVNULL,
            env=ENVIRONMENT | {site.TEST_MARKER: ""},
            start_new_session=True,
        ):
            yield


def loop_devices() -> set[str]:
    backing = Path("/sys/block").glob("loop*/loop/backing_file")
    return {path.read_text().strip() for path in backing}


def test_the_arrays_start_are_reachable_and_stop() -> None:
    shown = lab("up")
    assert shown.returncode == 0, shown.stderr
    number = site.LASTING_NUMBER
    key = site.LABS / str(number) / "key"
    assert f"private key  {key}" in shown.stdout
    options = "-q -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    for index, array in enumerate(ARRAYS, start=1):
        neighbor = index % len(ARRAYS)
        address, other = (f"10.213.{number}.{4 * host + 2}" for host in (index, neighbor + 1))
        assert f"{address} port 22" in shown.stdout
        said = subprocess.check_output(
            [
                *("ssh", *options.split(), "-i", key, f"assay@{address}"),
                f"stat -fc %T /mnt/{array.disk} && ssh {options} {other} hostname",
            ],
            text=True,
        )
        kind, there = said.rsplit(maxsplit=1)
        assert kind == {"ext4": "ext2/ext3", "xfs": "xfs"}[array.file_system]
        assert there == ARRAYS[neighbor].host
    again = lab("up")
    assert (again.returncode, again.stdout) == (0, shown.stdout)
    assert lab("down").returncode == 0
    assert_nothing_is_left()


def test_one_of_two_concurrent_labs_is_rejected() -> None:
    site.claim(lasting=True)  # as by the lab that started first, a moment ago
    try:
        with pytest.raises(LabError, match=r"is starting.*make lab-down") as refused:
            site.claim(lasting=True)
    finally:
        site.remove(site.LASTING_NUMBER)
    assert "\n" not in str(refused.value)


def test_a_lab_from_before_a_reboot_is_replaced() -> None:
    site.outlast(site.claim(lasting=True), "four hosts")  # and none of its processes was ever there
    assert not site.is_up()
    site.claim(lasting=True)
    assert site.is_up()
    site.remove(site.LASTING_NUMBER)
    assert_nothing_is_left()


@pytest.mark.parametrize(
    "after_s",
    [
        pytest.param(0.3, marks=pytest.mark.nightly),
        0.6,
        pytest.param(1.2, marks=pytest.mark.nightly),
    ],
)
def test_lab_down_removes_the_leftovers_of_a_killed_lab_up(after_s: float) -> None:
    making = subprocess.Popen(
        [sys.executable, "-m", "lab", "up"],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
    )
    time.sleep(after_s)
    making.send_signal(signal.SIGKILL)
    making.wait()
    folder = site.LABS / str(site.LASTING_NUMBER)
    owner = folder / "owner"
    wait_until(
        "a lab that is not whole is removed by its guardian",
        lambda: not folder.exists() or (owner.exists() and owner.read_text() == "lasting"),
        120,
    )
    assert lab("down").returncode == 0
    assert_nothing_is_left()


def assert_nothing_is_left() -> None:
    number = site.LASTING_NUMBER
    folder = site.LABS / str(number)
    assert not folder.exists()
    assert site.living(number) == []
    assert not [path for path in loop_devices() if path.startswith(f"{folder}/")]
    assert not list(Path("/sys/class/net").glob(f"al{number}-*"))
    assert str(folder) not in Path("/proc/mounts").read_text()
