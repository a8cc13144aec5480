"""The contract: the schema, the columns, the golden spools, and the C program."""

import ctypes
import json
import math
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import spool_rules
from assay.analysis.histogram import STEPS, of_steps
from probe_driver import Probe, of

CONTRACT = spool_rules.CONTRACT
PROBE = CONTRACT.parent
GOOD = sorted((CONTRACT / "good").glob("*.ndjson"))
BROKEN = sorted((CONTRACT / "broken").glob("*.ndjson"))

COUNTING = """
#include <stddef.h>
#include "histogram.h"
uint32_t step(uint64_t ns);
uint32_t step(uint64_t ns) { return histogram_index(ns); }
void count(const uint64_t *ns, size_t many, uint64_t counts[HISTOGRAM_STEPS]);
void count(const uint64_t *ns, size_t many, uint64_t counts[HISTOGRAM_STEPS])
{
    for (size_t i = 0; i < many; i++)
        counts[histogram_index(ns[i])]++;
}
"""


def test_the_schema_is_a_schema() -> None:
    spool_rules.Draft202012Validator.check_schema(spool_rules.SCHEMA)


def test_a_valid_spool_follows_every_rule() -> None:
    wrong = [
        f"{path.stem}: {problem}"
        for path in GOOD
        for problem in spool_rules.problems(path.read_bytes())
    ]
    assert not wrong, "\n".join(wrong)


def test_an_invalid_spool_is_rejected() -> None:
    accepted = [path.stem for path in BROKEN if not spool_rules.problems(path.read_bytes())]
    assert not accepted, "\n".join(accepted)


def test_there_are_golden_spools_of_both_kinds_and_of_every_event() -> None:
    assert len(GOOD) >= 5
    assert len(BROKEN) >= 12
    said = {event["ev"] for path in GOOD for event in spool_rules.parse(path.read_bytes())}
    assert said == set(spool_rules.EVENTS)


def test_the_columns_are_well_formed() -> None:
    contract = json.loads((CONTRACT / "columns.json").read_text())
    columns = contract["columns"]
    assert len({column["name"] for column in columns}) == len(columns)
    for column in columns:
        needed = {"name", "unit", "sql", "merge", "nullable", "description"}
        assert needed <= set(column) <= needed | {"series"}
        assert column.get("series", "share") in {"share", "rate", "amount", "time"}
        assert column["unit"] in {"code", "ns", "bytes", "count"}
        assert column["sql"] in {"smallint", "bigint"}
        assert column["merge"] in {"sum", "max", "min", "last"}


def test_the_c_header_is_generated_from_the_columns(sanitized: Path) -> None:
    header = (PROBE / "build/columns.h").read_text()
    assert re.findall(r"^    COLUMN_(\w+),$", header, re.M) == [
        name.upper() for name in spool_rules.COLUMNS
    ]


def test_hello_names_the_columns_of_the_contract(probe: Probe) -> None:
    events = probe.run({})
    assert events[0]["columns"] == spool_rules.COLUMNS
    assert events[0]["contract"] == json.loads((CONTRACT / "columns.json").read_text())["contract"]


def test_version_prints_probe_contract_and_architecture(probe: Probe) -> None:
    answer = probe.answer("version")
    assert set(answer) == {"probe", "contract", "arch", "wall_ns", "boottime_ns"}
    assert answer["contract"] == 2


@pytest.mark.parametrize(
    ("clock", "field"),
    [(time.CLOCK_BOOTTIME, "boottime_ns"), (time.CLOCK_REALTIME, "wall_ns")],
)
def test_version_reads_the_clocks_between_request_and_response(
    probe: Probe, clock: int, field: str
) -> None:
    asked = time.clock_gettime_ns(clock)
    answer = probe.answer("version")
    assert asked < answer[field] < time.clock_gettime_ns(clock)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("dance",),
        ("version", "now"),
        ("start",),
        ("start", "a", "b"),
        ("release", "x", "0", "1"),
        ("release", "x", "0", "soon", "--generation", "1"),
        ("follow", "x"),
        ("follow", "x", "--from", "-1", "--generation", "1"),
        ("follow", "x", "--from", "1", "--generation", "y"),
        ("stop", "x"),
        ("stop", "x", "--generation", "1", "--wait-ms"),
        ("sweep",),
        ("sweep", "a", "--forget"),
        ("inspect", "--target"),
        ("inspect", "/tmp"),
    ],
)
def test_wrong_arguments_are_a_usage_error(probe: Probe, words: tuple[str, ...]) -> None:
    refused = probe.verb(*words, check=False)
    assert refused.returncode == 2
    assert refused.stdout == b""
    assert b"usage" in refused.stderr or b"takes no arguments" in refused.stderr


def test_every_error_and_notice_of_the_source_is_in_the_schema() -> None:
    source = "".join(path.read_text() for path in (PROBE / "src").rglob("*.c"))
    errors = set(re.findall(r"\bfail\((?:&?\w+(?:->|\.))?&?\w+, \"(\w+)\"", source))
    errors |= set(re.findall(r"^    \{E\w+, \"E\w+\", \"(\w+)\"", source, re.M))
    errors |= set(re.findall(r"\b(?:command_fail|go_wrong)\([^;]*?\"(\w+)\"", source))
    notices = set(re.findall(r"notice(?:_begin)?\([^,]*spool, \"(\w+)\"", source))
    notices |= set(re.findall(r"set_notice\(sets, \"(\w+)\"", source))
    definitions = spool_rules.SCHEMA["$defs"]
    assert errors == set(definitions["error_code"]["enum"])
    assert notices == set(definitions["notice"]["properties"]["code"]["enum"])


@pytest.fixture(scope="module")
def histogram(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The histogram of the C source, callable from here; undefined behaviour ends the test."""
    folder = tmp_path_factory.mktemp("histogram")
    (folder / "histogram.c").write_text(COUNTING)
    command = ["gcc", "-std=c11", "-O2", "-shared", "-fPIC", "-I", PROBE / "src"]
    command += ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    subprocess.run([*command, folder / "histogram.c", "-o", folder / "histogram.so"], check=True)
    library = ctypes.CDLL(str(folder / "histogram.so"))
    library.step.argtypes, library.step.restype = [ctypes.c_uint64], ctypes.c_uint32
    library.count.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    library.count.restype = None
    return library


@pytest.fixture
def step(histogram: ctypes.CDLL):
    """histogram_index of the C source."""
    return histogram.step


def lower(index: int) -> int:
    return index if index < 128 else (64 + index % 64) << (index // 64 - 1)


def test_histogram_steps_follow_the_contract(step) -> None:
    examples = json.loads((CONTRACT / "histogram.json").read_text())["examples"]
    for example in examples:
        assert step(example["ns"]) == example["step"]
        assert lower(example["step"]) == example["lower"]


def test_histogram_steps_are_narrow_and_without_gaps(step) -> None:
    assert [lower(index + 1) > lower(index) for index in range(2239)] == [True] * 2239
    for index in range(2239):
        assert step(lower(index)) == index
        assert step(lower(index + 1) - 1) == index
    assert step((1 << 40) - 1) == step(1 << 63) == 2239


MILLION = 10**6
LEAST_NS, MOST_NS = 10**3, 600 * 10**9


def spread_over_all(chance: np.random.Generator) -> np.ndarray:
    return LEAST_NS * (MOST_NS / LEAST_NS) ** chance.random(MILLION)


def of_a_cache_with_stalls(chance: np.random.Generator) -> np.ndarray:
    cached, missed = chance.gamma(4, 3e3, MILLION), chance.gamma(4, 2e6, MILLION)
    stalled = chance.uniform(1e9, MOST_NS, MILLION)
    kind = chance.random(MILLION)
    return np.where(kind < 0.9, cached, np.where(kind < 0.9995, missed, stalled))


def of_a_steady_disk(chance: np.random.Generator) -> np.ndarray:
    return chance.normal(5e6, 2e4, MILLION)


def all_alike(chance: np.random.Generator) -> np.ndarray:
    return np.full(MILLION, chance.integers(LEAST_NS, MOST_NS))


@pytest.mark.parametrize(
    "draw", [spread_over_all, of_a_cache_with_stalls, of_a_steady_disk, all_alike]
)
def test_percentiles_of_a_million_latencies_are_within_one_percent_of_an_exact_sort(
    histogram: ctypes.CDLL, draw: Callable[[np.random.Generator], np.ndarray]
) -> None:
    latencies = draw(np.random.default_rng(42)).clip(LEAST_NS, MOST_NS).astype(np.uint64)
    counts = np.zeros(STEPS, dtype=np.uint64)
    histogram.count(latencies.ctypes.data, MILLION, counts.ctypes.data)
    latencies.sort()
    steps = [(int(at), int(counts[at])) for at in counts.nonzero()[0]]
    least, most = int(latencies[0]), int(latencies[-1])
    shown = of_steps(steps, least, most, int(latencies.sum()))
    assert shown.count == MILLION
    for share in (0.0001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1):
        exact = int(latencies[math.ceil(share * MILLION) - 1])
        assert shown.percentile(share) == pytest.approx(exact, rel=0.01), share


def test_a_results_histogram_agrees_with_its_exact_figures(probe: Probe, step) -> None:
    result = of(probe.run({"file_size": 8 << 20, "block": 4096, "threads": 2}), "result")[0]
    steps = dict(result["hist"])
    assert step(result["lat_min_ns"]) == min(steps)
    assert step(result["lat_max_ns"]) == max(steps)
    least = sum(lower(index) * count for index, count in steps.items())
    most = sum(lower(index + 1) * count for index, count in steps.items())
    assert least <= result["lat_sum_ns"] < most
