"""Few malloc arenas for many threads."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from assay_worker.heaps import HEAPS

THREADS = """
import ctypes, sys, threading
from assay_worker.heaps import share_heaps

if sys.argv[2] == "shared":
    share_heaps()
ready = threading.Barrier(40)

def allocate():
    ready.wait()
    kept = [bytearray(5000) for _ in range(20)]
    ready.wait()

threads = [threading.Thread(target=allocate) for _ in range(40)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def heaps(tmp_path: Path, how: str) -> int:
    found = tmp_path / how
    subprocess.run([sys.executable, "-c", THREADS, found, how], check=True)
    return found.read_text().count("<heap ")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's own")
def test_threads_share_malloc_arenas(tmp_path: Path) -> None:
    assert heaps(tmp_path, "shared") <= HEAPS < heaps(tmp_path, "each its own")
