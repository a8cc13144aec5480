"""Nothing of a test remains if pytest is killed during it."""

import signal
import subprocess
import sys
from pathlib import Path

from testing.appliance import ROOT, processes_with, until

KILLED = """
import os, signal, subprocess
from testing.sshd import Sshd
from testing.appliance import Appliance

DETACHED = "setsid sleep 600 & kill -STOP $!; echo ready after; wait"

def test_that_is_killed(tmp_path):
    image, disk = tmp_path / "image", tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["truncate", "-s", "8M", image], check=True)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, disk], check=True)
    assert [path.name for path in disk.iterdir()] == ["lost+found"]
    Sshd(tmp_path / "sshd").start()
    Appliance(tmp_path / "home", ("sh", "-c", DETACHED), {}).start()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def loop_devices(folder: Path) -> list[Path]:
    files = Path("/sys/block").glob("loop*/loop/backing_file")
    return [file for file in files if str(folder) in file.read_text()]


def test_a_killed_run_leaves_no_process_no_mount_and_no_loop_device(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").symlink_to(ROOT / "conftest.py")
    (tmp_path / "test_killed.py").write_text(KILLED)
    base = tmp_path / "base"
    settings = [
        "-c",
        ROOT / "pyproject.toml",
        "--rootdir",
        ROOT,
        "--basetemp",
        base,
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *settings, tmp_path / "test_killed.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stdout
    until("the end of all processes", lambda: not processes_with(str(base)))
    until("the end of the loop device", lambda: not loop_devices(base))
    assert str(base) not in Path("/proc/self/mounts").read_text()
