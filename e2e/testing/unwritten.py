"""A machine with little memory for data that is not written yet."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MB = 10**6
DIRTY = {"dirty_background_bytes": 100 * MB, "dirty_bytes": 400 * MB}


@contextmanager
def little_memory_for_writes() -> Iterator[None]:
    """Limit the data that the kernel of this machine keeps in memory before it is written."""
    names = [*DIRTY, "dirty_ratio", "dirty_background_ratio"]
    files = {name: Path("/proc/sys/vm", name) for name in names}
    before = {name: file.read_text() for name, file in files.items()}
    try:
        for name, size in DIRTY.items():
            files[name].write_text(str(size))
        yield
    finally:
        for name, value in before.items():
            if int(value):  # a size and a ratio exclude each other: the other one is 0
                files[name].write_text(value)
