"""Test data: verified in full, and not reducible."""

import shutil
import subprocess
from pathlib import Path

import pytest
from probe_driver import LONG, Probe


@pytest.mark.parametrize("way", [(), ("plain",)], ids=["by instructions", "by tables"])
def test_every_flipped_bit_and_every_foreign_sector_is_detected(
    testdata_checker: Path, way: tuple[str, ...]
) -> None:
    checked = subprocess.run(
        [testdata_checker, *way], capture_output=True, text=True, timeout=300, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_written_data_cannot_be_reduced_over_long_windows(shipped: Probe, chunker: Path) -> None:
    """Four files of two trials, 384 MiB, for a compressor and a deduplicator that see all of it."""
    zstd = shutil.which("zstd")
    assert zstd, "the data is compressed by zstd: install it (apt-get install zstd)"
    both = {"layout": "overwrite", "threads": 2, "files": 2}
    large = both | {"file_size": 128 << 20, "block": 1 << 20}
    small = both | {"file_size": 64 << 20, "block": 4096}
    shipped.start(shipped.plan(large, small, LONG, large, small))
    shipped.wait_for("result", count=2)
    files = shipped.test_files()[:4]
    size = sum(path.stat().st_size for path in files)
    compressed = shipped.home / "compressed"
    with compressed.open("wb") as output:
        cat = subprocess.Popen(["cat", *files], stdout=subprocess.PIPE)
        subprocess.run(
            [zstd, "-q", "-3", "--long=31", "-c"], stdin=cat.stdout, stdout=output, check=True
        )
    assert cat.wait() == 0
    cat = subprocess.Popen(["cat", *files], stdout=subprocess.PIPE)
    counted = subprocess.run(
        [chunker], stdin=cat.stdout, capture_output=True, text=True, check=True
    )
    assert cat.wait() == 0
    assert shipped.stop() == "stopped"
    assert size == 384 << 20
    assert size <= 1.01 * compressed.stat().st_size
    everything, distinct = (int(number) for number in counted.stdout.split())
    assert everything == size <= 1.01 * distinct
