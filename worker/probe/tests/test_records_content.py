"""The content of records, by the C code that makes and checks them."""

import subprocess
from pathlib import Path


def test_every_altered_missing_late_and_repeated_record_is_counted_as_that(
    records_checker: Path,
) -> None:
    done = subprocess.run(
        [records_checker], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
