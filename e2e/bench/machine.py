"""The environment of the figures: the machine, its disk, the versions, the commit."""

import os
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def describe(folder: Path) -> dict[str, str]:
    """Return facts by name, in the order of display; `folder` is on the measured disk."""
    load = " ".join(f"{part:.1f}" for part in os.getloadavg())
    return {
        "commit": commit(),
        "CPU": f"{os.cpu_count()} × {cpu_model()}",
        "memory": f"{memory() / 1e9:.1f} GB",
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "disk": disk(folder),
        "Python": platform.python_version(),
        "Node": said("node", "--version"),
        "Chromium": said(os.environ.get("CHROMIUM", "/usr/bin/chromium"), "--version"),
        "fio": said("fio", "--version"),
        "load before": load,
    }


def commit() -> str:
    """Return the measured commit, and whether the working tree differed from it."""
    changed = said("git", "status", "--porcelain", "--untracked-files=no")
    return said("git", "rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def cpu_model() -> str:
    found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def disk(folder: Path) -> str:
    """Return the file system type, its source, and the device's model if there is one."""
    found = said("findmnt", "-nro", "FSTYPE,SOURCE", "--target", str(folder)).split()
    if len(found) < 2:
        return "unknown"
    model = said("lsblk", "-dnro", "MODEL", found[1])
    return " ".join([*found, model]).strip()


def said(*command: str) -> str:
    """Return the first line that a program prints, or that it is missing."""
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return "not found"
    return run.stdout.strip().partition("\n")[0]
