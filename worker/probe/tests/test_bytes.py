"""Claimed bytes equal those that the kernel moved, by strace, and those of the file."""

import re

import pytest
from probe_driver import Probe, of

BLOCK = 65536
WHOLE, WITH_A_REST = 16 * BLOCK, 16 * BLOCK + 1000

DATA = r"\d+<[^>]*/#\d+[^>]*>(?:\(deleted\))?"
MOVED = re.compile(rf"^(pwrite64|pread64)\({DATA}.* = (\d+)$", re.MULTILINE)
LOOKED_AT = re.compile(rf"^\w*fstat\w*\({DATA}.* st_size=(\d+)", re.MULTILINE)
"""The probe looks at the size of a file, which has no name, before it cuts it down."""


@pytest.mark.parametrize("file_size", [WHOLE, WITH_A_REST])
@pytest.mark.parametrize("cache", ["direct", "page"])
@pytest.mark.parametrize(("operation", "call"), [("write", "pwrite64"), ("read", "pread64")])
def test_reported_bytes_equal_those_of_strace_and_of_the_file(
    shipped: Probe, strace: str, operation: str, call: str, cache: str, file_size: int
) -> None:
    trace = shipped.home / "trace"
    tracing = (strace, "-ff", "-y", "-s", "0", "-o", trace, "-e", "trace=pwrite64,pread64,%%stat")
    trial = {
        "operation": operation,
        "cache": cache,
        "file_size": file_size,
        "block": BLOCK,
        "threads": 2,
    }
    shipped.start(shipped.plan(trial), prefix=tracing)
    shipped.follow()
    (result,) = of(shipped.events(), "result")
    assert result["status"] == "complete"
    said = "".join(path.read_text() for path in shipped.home.glob("trace.*"))
    counted = [int(moved) for name, moved in MOVED.findall(said) if name == call]
    assert result["ops"] == len(counted)
    assert result["bytes"] == sum(counted) == int(LOOKED_AT.findall(said)[-1])
    assert result["bytes"] == -(-file_size // BLOCK) * BLOCK


def test_a_partial_block_is_not_counted(shipped: Probe) -> None:
    """The limit lets half of the tenth block through, and then nothing."""
    limit = 9 * BLOCK + BLOCK // 2
    limited = f"trap '' XFSZ; exec prlimit --fsize={limit} -- \"$@\""
    shipped.start(
        shipped.plan({"file_size": WHOLE, "block": BLOCK}), prefix=("sh", "-c", limited, "sh")
    )
    shipped.follow()
    (result,) = of(shipped.events(), "result")
    assert result["status"] == "failed"
    assert (result["ops"], result["bytes"]) == (9, 9 * BLOCK)
