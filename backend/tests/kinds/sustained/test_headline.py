"""The headline of a sustained test in words."""

from dataclasses import replace
from typing import Any

import pytest
from assay.analysis.shape import Shaped
from assay.kinds.headline import sentences
from assay.kinds.sustained.figures import TrialLevels
from assay.kinds.sustained.headline import (
    HighestCarried,
    MixedFigure,
    SustainedFigure,
    SustainedHeadline,
    SweetSpot,
)
from assay.kinds.sustained.modes import Mode
from testing.levels import held_levels

TB, GB = 10**12, 10**9
LEVELS = TrialLevels(held_levels((2.1e9, 29), (9e8, 50), (3.4e8, 100)), durable=True)
STEPS = "2.10 GB/s for 29 s (60.9 GB), then 900 MB/s for 50 s (45.0 GB), then 340 MB/s"
FIGURE = SustainedFigure(
    rate="durable",
    bytes_per_s=1.39e9,
    levels=None,
    bytes=TB,
    block=800_000,
    offered_bytes_per_s=None,
    served_by="device",
    no_cliff_within_bytes=TB,
    shape=None,
    carried=HighestCarried("10 Gb/s", 1_250_000_000, 61_000_000),
)
REACHED = "1.39 GB/s durable over 1.00 TB"
CARRIES = "; carries 10 Gb/s with 61.0 MB of buffer"
HEADLINE = SustainedHeadline(
    kind="sustained", participants=1, figure=FIGURE, sweet_spot=None, no_result=None
)
RANDOM = SustainedFigure(
    rate="application",
    bytes_per_s=50.4e6,
    levels=None,
    bytes=60 * GB,
    block=4096,
    offered_bytes_per_s=None,
    served_by="device",
    no_cliff_within_bytes=None,
    shape=None,
    carried=None,
    queue_depth=32,
    iops=12_304.0,
    p99_ns=3_000_000,
    working_set_bytes=GB,
    directions=[
        MixedFigure("read", 35.3e6, 8613.0, 2_100_000),
        MixedFigure("write", 15.1e6, 3691.0, 4_000_000),
    ],
)
MIXED = HEADLINE.model_copy(
    update={"operation": "mixed", "access": "random", "read_percent": 70, "figure": RANDOM}
)
SPOT = SweetSpot(
    cell="800000@125000000~direct",
    block=800_000,
    rate_bytes_per_s=125_000_000,
    burst_blocks=None,
    bytes_per_s=125e6,
    peak_ns=16_000_000,
    limit_ns=100_000_000,
    mode=Mode(cache="direct"),
)


def said(found: SustainedHeadline, **given: Any) -> str:
    """Return a headline as text, with these fields in place of its own."""
    (sentence,) = sentences(found.model_copy(update=given).model_dump(mode="json"))
    return sentence


def of_figure(**given: Any) -> str:
    return said(HEADLINE, figure=replace(FIGURE, **given))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, f"{REACHED}, no cliff within 1.00 TB{CARRIES}."),
        ({"no_cliff_within_bytes": None, "carried": None}, f"{REACHED}."),
        (
            {"carried": HighestCarried("OC-3", 19_440_000, 0), "served_by": "unknown"},
            f"{REACHED}, no cliff within 1.00 TB; carries OC-3 (served by: unknown).",
        ),
        (
            {"served_by": "page_cache"},
            f"Served by the page cache: {REACHED}, no cliff within 1.00 TB{CARRIES}.",
        ),
        (
            {"mode": Mode(cache="direct", priority="fifo")},
            f"{REACHED}, direct I/O, SCHED_FIFO, no cliff within 1.00 TB{CARRIES}.",
        ),
        (
            {"shape": Shaped("decline", -0.404, None)},
            f"{REACHED}, no cliff within 1.00 TB, a steady decline by 40.4 % of the mean{CARRIES}.",
        ),
        (
            {"shape": Shaped("sawtooth", 0.31, 20 * GB), "no_cliff_within_bytes": None},
            f"{REACHED}, a sawtooth of 31.0 % of the mean every 20 s{CARRIES}.",
        ),
    ],
)
def test_it_says_what_the_rate_covers_and_what_is_carried(
    given: dict[str, Any], sentence: str
) -> None:
    assert of_figure(**given) == sentence


def test_it_names_every_level_and_no_mean() -> None:
    figure = replace(FIGURE, bytes_per_s=None, levels=LEVELS, no_cliff_within_bytes=None)
    found = HEADLINE.model_copy(update={"figure": figure})
    assert found.words.figure is None
    assert said(found) == f"{STEPS} durable{CARRIES}."


def test_several_targets_carry_a_stream_spread_evenly() -> None:
    assert said(HEADLINE, participants=2) == (
        f"{REACHED} on two targets together, no cliff within 1.00 TB; "
        "carries 10 Gb/s spread evenly with 61.0 MB of buffer."
    )


def test_a_read_has_no_durable_rate() -> None:
    figure = replace(FIGURE, rate="application")
    assert said(HEADLINE, operation="read", figure=figure) == (
        f"1.39 GB/s read over 1.00 TB, no cliff within 1.00 TB{CARRIES}."
    )


@pytest.mark.parametrize(
    ("spot", "operation", "end"),
    [
        (SPOT, "write", "125 MB/s (direct I/O) with a peak write time of 16.0 ms"),
        (replace(SPOT, mode=Mode()), "read", "125 MB/s with a peak read time of 16.0 ms"),
        (
            replace(SPOT, queue_depth=8, iops=1500.0),
            "both",
            "125 MB/s (1500 IOPS at queue depth 8, direct I/O) with a peak write time of 16.0 ms",
        ),
    ],
)
def test_it_names_the_sweet_spot_with_its_own_mode(
    spot: SweetSpot, operation: str, end: str
) -> None:
    found = HEADLINE.model_copy(update={"operation": operation, "sweet_spot": spot})
    assert f"; sweet spot {end}" in said(found)


@pytest.mark.parametrize(
    ("code", "why"),
    [("too_short", "the trial was too short"), (None, "nothing was measured")],
)
def test_without_a_figure_it_says_why(code: str | None, why: str) -> None:
    assert said(HEADLINE, figure=None, no_result=code) == f"No result: {why}."


def test_it_names_ingest_and_playout_apart() -> None:
    reads = replace(
        FIGURE,
        rate="application",
        bytes_per_s=84e6,
        bytes=84 * GB,
        served_by="page_cache",
        no_cliff_within_bytes=None,
        carried=None,
    )
    both = HEADLINE.model_copy(update={"operation": "both", "reads": reads})
    ingest = f"1.39 GB/s durable ingest over 1.00 TB, no cliff within 1.00 TB{CARRIES}"
    assert said(both) == (f"{ingest}; served by the page cache: 84.0 MB/s playout over 84.0 GB.")
    fallen = replace(reads, bytes_per_s=None, levels=LEVELS, served_by="device")
    assert said(both, reads=fallen) == f"{ingest}; {STEPS} playout."
    assert said(both, reads=None) == f"{ingest}; playout without a reliable result."


def test_random_access_leads_with_its_operations_per_second() -> None:
    assert MIXED.words.figure == {"iops": 12_304}
    assert said(MIXED) == (
        "12 300 IOPS (50.4 MB/s) random read and write (70 % reads) of 4 KiB blocks at queue "
        "depth 32 over a working set of 1.00 GB, reads 8610 IOPS with p99 2.10 ms, "
        "writes 3690 IOPS with p99 4.00 ms."
    )


def test_a_random_read_has_one_p99() -> None:
    read = replace(RANDOM, directions=[], queue_depth=1)
    assert said(MIXED, operation="read", figure=read, participants=2) == (
        "12 300 IOPS (50.4 MB/s) random read of 4 KiB blocks over a working set of 1.00 GB on two "
        "targets together, p99 3.00 ms."
    )


def test_a_random_write_is_durable_or_has_levels() -> None:
    write = replace(RANDOM, rate="durable", directions=[], p99_ns=None, working_set_bytes=None)
    assert said(MIXED, operation="write", figure=write) == (
        "12 300 IOPS (50.4 MB/s durable) random write of 4 KiB blocks at queue depth 32."
    )
    fallen = replace(write, bytes_per_s=None, iops=None, levels=LEVELS)
    assert said(MIXED, operation="write", figure=fallen) == (
        f"{STEPS} random write of 4 KiB blocks at queue depth 32."
    )
