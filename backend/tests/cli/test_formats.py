"""Values of parameters as people write them, in each format of the declarations."""

from typing import get_args

import pytest
from assay.cli.console import CommandError
from assay.cli.formats import LISTS, READERS, value_of
from assay.kinds.parameters import Format, Parameter


def test_each_format_has_a_reader() -> None:
    assert {*READERS, *LISTS} == {*get_args(Format)}
    assert {*LISTS.values()} <= {*READERS}


@pytest.mark.parametrize(
    ("format_", "text", "value"),
    [
        ("sizes", "64KiB", [65_536]),
        ("sizes", "64 kib; 1 MB", [65_536, 1_000_000]),
        ("sizes", "64, 128 KiB", [65_536, 131_072]),
        ("sizes", "4096", [4096]),
        ("sizes", "[4096, 8192]", [4096, 8192]),
        ("size", "1.5 GB", 1_500_000_000),
        ("counts", "1, 4,16", [1, 4, 16]),
        ("count", "3", 3),
        ("rates", "80 Mb/s,125000000", [10_000_000, 125_000_000]),
        ("rate", "1 MiB/s", 1_048_576),
        ("duration_ms", "1.5 s", 1500),
        ("duration_ms", "500", 500),
        ("durations_ms", "0 s, 5 min", [0, 300_000]),
        ("duration_ns", "15.625 ms", 15_625_000),
        ("length", "25 h", "25 h"),
        ("expression", "2 * ram", "2 * ram"),
        ("expression", "500", 500),
        ("choices", "page", "page"),
        ("choices", "page, direct", ["page", "direct"]),
        ("legs", "memory", ["memory"]),
        ("switch", "Yes", True),
        ("switch", "false", False),
        ("cpus", "0-3, 8", "0-3,8"),
        ("cpus", "5", "5"),
        ("name", "cubic", "cubic"),
    ],
)
def test_a_text_means_a_value(format_: Format, text: str, value: object) -> None:
    assert value_of("--set x", text, Parameter("X", format=format_)) == value


@pytest.mark.parametrize(
    ("format_", "text", "why"),
    [
        ("sizes", "64 KiB, many", "'many' is not a size. Use MB"),
        ("sizes", "[4096", "'[4096' is not JSON"),
        ("count", "1.5", "'1.5' is not a whole number"),
        ("rate", "5 MB", "'5 MB' is not a rate. Use MB/s"),
        ("duration_ms", "soon", "'soon' is not a duration"),
        ("switch", "null", "'null' is neither yes nor no"),
    ],
)
def test_a_text_without_a_meaning_names_the_option(format_: Format, text: str, why: str) -> None:
    with pytest.raises(CommandError) as refused:
        value_of("--set x", text, Parameter("X", format=format_))
    assert str(refused.value).startswith(f"--set x: {why}")


def test_the_host_chooses_what_is_automatic() -> None:
    pacing = Parameter("Pacing", format="rate", automatic="sets none.")
    assert value_of("--set pacing", "auto", pacing) == 0
    with pytest.raises(CommandError):
        value_of("--set pacing", "auto", Parameter("Pacing", format="rate"))
