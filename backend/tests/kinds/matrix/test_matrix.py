import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.analysis.flags import Flag
from assay.analysis.histogram import index, of_steps
from assay.analysis.served_by import ServedBy
from assay.base import words
from assay.base.worded import plain
from assay.kinds.headline import sentences
from assay.kinds.matrix.cells import Cell, MatrixTrial, MeasuredSetting, Setting
from assay.kinds.matrix.headline import Advice
from assay.kinds.matrix.result import Advices, BestSettings, MatrixResult, evaluated
from assay.kinds.run_record import RunRecord, Site
from hypothesis import given
from hypothesis import strategies as st
from testing.levels import cliff_flag

KIB = 1024
MB = 10**6
DEVICE = ServedBy("device", "device_bytes", "The device took all.")
CACHED = ServedBy("page_cache", "device_bytes", "The device took nothing.")
LATENCY = of_steps([[index(1000), 100]], 900, 1100, 100_000)


def measured(
    block: int = 64 * KIB, threads: int = 1, durable: float = 100 * MB, repeat: int = 0
) -> MeasuredSetting:
    return MeasuredSetting(
        figures=MatrixTrial(
            id=0,
            repeat=repeat,
            status="complete",
            reason=None,
            attempts=1,
            again=False,
            flags=[],
            application_bytes_per_s=2 * durable,
            durable_bytes_per_s=durable,
            bytes=500 * MB,
            bounded=False,
            verify_errors=0,
            contention=None,
            writeback=None,
            window_ns=None,
            participants=[],
        ),
        setting=Setting(block, threads),
        files=1,
        latency=LATENCY,
        application_served_by=DEVICE,
        durable_served_by=DEVICE,
    )


def changed(one: MeasuredSetting, **values: Any) -> MeasuredSetting:
    """Return a trial with other figures, or another source or latency."""
    own = {name: values.pop(name) for name in values.keys() & vars(one).keys()}
    return replace(one, figures=replace(one.figures, **values), **own)


def in_words(found: MatrixResult) -> str:
    """Return the headline as text; empty if nothing was measured."""
    return sentences(found.headline.model_dump())[0] if found.headline else ""


def build(
    operation: str, open_mode: str, trials: Sequence[MeasuredSetting], participants: int = 1
) -> MatrixResult:
    """Return the result of a run with these trials."""
    sites = [
        Site(number, f"host-{number}", "/data", None, None, None, None)
        for number in range(participants)
    ]
    parameters = {"operation": operation, "open_mode": open_mode}
    return evaluated(RunRecord(1, parameters, [], sites, None), trials)


def recommended(advice: Advice | None) -> str:
    """Return a recommendation as text."""
    assert advice is not None
    return plain(advice.words)


def mean_of(cell: Cell) -> float:
    """Return a cell's mean durable rate."""
    assert cell.durable is not None
    return cell.durable.mean


def by_setting(cells: list[Cell]) -> dict[tuple[int, int], Cell]:
    return {(cell.block, cell.threads): cell for cell in cells}


def repeated(
    block: int, threads: int, *rates: float, spread: tuple[float, ...] = (0.99, 1.0, 1.01)
) -> list[MeasuredSetting]:
    """Three repeats around each rate."""
    return [
        measured(block, threads, rate * factor, repeat)
        for rate in rates
        for repeat, factor in enumerate(spread)
    ]


def test_the_headline_is_of_the_best_cell_and_the_recommendation_of_the_cheapest() -> None:
    trials = [
        *repeated(256 * KIB, 1, 1.395e9),
        *repeated(256 * KIB, 2, 1.40e9),
        *repeated(64 * KIB, 1, 1.2e9),
    ]
    found = build("write", "rw", trials)
    assert in_words(found) == (
        "1.40 GB/s durable with two writers and 256 KiB blocks; "
        "one writer reaches as much within noise."
    )
    assert found.best_bytes_per_s is not None
    assert words.rate(found.best_bytes_per_s) == "1.40 GB/s"
    assert found.best.durable == Setting(256 * KIB, 2)
    assert found.advice.durable is not None
    assert found.advice.durable.settings == {
        "numBlockWriters": 1,
        "writeBufferSizeKB": 256,
        "writeFileMode": "rw",
    }
    assert recommended(found.advice.durable) == (
        "one writer with 256 KiB blocks reaches 1.40 GB/s, within noise of the best cell "
        "(two writers with 256 KiB blocks)."
    )


def test_the_headline_distinguishes_harmful_and_needed_threads() -> None:
    hurt = build("write", "rw", repeated(64 * KIB, 1, 1e8) + repeated(64 * KIB, 2, 5e7))
    assert in_words(hurt).endswith("; more threads are slower.")
    need = build("write", "rw", repeated(64 * KIB, 1, 1e8) + repeated(64 * KIB, 4, 3e8))
    assert in_words(need) == (
        "300 MB/s durable with four writers and 64 KiB blocks; one writer reaches only 100 MB/s."
    )
    same = build("write", "rw", repeated(64 * KIB, 1, 1e8) + repeated(64 * KIB, 2, 0.999e8))
    assert in_words(same).endswith("; more threads don't help.")


def test_with_single_repeats_the_headline_omits_threads() -> None:
    found = build("write", "rw", [measured(threads=1), measured(threads=2, durable=50 * MB)])
    assert in_words(found) == "100 MB/s durable with one writer and 64 KiB blocks."
    assert "thread" not in recommended(found.advice.durable)
    assert "no_repeats" in {limit.code for limit in found.warnings}


def test_a_cell_measured_once_is_not_best_if_others_were_repeated() -> None:
    lucky = measured(threads=2, durable=500 * MB)
    found = build("write", "rw", [*repeated(64 * KIB, 1, 1e8), lucky])
    assert found.best.durable == Setting(64 * KIB, 1)
    once = by_setting(found.cells)[64 * KIB, 2].durable
    assert once is not None and not once.best and not once.within_noise


def test_two_repeats_with_a_large_difference_are_not_recommended() -> None:
    trials = [
        measured(threads=1, durable=38.0 * MB, repeat=1),
        measured(threads=1, durable=41.4 * MB, repeat=2),
        measured(threads=8, durable=130 * MB, repeat=1),
        measured(threads=8, durable=286 * MB, repeat=2),
    ]
    found = build("write", "rw", trials)
    one = by_setting(found.cells)[64 * KIB, 1].durable
    assert one is not None
    assert one.too_few_repeats and not one.within_noise
    assert found.advice.durable is not None and found.advice.durable.threads == 8
    assert "writer reaches" not in in_words(found)


def test_the_headline_is_the_mean_of_the_repeats_of_its_cell() -> None:
    """Leave-one-out cross-validation, the rule before edition 20, made 148 MB/s of these."""
    rates = {
        (64, 1): (264.0, 168.0),
        (64, 2): (128.0, 322.0),
        (256, 1): (257.5, 262.5),
        (256, 2): (134.0, 294.0),
    }
    trials = [
        measured(block * KIB, threads, rate * MB, repeat)
        for (block, threads), each in rates.items()
        for repeat, rate in enumerate(each)
    ]
    found = build("write", "rw", trials)
    assert [round(mean_of(cell) / MB) for cell in found.cells] == [216, 225, 260, 214]
    assert in_words(found).startswith("260 MB/s durable with one writer and 256 KiB blocks")
    assert found.best_bytes_per_s == 260 * MB
    assert found.advice.durable is not None and found.advice.durable.bytes_per_s == 260 * MB


CELLS = st.lists(st.lists(st.floats(1.0, 1e10), min_size=1, max_size=6), min_size=1, max_size=9)


@given(CELLS)
def test_no_headline_is_outside_of_the_repeats_of_its_cell(cells: list[list[float]]) -> None:
    trials = [
        measured(KIB << number, 1, rate, repeat)
        for number, rates in enumerate(cells)
        for repeat, rate in enumerate(rates)
    ]
    found = build("write", "rw", trials)
    assert found.headline is not None and found.headline.figure is not None
    figure, advice = found.headline.figure, found.advice.durable
    shown = [(figure.block, figure.bytes_per_s), (figure.block, found.best_bytes_per_s)]
    shown += [(advice.block, advice.bytes_per_s)] if advice else []
    for block, rate in shown:
        cell = by_setting(found.cells)[block, 1]
        assert rate == mean_of(cell)
        repeats = [one.durable_bytes_per_s or 0.0 for one in cell.trials]
        assert min(repeats) * (1 - 1e-12) <= rate <= max(repeats) * (1 + 1e-12)


def test_beside_the_highest_of_many_cells_is_the_interval_of_its_true_mean() -> None:
    chance = random.Random(5)
    trials = [
        measured(KIB << number, 1, chance.gauss(100 * MB, 3 * MB), repeat)
        for number in range(12)
        for repeat in (1, 2, 3)
    ]
    found = build("write", "rw", trials)
    assert found.headline is not None and found.headline.selected is not None
    figures = found.headline.selected.figures
    assert figures["means"] == 12
    assert figures["low_bytes_per_s"] < 100 * MB < figures["high_bytes_per_s"]
    assert "chosen_of_many" not in {limit.code for limit in found.warnings}
    assert sum(cell.durable is not None and cell.durable.best for cell in found.cells) == 1


def test_no_interval_is_beside_both_levels_of_a_cliff() -> None:
    """Their mean was never reached."""
    flagged = [
        changed(one, flags=[CLIFF_FLAG]) for one in repeated(4 * KIB, 1, 2e8, spread=(0.99, 1.01))
    ]
    others = [one for n in range(3, 12) for one in repeated(KIB << n, 1, 1e8)]
    found = build("write", "rw", flagged + others)
    assert found.headline is not None and found.headline.figure is not None
    assert found.headline.figure.levels is not None and found.headline.selected is None


def test_a_read_run_has_one_rate_and_the_readers_settings() -> None:
    trial = changed(measured(512), durable_bytes_per_s=None, durable_served_by=None)
    found = build("read", "rw", [trial])
    assert found.best.durable is None and found.advice.durable is None
    assert in_words(found) == "200 MB/s with one reader and 512 B blocks."
    assert found.advice.application is not None
    assert found.advice.application.settings == {"numBlockReaders": 1, "readBufferSizeKB": 0.5}


def test_only_complete_and_timed_out_trials_enter_a_cell() -> None:
    trials = [
        measured(),
        changed(measured(durable=60 * MB), status="timed_out"),
        changed(measured(durable=1.0), status="stopped"),
        changed(measured(durable=1.0), status="failed", reason="io"),
        changed(measured(durable=1.0), status="interrupted"),
    ]
    cell = build("write", "rw", trials).cells[0]
    assert cell.durable is not None and cell.durable.mean == 80 * MB
    assert (cell.repeats_done, cell.repeats_total, cell.state) == (2, 5, "partial")
    statuses = ["complete", "timed_out", "stopped", "failed", "interrupted"]
    assert [trial.status for trial in cell.trials] == statuses
    assert cell.latency is not None and cell.latency.max_ns == 1100


def test_a_cells_state_follows_its_trials() -> None:
    waiting = changed(measured(), status="waiting")
    states = {
        "empty": [waiting],
        "running": [measured(), changed(measured(), status="running")],
        "partial": [measured(), waiting],
        "done": [measured(), measured()],
        "failed": [changed(measured(), status="failed")],
    }
    for state, trials in states.items():
        assert build("write", "rw", trials).cells[0].state == state


def test_a_cached_cell_is_best_only_if_all_are() -> None:
    cached = changed(measured(threads=2, durable=900 * MB), durable_served_by=CACHED)
    found = build("write", "rw", [measured(), cached])
    assert found.best.durable == Setting(64 * KIB, 1)
    cells = by_setting(found.cells)
    fast = cells[64 * KIB, 2].durable
    assert fast is not None and not fast.best and not fast.within_noise
    alone = build("write", "rw", [cached])
    assert in_words(alone).startswith("Served by the page cache: 900 MB/s")


def test_a_cell_served_by_the_page_cache_is_not_recommended() -> None:
    cached = changed(measured(), application_served_by=CACHED)
    found = build("write", "rw", [cached])
    assert found.best.application == Setting(64 * KIB, 1)
    assert found.advice.application is None
    assert found.advice.durable is not None


def test_an_upper_bound_is_not_best_if_another_rate_is_durable() -> None:
    bounded = changed(measured(threads=2, durable=900 * MB), bounded=True)
    found = build("write", "rw", [measured(), bounded])
    assert found.best.durable == Setting(64 * KIB, 1)
    assert "bounded" in {limit.code for limit in found.warnings}


def test_cells_within_noise_of_the_best_are_marked_with_their_p() -> None:
    rates = {1: [100.0, 104.0, 96.0], 2: [101.0, 105.0, 98.0], 4: [50.0, 51.0, 52.0]}
    trials = [
        measured(threads=threads, durable=rate * MB, repeat=repeat)
        for threads, values in rates.items()
        for repeat, rate in enumerate(values)
    ]
    cells = by_setting(build("write", "rw", trials).cells)
    one, two, four = (cells[64 * KIB, threads].durable for threads in (1, 2, 4))
    assert one and two and four
    assert two.best and two.p is None
    assert one.within_noise and one.p is not None and one.p > 0.05
    assert not four.within_noise and four.p is not None and four.p < 0.05


def test_every_limitation_is_listed_once() -> None:
    trials = [
        changed(measured(), application_served_by=CACHED),
        changed(measured(durable=200 * MB), status="timed_out", verify_errors=3),
        changed(measured(threads=2), status="failed"),
    ]
    found = {limit.code: limit.message for limit in build("write", "rw", trials).warnings}
    assert set(found) == {
        "verify_errors",
        "served_by_page_cache",
        "timed_out",
        "failed",
        "unstable",
        "below_repeats",
    }
    assert found["verify_errors"].startswith("Three sectors of 512 bytes did not contain")
    assert found["served_by_page_cache"] == (
        "The application rate was served by the page cache in 1 of 2 cells. "
        "The device took nothing."
    )
    assert found["failed"] == "One trial failed and has no figures."
    assert found["unstable"].startswith("One cell varies by more than 10 %")


def test_a_run_without_measurements_has_no_headline() -> None:
    found = build("write", "rw", [changed(measured(), status="waiting", latency=None)])
    assert (found.headline, found.best_bytes_per_s, found.warnings) == (None, None, [])
    assert build("write", "rw", []).cells == []


SHORT = Flag(
    "too_short",
    "The writes took 54.0 ms, and 55.0 ms with the sync; the minimum is one second. "
    "Files of 560 MB would suffice.",
    {"measured_ns": 55e6, "sufficient_file_size_bytes": 560e6},
)


def test_where_a_faster_cell_was_too_short_there_is_no_best_and_the_headline_says_why() -> None:
    fast = changed(measured(threads=8, durable=367 * MB), flags=[SHORT])
    found = build("write", "rw", [measured(durable=181 * MB), fast])
    assert in_words(found) == (
        "No result: the trial was too short in the fastest cells. Files of 560 MB would suffice."
    )
    assert found.best_bytes_per_s is None
    assert found.best == BestSettings(durable=None, application=None)
    assert found.advice == Advices(durable=None, application=None)
    assert not any(cell.durable and cell.durable.best for cell in found.cells)
    cell = by_setting(found.cells)[64 * KIB, 8]
    assert cell.durable is not None
    assert cell.durable.mean == 367 * MB and not cell.durable.best and cell.durable.p is None
    assert [flag.code for flag in cell.flags] == ["too_short"]
    limits = {limit.code: limit.message for limit in found.warnings}
    assert limits["too_short"] == (
        "One trial was too short (the shortest took 55.0 ms) and excluded from headline and "
        "recommendation. Files of 560 MB would suffice."
    )


def test_an_excluded_cell_that_is_faster_within_the_tolerance_hides_nothing() -> None:
    alike = changed(measured(threads=8, durable=183 * MB), flags=[SHORT])
    found = build("write", "rw", [measured(durable=181 * MB), alike])
    assert in_words(found) == "181 MB/s durable with one writer and 64 KiB blocks."


def test_without_a_reliable_trial_the_reason_is_that_of_most_trials() -> None:
    contended = Flag("contended", "Other I/O reached the device.", {})
    trials = [changed(trial, flags=[SHORT]) for trial in repeated(64 * KIB, 1, 900 * MB)]
    trials[0] = changed(trials[0], flags=[contended, SHORT])
    found = build("write", "rw", trials)
    assert in_words(found) == "No result: the trial was too short. Files of 560 MB would suffice."
    assert "One trial was contended and excluded" in found.warnings[0].message


def test_a_slower_excluded_cell_does_not_change_the_recommendation() -> None:
    slow = changed(measured(threads=8, durable=100 * MB), flags=[SHORT])
    found = build("write", "rw", [measured(durable=181 * MB), slow])
    assert in_words(found) == "181 MB/s durable with one writer and 64 KiB blocks."
    assert found.advice.durable is not None
    assert found.advice.durable.threads == 1


def test_a_faster_cell_with_one_reliable_repeat_is_mentioned_but_not_best() -> None:
    fast = repeated(64 * KIB, 8, 1300 * MB)
    found = build(
        "write",
        "rw",
        [*repeated(64 * KIB, 1, 900 * MB), fast[0], *(changed(t, flags=[SHORT]) for t in fast[1:])],
    )
    assert found.best.durable == Setting(64 * KIB, 1)
    assert in_words(found).endswith("; one cell with a single reliable repeat was faster.")
    assert found.advice.durable is None


def test_a_cell_shows_latencies_and_source_of_the_trials_whose_rates_it_shows() -> None:
    slow = of_steps([[index(4 * 10**9), 1]], 4 * 10**9, 4 * 10**9, 4 * 10**9)
    contended = Flag("contended", "Others wrote 1.00 GB.", {})
    bad = changed(measured(), flags=[contended], durable_served_by=CACHED, latency=slow)
    cell = build("write", "rw", [measured(), bad]).cells[0]
    assert cell.served_by is not None and cell.served_by.durable == DEVICE
    assert cell.latency == build("write", "rw", [measured()]).cells[0].latency


def test_a_run_of_only_short_trials_has_no_figure_but_a_remedy() -> None:
    found = build("write", "rw", [changed(measured(), flags=[SHORT])])
    assert in_words(found) == "No result: the trial was too short. Files of 560 MB would suffice."
    assert found.best_bytes_per_s is None
    assert found.best == BestSettings(durable=None, application=None)
    assert found.advice == Advices(durable=None, application=None)


def test_a_cell_shows_its_reliable_trials_if_any() -> None:
    contended = Flag("contended", "Others wrote 1.00 GB.", {})
    trials = [measured(), changed(measured(durable=10 * MB), flags=[contended])]
    cell = build("write", "rw", trials).cells[0]
    assert cell.durable is not None and (cell.durable.mean, cell.durable.n) == (
        100 * MB,
        1,
    )
    assert cell.repeats_done == 2
    assert [[flag.code for flag in trial.flags] for trial in cell.trials] == [[], ["contended"]]


def test_a_suspended_trial_is_excluded_from_all_figures() -> None:
    suspended = Flag("suspended", "The probe stood still for 72.0 s.", {})
    found = build("write", "rw", [changed(measured(), flags=[suspended])])
    assert (found.cells[0].durable, found.cells[0].latency) == (None, None)
    assert in_words(found) == "No result: the probe was suspended."


def test_writes_that_were_too_short_in_memory_keep_their_durable_rate() -> None:
    trial = changed(measured(), flags=[replace(SHORT, rates=("application",))])
    found = build("write", "rw", [trial])
    assert in_words(found).startswith("100 MB/s durable")
    assert found.best.application is None
    assert [limit.message for limit in found.warnings if limit.code == "too_short"] == [
        "The application rate of one trial was too short (the shortest took 55.0 ms) and "
        "excluded from headline and recommendation. Files of 560 MB would suffice."
    ]


CLIFF_FLAG = cliff_flag((350 * MB, 12), (41 * MB, 20))


def test_headline_and_recommendation_name_the_levels_of_a_cliff() -> None:
    trials = [
        changed(trial, flags=[CLIFF_FLAG])
        for trial in repeated(64 * KIB, 2, 157 * MB, spread=(1.0, 1.01))
    ]
    found = build("write", "rw", trials)
    assert in_words(found) == (
        "350 MB/s for 12 s (4.20 GB), then 41.0 MB/s durable with two writers and 64 KiB blocks."
    )
    assert found.headline_levels == CLIFF_FLAG.levels
    assert found.best_bytes_per_s is not None
    assert words.rate(found.best_bytes_per_s) == "158 MB/s"
    assert recommended(found.advice.durable) == (
        "two writers with 64 KiB blocks reach 350 MB/s for 12 s (4.20 GB), then 41.0 MB/s: "
        "the highest mean."
    )
    said = {limit.code: limit.message for limit in found.warnings}["cliff"]
    assert said == (
        "In the only cell the rate changed for good during a trial, so the mean is a rate that was "
        "never reached. 2 of 2 trials. The rate changed for good: 350 MB/s for 12 s (4.20 GB), "
        "then 41.0 MB/s."
    )


def test_a_cliff_counts_only_for_the_affected_rate() -> None:
    first, second = repeated(64 * KIB, 1, 157 * MB, spread=(1.0, 1.01))
    written = replace(CLIFF_FLAG, rates=("application",))
    trials = [changed(first, flags=[CLIFF_FLAG]), changed(second, flags=[written])]
    headline = in_words(build("write", "rw", trials))
    assert "durable (in 1 of 2 repeats)" in headline


def test_a_cell_is_inconclusive_only_after_the_last_attempt() -> None:
    trial = changed(measured(), status="suspended", again=True)
    found = build("write", "rw", [trial])
    assert (found.cells[0].state, found.warnings) == ("empty", [])
    found = build("write", "rw", [changed(trial, again=False)])
    assert found.cells[0].state == "inconclusive"
    assert [limit.message for limit in found.warnings] == [
        "One trial was suspended or starved in every attempt, so its cell is inconclusive: the "
        "host or the probe was suspended in the last attempt."
    ]


def test_a_cliff_in_some_repeats_shows_their_number() -> None:
    first, second = repeated(64 * KIB, 1, 157 * MB, spread=(1.0, 1.01))
    found = build("write", "rw", [changed(first, flags=[CLIFF_FLAG]), second])
    assert in_words(found) == (
        "350 MB/s for 12 s (4.20 GB), then 41.0 MB/s durable (in 1 of 2 repeats) with one writer "
        "and 64 KiB blocks."
    )


def test_a_cliff_of_the_application_rate_does_not_change_the_durable_headline() -> None:
    flag = replace(CLIFF_FLAG, rates=("application",))
    found = build("write", "rw", [changed(measured(), flags=[flag])])
    assert in_words(found) == "100 MB/s durable with one writer and 64 KiB blocks."
    assert found.headline_levels is None
    assert "350 MB/s for 12 s (4.20 GB), then 41.0 MB/s" in recommended(found.advice.application)


def test_a_cliff_in_another_cell_makes_its_mean_an_average() -> None:
    slower = [changed(one, flags=[CLIFF_FLAG]) for one in repeated(64 * KIB, 1, 157 * MB)]
    found = build("write", "rw", [*repeated(64 * KIB, 4, 300 * MB), *slower])
    assert in_words(found) == (
        "300 MB/s durable with four writers and 64 KiB blocks; "
        "one writer reaches only 157 MB/s on average."
    )
    assert found.headline_levels is None


def test_the_cliff_of_an_excluded_trial_is_not_in_the_headline() -> None:
    contended = Flag("contended", "Others wrote 1.00 GB.", {})
    found = build(
        "write", "rw", [measured(), changed(measured(repeat=2), flags=[contended, CLIFF_FLAG])]
    )
    assert in_words(found) == "100 MB/s durable with one writer and 64 KiB blocks."
