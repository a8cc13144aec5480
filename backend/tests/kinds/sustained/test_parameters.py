import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.expressions import duration_ms
from assay.kinds.sustained.estimate import PlannedSustained
from assay.kinds.sustained.presets import PRESETS, dpx_bytes, v210_bytes
from assay.runs.campaigns.estimate import lacking_space
from pydantic import ValidationError

from .simulated import KIND, MB, place, plan, planned, sustained

ROOT = Path(__file__).resolve().parents[4]


def refusal(**given: Any) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        sustained(**given)
    (error,) = caught.value.errors()
    context = error.get("ctx", {})
    return {"field": error["loc"][0] if error["loc"] else context["field"], "error": error}


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"length": "400 d"}, "length", "one year"),
        ({"length": "10 ms"}, "length", "one second"),
        ({"length": 2**61}, "length", "2^60"),
        ({"length": "2 * rom"}, "length", "rom"),
        (
            {"length": "10 s", "ramp_ms": 10_000},
            "ramp_ms",
            "is 10 s, but the trial lasts only 10",
        ),
        ({"length": "10 s", "ramp_ms": 90_000_000}, "ramp_ms", "is 25 h, but"),
        ({"pace": "burst", "gap_ns": 0}, "gap_ns", "no gap"),
        ({"file_mode": "ring", "ring_files": 300, "streams": 2}, "ring_files", "512"),
        (
            {"pace": "rate", "rate_bytes_per_s": [10**9], "block": [512]},
            "rate_bytes_per_s",
            "every 0.51 µs",
        ),
        ({"streams": 65}, "streams", "64"),
        ({"repeats": 100, "block": [4096 * n for n in range(1, 12)]}, "repeats", "1000"),
        ({"pace": "rate", "rate_bytes_per_s": [1, 1]}, "rate_bytes_per_s", "more than once"),
    ],
)
def test_invalid_parameters_name_the_field_and_a_remedy(
    given: dict[str, Any], field: str, words: str
) -> None:
    found = refusal(**given)
    assert found["field"] == field
    assert words in found["error"]["msg"]
    assert "remedy" in found["error"].get("ctx", {"remedy": ""}) or field == "streams"


@pytest.mark.parametrize("length", ["90 sec", "10 minutes", "-5 s", "9999999999999 h", 2**61])
def test_a_length_that_cannot_be_read_is_refused_with_the_units_of_a_duration(
    length: int | str,
) -> None:
    assert "a duration in ms, s, min, h or d" in refusal(length=length)["error"]["ctx"]["remedy"]


def test_a_gap_that_no_timer_holds_is_refused_unless_the_quantum_makes_it_longer() -> None:
    run, (problem,) = plan(0, sustained(pace="burst", gap_ns=9999), place(), lambda _, field: field)
    assert (run, problem.field, problem.value) == (None, "gap_ns", 9999)
    assert "no timer holds a gap under 10000 ns" in problem.message
    assert "at least 10000 ns" in (problem.remedy or "")
    assert planned(sustained(pace="burst", gap_ns=1, quantum_ns=15_625_000))


@pytest.mark.parametrize(
    ("length", "ms"), [("90 min", 5_400_000), ("25h", 90_000_000), ("1.5 d", 129_600_000)]
)
def test_a_length_can_be_a_duration(length: str, ms: int) -> None:
    assert duration_ms(length) == ms
    (cell,) = planned(sustained(length=length)).planned_cells
    assert (cell.duration_ms, cell.length_bytes) == (ms, 0)


def test_a_length_can_be_an_expression_of_bytes() -> None:
    assert duration_ms("2 * ram") is None
    (cell,) = planned(sustained(length="2 * ram")).planned_cells
    assert (cell.duration_ms, cell.length_bytes) == (0, 128 * 10**9)


def test_every_error_of_a_plan_names_field_value_and_remedy() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"length": "2 * ram"}, {"ram": None}, "length"),
        ({"file_mode": "ring", "file_size": 1000}, {}, "file_size"),
        ({"length": 1000}, {}, "length"),
        ({"cache": "direct"}, {"direct": "refused"}, "cache"),
    ]
    for given, where, field in cases:
        run, problems = plan(0, sustained(**given), place(**where), lambda _, name: name)
        assert run is None
        assert [one.field for one in problems] == [field]
        assert problems[0].remedy
        assert problems[0].value is not None


@pytest.mark.parametrize(
    ("given", "where", "files"),
    [
        ({"length": 10**12}, {}, "1.25 million"),
        # one hour at the offered rate, and of bursts at most every gap
        ({"length": "1 h", "pace": "rate", "rate_bytes_per_s": [10 * MB, 300 * MB]}, {}, "1.35"),
        ({"length": "14 h", "pace": "burst", "gap_ns": 40 * MB}, {}, "1.26 million"),
        # without pacing, by the highest rate measured there, or an upper bound of all storage
        ({"length": "1 h"}, {"best_write_bytes_per_s": 300e6}, "1.35 million"),
        ({"length": "2 min"}, {}, "1.5 million"),
    ],
)
def test_a_sequence_of_more_files_than_the_probe_records_is_refused_at_launch(
    given: dict[str, Any], where: dict[str, Any], files: str
) -> None:
    test = sustained(**given, file_mode="sequence", file_size=800_000, cache="page")
    run, problems = plan(0, test, place(**where), lambda _, name: name)
    assert run is None
    (problem,) = problems
    assert (problem.field, problem.value) == ("file_size", 800_000)
    assert files in problem.message
    enough = int(problem.remedy.split()[-2].replace(",", ""))
    larger = test.model_copy(update={"file_size": enough})
    assert planned(larger, place(**where))


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"length": 799_999_999_999}, {}),
        ({"length": "1 h", "pace": "rate", "rate_bytes_per_s": [200 * MB]}, {}),
        ({"length": "1 h"}, {"best_write_bytes_per_s": 200e6}),
        # the disk is full before so many files exist
        ({"length": "1 h"}, {"free_bytes": 700 * 10**9}),
    ],
)
def test_a_sequence_that_stays_below_the_number_of_files_is_planned(
    given: dict[str, Any], where: dict[str, Any]
) -> None:
    assert planned(
        sustained(**given, file_mode="sequence", file_size=800_000, cache="page"), place(**where)
    )


def test_a_ring_of_more_bytes_than_a_trial_can_have_is_refused() -> None:
    test = sustained(length="1 h", file_mode="ring", file_size=2**60, ring_files=2)
    run, problems = plan(0, test, place(), lambda _, name: name)
    assert run is None
    assert [(one.field, one.value) for one in problems] == [("file_size", 2**60)]
    assert "2 files" in problems[0].message


def test_rates_of_lines_and_of_video_are_those_of_the_standards() -> None:
    by_key = {one.key: one.bytes_per_s for one in PRESETS}
    assert by_key["oc3"] == 19_440_000
    assert by_key["oc12"] == 77_760_000
    assert by_key["10g"] == 1_250_000_000
    assert dpx_bytes(4096, 2160) == 35_391_488
    assert by_key["dpx-4k-24"] == 849_395_712
    assert v210_bytes(1920, 1080) == 5_529_600
    assert all(one.source for one in PRESETS)


def test_presets_ascend_and_fit_into_a_plan_with_the_own_rate() -> None:
    assert all(one.bytes_per_s <= other.bytes_per_s for one, other in pairwise(PRESETS))
    assert len({one.key for one in PRESETS}) == len(PRESETS)
    test = planned(sustained(pace="rate", rate_bytes_per_s=[123_456_789]))
    fields = KIND.plan_fields(
        test.parameters, test.order()[0].parameters, role=test.role, direct=True
    )
    rates = str(fields["rates"]).split(",")
    assert len(rates) <= 64
    assert len(str(fields["rates"])) <= 1024
    assert "123456789" in rates


@pytest.mark.parametrize(
    ("burst", "gap_ms", "quantum_ns", "mb_per_s"),
    [
        (12, 50, 0, 192),
        (12, 50, 15_625_000, 153.6),
        (6, 50, 15_625_000, 76.8),
        (1, 40, 15_625_000, 17.07),
    ],
)
def test_bursts_offer_what_owl_offered(
    burst: int, gap_ms: int, quantum_ns: int, mb_per_s: float
) -> None:
    test = sustained(
        pace="burst",
        burst_blocks=[burst],
        gap_ns=gap_ms * MB,
        quantum_ns=quantum_ns,
        cache="page",
    )
    (cell,) = planned(test).planned_cells
    assert cell.offered_bytes_per_s == pytest.approx(mb_per_s * 1e6, rel=0.001)
    assert any(one.code == "offered_rate" for one in planned(test).cautions())


def test_direct_io_rounds_the_block_up_and_says_so() -> None:
    run = planned(sustained(), place(alignment=4096))
    assert run.parameters["block"] == [802_816]
    assert run.parameters["block_asked"] == [800_000]
    (caution,) = (one for one in run.cautions() if one.code == "block_rounded")
    assert "802816" in caution.message
    assert planned(sustained(cache="page")).parameters["block"] == [800_000]


@pytest.mark.parametrize("length", [10**9, 10**12, 10**15, 2**60, "1 h", "30 d", "366 d"])
@pytest.mark.parametrize("pace", ["none", "rate"])
def test_a_trial_has_a_hundred_to_200000_marks_in_whole_blocks(
    length: int | str, pace: str
) -> None:
    run = planned(sustained(length=length, pace=pace, mark_bytes=100 * MB))
    (cell,) = run.planned_cells
    moved = cell.length_bytes or cell.footprint_bytes
    assert cell.mark_bytes % cell.block == 0
    assert 100 <= moved / cell.mark_bytes <= 200_000
    lasting = cell.duration_ms or run.test.timeout_ms
    assert run.sample_ms == 60_000 or lasting / run.sample_ms <= 200_000


def test_a_small_ring_in_the_page_cache_is_warned_about() -> None:
    ring = {"file_mode": "ring", "cache": "page", "length": "25 h", "pace": "rate"}
    small = planned(sustained(**ring, file_size=10 * 10**9, ring_files=4))
    assert "ring_in_memory" in {one.code for one in small.cautions()}
    assert small.peak_bytes == pytest.approx(40 * 10**9, rel=1e-4)
    large = planned(sustained(**ring, file_size=40 * 10**9, ring_files=4))
    assert "ring_in_memory" not in {one.code for one in large.cautions()}


def test_an_unpaced_duration_says_that_its_size_is_an_estimate() -> None:
    assumed, measured = planned(sustained(length="1 h")), _measured(length="1 h")
    for run, estimated in (
        (assumed, "at an assumed 1.00 GB/s, for nothing was measured there"),
        (measured, "at 250 MB/s, the highest rate that was measured there"),
    ):
        (said,) = [one.message for one in run.cautions() if one.code == "length_unknown"]
        assert said == (
            "Long write on web-1 /mnt/a: the test writes for a time without pacing. The space is "
            f"estimated {estimated}. If the storage is faster, a trial that reaches the target's "
            "reserved space fails; a ring of files bounds the size."
        )


def test_a_refusal_for_lack_of_space_says_at_which_rate_the_size_is_estimated() -> None:
    small = {"free_bytes": 10**9}
    for run, said, remedy in (
        (
            planned(sustained(length="10 min"), place(**small)),
            "600 GB at an assumed 1.00 GB/s, for nothing was measured there; ",
            "Launch the profile Calibration first, use a shorter test, ",
        ),
        (
            _measured(length="10 min", **small),
            "150 GB at 250 MB/s, the highest rate that was measured there; ",
            "Use a shorter test, ",
        ),
        (planned(sustained(), place(**small)), "needs 10.0 GB; ", "Use a shorter test, "),
    ):
        (error,) = lacking_space([[run]], lambda one: one.size_field)
        assert said in error.message
        assert error.remedy is not None and error.remedy.startswith(remedy)


def _measured(length: str, **known: Any) -> PlannedSustained:
    return planned(sustained(length=length), place(best_write_bytes_per_s=2.5e8, **known))


def test_sweeps_are_a_cell_for_each_block_and_rate() -> None:
    run = planned(
        sustained(pace="rate", rate_bytes_per_s=[10**8, 2 * 10**8], block=[2**20, 2**21], repeats=3)
    )
    assert (run.cells, run.trials, len(run.order())) == (4, 12, 12)
    assert len({trial.cell for trial in run.order()}) == 4


def test_a_run_stores_parameters_of_its_resolved_type() -> None:
    run = planned(sustained(length="2 * ram", file_mode="sequence"))
    KIND.resolved.model_validate(run.parameters)
    for trial in run.order():
        KIND.trial.model_validate({"kind": "sustained", **trial.parameters})


def test_the_launch_form_fills_in_the_same_rates() -> None:
    table = ROOT / "frontend/src/features/kinds/sustained/presets.test.ts"
    pairs = re.findall(r'^  \["(.+)", ([0-9_]+)\],$', table.read_text(), re.MULTILINE)
    assert {key: int(rate) for key, rate in pairs} == {one.key: one.bytes_per_s for one in PRESETS}


def test_parameters_of_other_ways_of_pacing_are_not_used() -> None:
    unpaced = planned(sustained()).parameters
    assert KIND.unused(unpaced) == {
        "read_percent",
        "seed",
        "queue_depth",
        "file_size",
        "ring_files",
        "rate_bytes_per_s",
        "burst_blocks",
        "gap_ns",
        "quantum_ns",
        "read_pace",
        "read_rate_bytes_per_s",
    }
    bursts = planned(sustained(pace="burst", burst_blocks=[2], gap_ns=10**6)).parameters
    assert not KIND.unused(bursts) & {"burst_blocks", "gap_ns", "quantum_ns"}
    lasting = planned(sustained(length="10 min")).parameters
    assert KIND.unused(lasting) - KIND.unused(unpaced) == {"timeout_ms"}
    reads = planned(sustained(operation="read")).parameters
    assert {"sync_bytes", "sync_ms", "precondition_passes"} <= KIND.unused(reads)


def test_a_mixed_test_uses_its_preconditioning() -> None:
    values = sustained(operation="mixed", access="random").model_dump()
    assert "precondition_passes" not in KIND.unused(values)
    for operation in ("read", "both"):
        assert "precondition_passes" in KIND.unused(values | {"operation": operation})
