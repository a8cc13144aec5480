"""A write trial whose files are read back and verified after its final sync."""

import pytest
from probe_driver import Probe, of
from sustained_driver import BLOCK, result_of, sustained

RING = {"layout": "ring", "files": 3, "file_bytes": 4 * BLOCK}


def read_back(events: list[dict]) -> dict:
    return result_of(events)["detail"]["read_back"]


@pytest.mark.parametrize("cache", ["page", "direct"])
@pytest.mark.parametrize(
    ("layout", "left"),
    [
        ({"layout": "one"}, 67),
        ({"layout": "sequence", "file_bytes": 4 * BLOCK}, 67),
        (RING, 24),
        (RING | {"file_bytes": 100 * BLOCK}, 67),
    ],
    ids=["one", "sequence", "ring", "unfinished ring"],
)
def test_every_byte_that_is_left_is_verified(
    probe: Probe, layout: dict, left: int, cache: str
) -> None:
    trial = {"length_bytes": 67 * BLOCK, "streams": 2, "cache": cache, "read_back": 1}
    events = sustained(probe, trial | layout)
    assert probe.problems() == []
    found, result = read_back(events), result_of(events)
    assert (found["whole"], found["error"], found["bytes"]) == (True, None, left * BLOCK)
    assert (found["errors"], found["first_offset_bytes"], found["first_stream"]) == (0, None, None)
    assert found["ns"] > 0
    assert (found["resident_checked"] > 0, found["resident_pages"]) == (True, 0)
    assert (result["bytes"], result["verify_errors"]) == (67 * BLOCK, 0)
    assert result["durable_ns"] is not None


def test_it_is_not_done_unless_asked(probe: Probe) -> None:
    assert read_back(sustained(probe, {})) is None


def test_wrong_data_is_found_with_its_place(probe: Probe) -> None:
    """The file is overwritten while the last block of a paced trial is awaited."""
    slow = {"pace": "rate", "rate_bytes_per_s": 8 * BLOCK, "length_bytes": 16 * BLOCK}
    probe.start(probe.plan(slow | {"streams": 2, "read_back": 1}, job="sustained"))
    probe.wait_for("mark", count=2)
    files = sorted(probe.test_files(), key=lambda path: path.stat().st_ino)
    with files[1].open("r+b") as file:
        file.seek(BLOCK + 512)
        file.write(b"x" * 1024)
    probe.follow()
    events = probe.events()
    found, result = read_back(events), result_of(events)
    assert (found["whole"], found["errors"], result["verify_errors"]) == (True, 2, 2)
    assert found["first_offset_bytes"] == BLOCK + 512
    assert found["first_stream"] in (0, 1)
    (notice,) = [one for one in of(events, "notice") if one["code"] == "verification_failed"]
    assert notice["corrupt"] == 2


def test_a_read_is_not_read_back(probe: Probe) -> None:
    refused = probe.verb(
        "start",
        probe.run_dir,
        stdin=probe.plan({"operation": "read", "read_back": 1}, job="sustained"),
        check=False,
    )
    assert refused.returncode == 3
    assert b"read_back=1" in refused.stderr
