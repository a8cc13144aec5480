"""CPU seconds and memory of processes, from /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process and all its descendants, including exited ones."""
    family = {pid}
    seconds = 0.0
    for one, (parent, spent) in sorted(_processes().items()):
        if one == pid or parent in family:
            family.add(one)
            seconds += spent
    return seconds


def _processes() -> dict[int, tuple[int, float]]:
    """Return each process by its id: its parent, and its CPU seconds with its exited children's."""
    found: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just exited
        found[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    return found


def children(pid: int) -> list[int]:
    """Return its live children."""
    return [one for one, (parent, _) in _processes().items() if parent == pid]


def name(pid: int) -> str:
    """Return the program that a process runs."""
    return Path(f"/proc/{pid}/comm").read_text().strip()


def memory(pid: int) -> int:
    """Return the resident bytes of one process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def slope(points: list[tuple[float, float]]) -> float:
    """Return the growth per second by least squares."""
    n = len(points)
    if n < 2:
        return 0.0
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
