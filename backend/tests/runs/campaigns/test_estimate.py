"""Estimates of campaigns, by example and by property."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from assay.base.field_errors import FieldError
from assay.kinds.matrix.parameters import MatrixTest
from assay.kinds.planning import FASTEST_BYTES_PER_S, Caution, Place
from assay.runs.campaigns.estimate import Forecast, forecast
from assay.runs.campaigns.schemas import EstimateWarning
from assay.runs.profiles import builtin
from hypothesis import given
from hypothesis import strategies as st

GB = 10**9

PLACE = Place(
    target_id=3,
    host_id=5,
    host_name="web-1",
    path="/mnt/a",
    fs_type="ext4",
    provable=True,
    free_bytes=900 * GB,
    free_at=datetime(2026, 11, 21, tzinfo=UTC),
    reserve_bytes=50 * GB,
    ram=64 * GB,
    cpus=16,
    direct="real",
    alignment=512,
)

TEST = MatrixTest(
    kind="matrix",
    operation="write",
    title="Write",
    block=[65536, 1_000_000],
    threads=[1, 4],
    files=2,
    file_size=20_000_000,
    repeats=3,
)


def _name(number: int, field: str) -> str:
    return f"tests.{number}.{field}"


def _of(test: MatrixTest, *places: Place) -> Forecast:
    return forecast([test], places or (PLACE,), _name)


def _with(**changes: Any) -> MatrixTest:
    return MatrixTest.model_validate({**TEST.model_dump(), **changes})


def test_cells_trials_and_bytes_of_a_write_matrix() -> None:
    (run,) = _of(TEST).parts
    assert [(c.block, c.threads, c.files, c.file_size) for c in run.planned_cells] == [
        (65536, 1, 1, 306 * 65536),
        (65536, 4, 2, 306 * 65536),
        (1_000_000, 1, 1, 20_000_000),
        (1_000_000, 4, 2, 20_000_000),
    ]
    assert run.trials == 12
    assert run.bytes_written == 3 * 3 * (306 * 65536 + 20_000_000)
    assert run.peak_bytes == 2 * 306 * 65536
    assert run.longest_s == 12 * 60
    assert run.shortest_s == pytest.approx(run.bytes_written / FASTEST_BYTES_PER_S)


def test_more_trials_than_a_campaign_can_have_are_counted_and_not_planned() -> None:
    test = _with(block=[512 * n for n in range(1, 21)], threads=list(range(1, 21)), repeats=50)
    places = [replace(PLACE, target_id=number) for number in range(5)]
    assert forecast([test], places, _name).problems == []
    found = forecast([test] * 50, places * 20, _name)
    (problem,) = found.problems
    assert problem.message == "makes 100000000 trials in total; the maximum is 100000"
    assert (found.parts, found.fits) == ([], None)


def test_reads_prepare_one_set_of_the_largest_rounded_size_and_write_nothing_else() -> None:
    (run,) = _of(_with(operation="read")).parts
    assert run.bytes_written == run.peak_bytes == 2 * 306 * 65536


def test_overwriting_prepares_the_set_once() -> None:
    (run,) = _of(_with(layout="overwrite")).parts
    (fresh,) = _of(TEST).parts
    assert run.peak_bytes == 2 * 306 * 65536
    assert run.bytes_written == run.peak_bytes + fresh.bytes_written


def test_files_read_after_overwriting_are_written_twice() -> None:
    (run,) = _of(_with(operation="read", layout="overwrite")).parts
    assert run.bytes_written == 2 * run.peak_bytes


def test_a_measured_rate_determines_the_minimum_duration() -> None:
    seen = replace(PLACE, best_write_bytes_per_s=100_000_000.0)
    (run,) = _of(TEST, seen).parts
    assert run.shortest_s == pytest.approx(run.bytes_written / 100_000_000)


@pytest.mark.parametrize("changes", [{"operation": "read"}, {"layout": "overwrite"}])
def test_both_durations_include_preparation_at_the_highest_rate(changes: dict[str, Any]) -> None:
    place = replace(PLACE, best_write_bytes_per_s=1_000_000.0, best_read_bytes_per_s=1_000_000.0)
    (run,) = _of(_with(**changes), place).parts
    trials_s = sum(min(60, cell.bytes / 1_000_000) for cell in run.planned_cells) * 3
    assert run.prepared_bytes == 2 * 306 * 65536
    assert run.shortest_s == pytest.approx(run.prepared_bytes / 1_000_000 + trials_s)
    assert run.longest_s == pytest.approx(run.prepared_bytes / 1_000_000 + 12 * 60)


def test_hosts_run_in_parallel_and_runs_of_a_host_in_sequence() -> None:
    other = replace(PLACE, target_id=4, host_id=6)
    assert _of(TEST, PLACE, other).longest_s == _of(TEST).longest_s
    neighbour = replace(PLACE, target_id=4)
    assert _of(TEST, PLACE, neighbour).longest_s == 2 * _of(TEST).longest_s


def test_hosts_on_a_shared_array_run_in_sequence() -> None:
    places = [
        replace(PLACE, target_id=n, host_id=n, needs={f"host:{n}": "", "array:7": "the array"})
        for n in (3, 4)
    ]
    assert _of(TEST, *places).longest_s == 2 * _of(TEST).longest_s


def test_expressions_are_computed_for_each_place() -> None:
    found = _of(_with(file_size="2 * ram"), PLACE, replace(PLACE, target_id=4, ram=GB))
    assert [run.file_size for run in found.parts] == [128 * GB, 2 * GB]


def test_an_expression_with_an_unknown_value_names_the_target() -> None:
    found = _of(_with(file_size="2 * ram"), replace(PLACE, ram=None))
    (problem,) = found.problems
    assert problem.field == "tests.0.file_size"
    assert "for web-1 /mnt/a" in problem.message
    assert problem.value == "2 * ram"


@pytest.mark.parametrize("size", ["ram - ram", "1 - free", "1000 TB * 1000 TB"])
def test_a_size_that_no_file_can_have_is_rejected(size: str) -> None:
    (problem,) = _of(_with(file_size=size)).problems
    assert "2^62" in problem.remedy if problem.remedy else False


def test_sizes_whose_sum_overflows_are_rejected() -> None:
    (problem,) = _of(_with(file_size=2**62)).problems
    assert problem.message.startswith("overflows")


def test_too_little_space_is_rejected_with_the_figures() -> None:
    found = _of(_with(file_size=500 * GB))
    assert found.fits is False
    (problem,) = found.problems
    for figure in ("1.00 TB", "900 GB", "50.0 GB", "150 GB"):
        assert figure in problem.message


def test_a_campaign_that_just_fits_is_accepted() -> None:
    test = _with(file_size=425 * GB, block=[65536 * 5, 1_000_000])
    place = replace(PLACE, free_bytes=_of(test).parts[0].peak_bytes + PLACE.reserve_bytes)
    assert _of(test, place).fits
    assert not _of(test, replace(place, free_bytes=place.free_bytes - 1)).fits


def test_direct_blocks_must_be_multiples_of_the_alignment() -> None:
    (problem,) = _of(_with(cache="direct")).problems
    assert problem.field == "tests.0.block"
    assert "multiples of 512 bytes; 1000000 is not" in problem.message
    assert _of(_with(cache="direct"), replace(PLACE, alignment=None)).problems == []
    assert _of(_with(cache="page")).problems == []


def test_a_direct_test_is_rejected_without_o_direct() -> None:
    test = _with(cache="direct", block=[65536])
    (problem,) = _of(test, replace(PLACE, direct="refused")).problems
    assert problem.field == "tests.0.cache"


def _codes(test: MatrixTest, place: Place) -> list[str]:
    return [caution.code for caution in _of(test, place).cautions]


def test_direct_if_real_falls_back_with_a_warning() -> None:
    test = _with(cache="direct_if_real", block=[65536], file_size=100 * GB)
    assert _of(test).parts[0].cache == "direct"
    assert _codes(test, PLACE) == []
    for direct in ("buffered", "refused", "unprovable"):
        place = replace(PLACE, direct=direct)
        assert _of(test, place).parts[0].cache == "page"
        assert "direct_not_real" in _codes(test, place)


def test_a_working_set_that_fits_a_cache_causes_a_warning() -> None:
    assert _codes(TEST, PLACE) == ["fits_in_memory"]
    assert _codes(_with(file_size=40 * GB), PLACE) == []
    large = replace(PLACE, array_cache_bytes=64 * GB)
    assert _codes(_with(file_size=40 * GB), large) == ["fits_in_array_cache"]
    assert _codes(_with(file_size=65 * GB), large) == []
    remote = replace(PLACE, provable=False, fs_type="nfs4", ram=None)
    assert _codes(TEST, remote) == ["served_by_unknown"]
    direct = replace(PLACE, direct="buffered")
    assert _codes(_with(cache="direct", block=[65536]), direct) == ["direct_buffered"]


def _too_short(test: MatrixTest, place: Place) -> list[str]:
    return [one.message for one in _of(test, place).cautions if one.code == "too_short"]


def test_files_too_small_for_the_known_rate_cause_a_warning_with_a_size() -> None:
    seen = replace(PLACE, best_durable_bytes_per_s=181e6)
    assert _too_short(_with(files=1), seen) == [
        "Write on web-1 /mnt/a: 4 of 4 cells would be too short at 181 MB/s, the "
        "highest rate measured there: under a second, or too few operations. Files of 280 MB "
        "would suffice."
    ]
    assert _too_short(_with(files=1, file_size=280_000_000), seen) == []


def test_the_remedy_of_files_too_small_avoids_the_warning() -> None:
    seen = replace(PLACE, best_durable_bytes_per_s=181e6)
    (found,) = [one for one in _of(_with(files=1), seen).cautions if one.code == "too_short"]
    assert found.remedy == {"file_size": 280_000_000}
    assert _too_short(_with(files=1, **found.remedy), seen) == []


def test_too_few_operations_cause_a_warning() -> None:
    seen = replace(PLACE, best_durable_bytes_per_s=100e6)
    (told,) = _too_short(_with(files=1, block=[2**26], threads=[4], file_size=2**30), seen)
    assert told.endswith("Files of 3.10 GB would suffice.")


def test_without_a_measured_rate_nothing_is_called_too_short() -> None:
    assert _too_short(_with(files=1), PLACE) == []


def test_a_rate_of_memory_makes_no_trial_of_storage_too_short() -> None:
    seen = replace(PLACE, best_write_bytes_per_s=3e9, best_durable_bytes_per_s=8e6)
    assert _too_short(_with(files=1, file_size=280_000_000), seen) == []


def test_a_time_limit_under_a_second_causes_a_warning() -> None:
    seen = replace(PLACE, best_durable_bytes_per_s=181e6)
    hurried = _with(files=1, file_size=40 * GB, timeout_ms=500)
    (told,) = _too_short(hurried, seen)
    assert told.endswith("Raise the time limit.")


def test_rate_in_a_size_is_the_measured_rate_with_the_sync() -> None:
    seen = replace(
        PLACE,
        best_write_bytes_per_s=4e9,
        best_durable_bytes_per_s=181e6,
        best_read_bytes_per_s=95e6,
    )
    for kind, size in (("write", 362_000_000), ("read", 190_000_000)):
        found = _of(_with(operation=kind, file_size="min(2 * rate, free / 10)"), seen)
        assert [run.file_size for run in found.parts] == [size]
        assert "rate_assumed" not in [caution.code for caution in found.cautions]


def test_an_unmeasured_rate_is_assumed_with_a_warning() -> None:
    found = _of(_with(file_size="2 * rate"))
    assert [run.file_size for run in found.parts] == [2 * GB]
    (told,) = [one.message for one in found.cautions if one.code == "rate_assumed"]
    assert told == (
        "Write on web-1 /mnt/a has files sized by an assumed 1.00 GB/s: no write was measured "
        "there yet. Launch the profile Calibration first."
    )


@pytest.mark.parametrize("bytes_per_s", [1e6, 40e6, 181e6, 2e9, 12e9])
@pytest.mark.parametrize("kind", ["write", "read"])
def test_trials_of_first_look_last_a_second_and_all_of_it_about_a_minute(
    kind: str, bytes_per_s: float
) -> None:
    seen = replace(
        PLACE,
        best_write_bytes_per_s=bytes_per_s,
        best_durable_bytes_per_s=bytes_per_s,
        best_read_bytes_per_s=bytes_per_s,
    )
    (body,) = [one.body for one in builtin.BUILTINS if one.slug == "first-look"]
    found = forecast(body.tests, [seen], _name)
    for run in found.parts:
        for cell in run.planned_cells:
            at_most = min(cell.bytes / bytes_per_s, run.test.timeout_ms / 1000)
            assert 1 <= at_most <= 1.2
            # also where it is four times as fast as the calibration
            assert cell.bytes / (4 * bytes_per_s) >= 1
    assert found.longest_s <= 62  # at 1 MB/s, where a file of two blocks takes 8 s


def test_a_caution_names_host_and_directory_so_that_each_host_has_its_own() -> None:
    nas = replace(PLACE, provable=False, fs_type="nfs4")
    other = replace(nas, target_id=4, host_id=6, host_name="web-2")
    told = [caution.message for caution in _of(TEST, nas, other).cautions]
    assert [message.partition(" uses ")[0] for message in told[::2]] == [
        "Write on web-1 /mnt/a",
        "Write on web-2 /mnt/a",
    ]
    assert [message.partition(" is ")[0] for message in told[1::2]] == [
        "web-1 /mnt/a",
        "web-2 /mnt/a",
    ]


@pytest.mark.parametrize(
    ("host_name", "path"),
    [
        ("web. Write", "/mnt/a"),
        ("web: a", "/mnt/a: b"),
        ("web, mail", "/mnt/a, /mnt/b"),
        ("web and mail", "/mnt/a is nfs4: nothing"),
        ("web-1", "/mnt"),
        ("Write on web-1", "/mnt/a"),
        (r"w(e.b)* \1 [$", "/mnt/{a} %s uses"),
    ],
)
def test_a_warning_has_its_place_and_the_words_around_it(host_name: str, path: str) -> None:
    at = replace(PLACE, host_name=host_name, path=path, provable=False, fs_type="nfs4")
    found = [EstimateWarning.of(one) for one in _of(TEST, at).cautions]
    assert [(one.about and (one.about.before, one.about.name)) for one in found] == [
        ("Write on ", f"{host_name} {path}"),
        ("", f"{host_name} {path}"),
    ]
    for one in found:
        assert one.about is not None
        assert (one.about.target_id, one.about.host_id) == (3, 5)
        assert one.message == f"{one.about.before}{one.about.name}{one.about.after}"


def test_a_warning_about_several_places_is_about_none() -> None:
    caution = Caution("one_machine", "web-1 and web-2 are the same machine.")
    assert EstimateWarning.of(caution).about is None


_tests = st.builds(
    MatrixTest,
    kind=st.just("matrix"),
    operation=st.sampled_from(["write", "read"]),
    title=st.just("t"),
    block=st.lists(st.integers(512, 2**26), min_size=1, max_size=5, unique=True),
    threads=st.lists(st.integers(2, 256), min_size=1, max_size=5, unique=True),
    files=st.integers(1, 2),
    file_size=st.integers(1, 2**50),
    layout=st.sampled_from(["fresh", "preallocated", "overwrite"]),
    cache=st.sampled_from(["page", "direct", "direct_if_real"]),
    repeats=st.integers(1, 5),
    timeout_ms=st.integers(100, 10**7),
)


@given(_tests)
def test_an_estimate_is_consistent(test: MatrixTest) -> None:
    found = _of(test)
    (run,) = found.parts
    assert found.trials == found.cells * test.repeats == len(run.planned_cells) * test.repeats
    assert 0 < found.shortest_s <= found.longest_s + 1e-6
    assert run.peak_bytes >= test.file_size
    assert run.bytes_written >= run.peak_bytes
    for cell in run.planned_cells:
        assert cell.file_size % cell.block == 0
        assert 0 <= cell.file_size - test.file_size < cell.block
        assert cell.files == min(test.files, cell.threads)
    assert found.fits == (run.peak_bytes + PLACE.reserve_bytes <= PLACE.free_bytes)
    assert found.fits == (not any("missing" in p.message for p in found.problems))
    for one in (*found.problems, *run.cautions()):
        assert one.message


def test_an_estimate_takes_linear_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = 0

    def counting(one: object, other: object) -> bool:
        nonlocal compared
        compared += 1
        return vars(one) == vars(other)

    monkeypatch.setattr(Caution, "__eq__", counting)
    monkeypatch.setattr(FieldError, "__eq__", counting)
    places = [replace(PLACE, target_id=n, host_name=f"h{n}", direct="buffered") for n in range(100)]
    tests = [_with(cache="direct", title=f"t{n}") for n in range(10)]
    found = forecast(tests, places, lambda number, name: f"tests.{number}.{name}")
    assert len(found.cautions) >= 1000
    assert compared <= len(found.cautions) + len(found.problems)
