from dataclasses import replace

from assay.analysis.cells import Cell, Measured
from assay.analysis.histogram import index, of_steps
from assay.analysis.honesty import Mark
from assay.analysis.matrix import build
from assay.analysis.ranking import Setting

KIB = 1024
MB = 10**6
HONEST = Mark("honest", "device_bytes", "The device took all.")
CACHED = Mark("cache", "device_bytes", "The device took nothing.")
LATENCY = of_steps([[index(1000), 100]], 900, 1100, 100_000)


def measured(
    block: int = 64 * KIB, threads: int = 1, durable: float = 100 * MB, repeat: int = 0
) -> Measured:
    return Measured(
        id=0,
        repeat=repeat,
        block=block,
        threads=threads,
        files=1,
        status="complete",
        bytes=500 * MB,
        application_bps=2 * durable,
        durable_bps=durable,
        latency=LATENCY,
        application_mark=HONEST,
        durable_mark=HONEST,
    )


def by_setting(cells: list[Cell]) -> dict[tuple[int, int], Cell]:
    return {(cell.block, cell.threads): cell for cell in cells}


def test_the_headline_names_the_cheapest_setting_and_what_threads_do() -> None:
    trials = [
        measured(256 * KIB, 1, 1.39e9),
        measured(256 * KIB, 2, 1.40e9),
        measured(64 * KIB, 1, 1.2e9),
    ]
    found = build("write", "rw", trials)
    assert found.headline == (
        "1.39 GB/s durable with one writer and 256 KiB blocks; more threads don't help"
    )
    assert (found.headline_bps, found.best_bps) == (1.39e9, 1.40e9)
    assert found.durable.best == Setting(256 * KIB, 2)
    assert found.durable.advice is not None
    assert found.durable.advice.settings == {
        "numBlockWriters": 1,
        "writeBufferSizeKB": 256,
        "writeFileMode": "rw",
    }
    assert found.durable.advice.sentence == (
        "One writer with 256 KiB blocks reaches 1.39 GB/s, within noise of the best "
        "(two writers with 256 KiB blocks, 1.40 GB/s)."
    )


def test_threads_that_hurt_and_threads_that_are_needed_are_told_apart() -> None:
    hurt = build("write", "rw", [measured(threads=1), measured(threads=2, durable=50 * MB)])
    assert hurt.headline is not None and hurt.headline.endswith("; more threads are slower")
    need = build("write", "rw", [measured(threads=1), measured(threads=4, durable=300 * MB)])
    assert need.headline == (
        "300 MB/s durable with four writers and 64 KiB blocks; one writer reaches only 100 MB/s"
    )


def test_a_read_run_has_one_rate_and_the_readers_settings() -> None:
    trial = replace(measured(512), durable_bps=None, durable_mark=None)
    found = build("read", "rw", [trial])
    assert found.durable.best is None and found.durable.advice is None
    assert found.headline == "200 MB/s with one reader and 512 B blocks"
    assert found.application.advice is not None
    assert found.application.advice.settings == {"numBlockReaders": 1, "readBufferSizeKB": 0.5}


def test_only_complete_and_timed_out_trials_enter_a_cell() -> None:
    trials = [
        measured(),
        replace(measured(durable=60 * MB), status="timed_out"),
        replace(measured(durable=1.0), status="stopped"),
        replace(measured(durable=1.0), status="failed", reason="io"),
        replace(measured(durable=1.0), status="interrupted"),
    ]
    cell = build("write", "rw", trials).cells[0]
    assert cell.durable is not None and cell.durable.mean == 80 * MB
    assert (cell.repeats_done, cell.repeats_total, cell.state) == (2, 5, "partial")
    assert [trial.timed_out for trial in cell.trials] == [False, True, False, False, False]
    assert cell.latency is not None and cell.latency.max == 1100


def test_a_cells_state_follows_its_trials() -> None:
    waiting = replace(measured(), status="waiting")
    states = {
        "empty": [waiting],
        "running": [measured(), replace(measured(), status="running")],
        "partial": [measured(), waiting],
        "done": [measured(), measured()],
        "failed": [replace(measured(), status="failed")],
    }
    for state, trials in states.items():
        assert build("write", "rw", trials).cells[0].state == state


def test_a_cached_cell_is_best_only_where_all_are() -> None:
    cached = replace(measured(threads=2, durable=900 * MB), durable_mark=CACHED)
    found = build("write", "rw", [measured(), cached])
    assert found.durable.best == Setting(64 * KIB, 1)
    cells = by_setting(found.cells)
    fast = cells[64 * KIB, 2].durable
    assert fast is not None and not fast.best and not fast.within_noise
    alone = build("write", "rw", [cached])
    assert alone.headline is not None and alone.headline.startswith("Served by the cache: 900 MB/s")


def test_what_the_cache_served_is_no_advice() -> None:
    cached = replace(measured(), application_mark=CACHED)
    found = build("write", "rw", [cached])
    assert found.application.best == Setting(64 * KIB, 1)
    assert found.application.advice is None
    assert found.durable.advice is not None


def test_a_rate_that_is_only_a_bound_is_not_best_beside_a_durable_one() -> None:
    bounded = replace(measured(threads=2, durable=900 * MB), bounded=True)
    found = build("write", "rw", [measured(), bounded])
    assert found.durable.best == Setting(64 * KIB, 1)
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


def test_everything_that_limits_the_result_is_told_once() -> None:
    trials = [
        replace(measured(), application_mark=CACHED),
        replace(measured(durable=200 * MB), status="timed_out", verify_errors=3),
        replace(measured(threads=2), status="failed"),
    ]
    found = {limit.code: limit.message for limit in build("write", "rw", trials).warnings}
    assert set(found) == {"verify_errors", "cache_served", "timed_out", "failed", "unstable"}
    assert found["verify_errors"].startswith("Three blocks did not hold")
    assert found["cache_served"] == (
        "The application rate is served by the cache in one cell of 2. The device took nothing."
    )
    assert found["failed"] == "One trial failed and has no figures."
    assert found["unstable"].startswith("One cell varies by more than 10 %")


def test_a_run_that_measured_nothing_says_nothing() -> None:
    found = build("write", "rw", [replace(measured(), status="waiting", latency=None)])
    assert (found.headline, found.best_bps, found.warnings) == (None, None, [])
    assert build("write", "rw", []).cells == []
