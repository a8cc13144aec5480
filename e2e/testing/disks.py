"""File systems of a test's own, in sparse files: mounted for a while, and removed with it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def mounted(folder: Path, size: int) -> Iterator[Path]:
    """Yield the mount point of a new ext4 file system of `size` bytes below `folder`; needs root.

    All of its blocks may be filled: none are kept for root.
    """
    image, point = folder / "image", folder / "disk"
    point.mkdir()
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, point], check=True)
    try:
        yield point
    finally:
        subprocess.run(["umount", "-l", point], check=False)  # a test may have unmounted it
        image.unlink()
