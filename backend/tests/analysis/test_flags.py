from dataclasses import replace

import pytest
from assay.analysis import flags
from assay.analysis.flags import Flag, Readings
from assay.analysis.levels import HeldRate
from assay.analysis.too_short import LEAST_NS, operations_needed, sufficient_file_size
from hypothesis import given
from hypothesis import strategies as st
from testing.levels import held_levels

KIB, MIB, MB = 2**10, 2**20, 10**6
MS = 10**6

LONG = Readings(
    status="complete",
    block=MIB,
    threads=1,
    files=1,
    bytes=1000 * MB,
    operations=954,
    app_ns=4_000 * MS,
    durable_ns=5_000 * MS,
)


def codes(readings: Readings) -> list[str]:
    return [flag.code for flag in flags.judge(readings)]


def test_a_trial_of_several_seconds_has_no_flag() -> None:
    assert flags.judge(LONG) == []


def test_a_trial_of_55_ms_is_too_short_and_names_the_file_size_that_suffices() -> None:
    short = replace(
        LONG,
        block=2 * MIB,
        threads=8,
        bytes=20 * MB,
        operations=10,
        app_ns=54 * MS,
        durable_ns=55 * MS,
    )
    (flag,) = flags.judge(short)
    assert flag.code == "too_short"
    assert flag.rates == ("application", "durable")
    assert flag.evidence == (
        "The writes took 54.0 ms, and 55.0 ms with the sync; the minimum is one second. "
        "Files of 560 MB would suffice."
    )
    assert flag.figures["sufficient_file_size_bytes"] == 560 * MB
    assert flag.figures["measured_ns"] == 54 * MS


def test_writes_into_memory_are_too_short_only_for_the_application_rate() -> None:
    (flag,) = flags.judge(replace(LONG, app_ns=150 * MS, durable_ns=3_000 * MS))
    assert (flag.code, flag.rates) == ("too_short", ("application",))
    assert "without the sync took 150 ms" in flag.evidence
    assert flags.excluded([flag], "application")
    assert not flags.excluded([flag], "durable")


def test_a_read_has_one_rate() -> None:
    (flag,) = flags.judge(replace(LONG, app_ns=150 * MS, durable_ns=None))
    assert flag.rates == ("application",)
    assert flag.evidence.startswith("The trial took 150 ms")


def test_a_long_trial_of_a_few_huge_blocks_is_enough_for_one_thread() -> None:
    huge = replace(LONG, block=64 * MIB, operations=15, app_ns=25_000 * MS, durable_ns=None)
    assert codes(huge) == []
    assert codes(replace(huge, threads=8)) == ["too_short"]
    assert codes(replace(huge, operations=1)) == ["too_short"]


def test_too_few_operations_show_the_required_number() -> None:
    few = replace(LONG, block=64 * MIB, threads=8, operations=15, durable_ns=None)
    (flag,) = flags.judge(few)
    assert flag.evidence.startswith("15 operations on eight threads; the minimum is 70.")
    assert flag.figures["least_operations"] == 70


def test_a_short_time_limit_suggests_raising_it() -> None:
    cut = replace(LONG, status="timed_out", app_ns=300 * MS, durable_ns=400 * MS)
    short, timed_out = flags.judge(cut)
    assert (short.code, timed_out.code) == ("too_short", "timed_out")
    assert short.evidence.endswith("Raise the time limit.")
    assert "sufficient_file_size_bytes" not in short.figures
    assert timed_out.figures["bytes"] == cut.bytes


@given(
    rate=st.floats(1e3, 1e11),
    block=st.sampled_from([512, 4 * KIB, MIB, 64 * MIB]),
    threads=st.integers(1, 256),
    data=st.data(),
)
def test_a_file_of_the_size_that_suffices_is_not_too_short_at_that_rate(
    rate: float, block: int, threads: int, data: st.DataObject
) -> None:
    files = data.draw(st.integers(1, threads))
    size = sufficient_file_size(rate, block=block, threads=threads, files=files)
    total = size * files
    took = int(total * 1e9 / rate)
    assert took >= LEAST_NS
    assert total // block >= operations_needed(threads)
    run = replace(LONG, block=block, threads=threads, files=files, bytes=total)
    judged = replace(run, operations=total // block, app_ns=took, durable_ns=took)
    assert codes(judged) == []


def test_the_length_that_suffices_includes_the_ramp_up() -> None:
    """A ramp-up of 30 GB, and then half a second of 1 GB/s."""
    short = replace(
        LONG, sized_by="length", bytes=500_000_000, app_ns=LEAST_NS // 2, durable_ns=None
    )
    (flag,) = flags.judge(replace(short, ramp_bytes=30 * 10**9))
    assert "A length of 32.0 GB, ramp-up included, would suffice." in flag.evidence


def test_a_trial_that_ends_within_its_ramp_up_names_it() -> None:
    ended = replace(LONG, sized_by="length", bytes=0, operations=0, app_ns=0, durable_ns=None)
    (flag,) = flags.judge(replace(ended, ramp_bytes=10**8))
    assert flag.code == "too_short"
    assert "ended within its ramp-up. Use a shorter ramp-up" in flag.evidence


@pytest.mark.parametrize("code", ["contended", "suspended", "starved", "too_short"])
def test_flags_of_unreliable_figures_exclude_them(code: flags.FlagCode) -> None:
    assert flags.excluded([Flag(code, "", {})], "durable")


@pytest.mark.parametrize("code", ["timed_out", "cliff", "unstable"])
def test_flags_that_only_qualify_the_figure_do_not_exclude_it(code: flags.FlagCode) -> None:
    assert not flags.excluded([Flag(code, "", {})], "durable")


def test_a_cell_counts_the_trials_of_each_flag() -> None:
    short = flags.judge(replace(LONG, app_ns=150 * MS, durable_ns=150 * MS))
    found = flags.of_cell([short, [], short])
    assert [flag.code for flag in found] == ["too_short"]
    assert found[0].evidence.startswith("2 of 3 trials. The writes took 150 ms, and 150 ms with")
    assert (found[0].figures["flagged_trials"], found[0].figures["trials"]) == (2, 3)


def test_a_flag_of_different_rates_in_some_trials_is_counted_for_each_rate() -> None:
    both = flags.judge(replace(LONG, app_ns=150 * MS, durable_ns=150 * MS))
    one = flags.judge(replace(LONG, app_ns=150 * MS))
    found = flags.of_cell([one, both, one, []])
    assert [(flag.code, *flag.rates, flag.figures["flagged_trials"]) for flag in found] == [
        ("too_short", "durable", 1),
        ("too_short", "application", 3),
    ]


UNDISTURBED = {"late_ns": 0, "cpu_wait_ns": 0, "paused_ns": 0, "slept_ns": 0, "wall_jump_ns": 0}


@pytest.mark.parametrize(
    ("status", "read", "said"),
    [
        (
            "suspended",
            {"paused_ns": 72_000 * MS},
            "The probe did not run for 72.0 s: its process or its machine was stopped.",
        ),
        ("suspended", {"slept_ns": 3_000 * MS}, "The machine was suspended for 3.00 s."),
        (
            "suspended",
            {"wall_jump_ns": -5_000 * MS},
            "The wall clock jumped back by 5.00 s: the machine was paused, or its clock was set.",
        ),
        (
            "suspended",
            {"host_paused_ns": 9_000 * MS},
            "The host's clock fell behind the worker's by 9.00 s: its machine was paused.",
        ),
        (
            "starved",
            {"late_ns": 900 * MS, "cpu_wait_ns": 850 * MS},
            "The probe waited 850 ms for a CPU.",
        ),
        (
            "starved",
            {"cpu_lost_ns": 4_000 * MS, "throttled_ns": 3_500 * MS},
            "Its threads waited 4.00 s for CPUs used by other processes or withheld by a quota. "
            "The control group's quota stopped it for 3.50 s.",
        ),
    ],
)
def test_a_disturbance_is_described_and_excludes_the_figures(
    status: str, read: dict[str, int], said: str
) -> None:
    found = flags.judge(replace(LONG, status=status, disturbance=UNDISTURBED | read))
    assert [(flag.code, flag.evidence) for flag in found] == [(status, said)]
    assert flags.void(found)
    again = flags.judge(
        replace(LONG, status=status, disturbance=UNDISTURBED | read, attempts=3),
    )
    assert again[0].evidence == f"{said} It was tried 3 times."


def falls_after(seconds: int) -> list[HeldRate]:
    """Return 350 MB/s for this long, then 100 MB/s for 7 s, then 41 MB/s for 20 s."""
    return held_levels((350 * MB, seconds), (100 * MB, 7), (41 * MB, 20))


def test_a_cliff_names_all_levels_with_units() -> None:
    levels = falls_after(12)
    (flag,) = flags.judge(replace(LONG, levels=levels, levels_are_durable=True))
    assert (flag.code, flag.rates, flag.levels) == ("cliff", flags.BOTH, levels)
    assert flag.evidence == (
        "The rate changed for good: 350 MB/s for 12 s (4.20 GB), then 100 MB/s for 7.00 s "
        "(700 MB), then 41.0 MB/s."
    )
    assert flag.figures == {
        "changed_ns": 12_000 * MS,
        "levels": 3,
        "lowest_bytes_per_s": 41 * MB,
        "level_1_ns": 12_000 * MS,
        "level_1_bytes": 4200 * MB,
        "level_1_bytes_per_s": 350 * MB,
        "level_2_ns": 7_000 * MS,
        "level_2_bytes": 700 * MB,
        "level_2_bytes_per_s": 100 * MB,
        "level_3_ns": 20_000 * MS,
        "level_3_bytes": 820 * MB,
        "level_3_bytes_per_s": 41 * MB,
    }


def test_a_cliff_of_memory_affects_only_the_application_rate() -> None:
    (flag,) = flags.judge(replace(LONG, levels=falls_after(12)))
    assert flag.rates == ("application",)


def test_a_cells_cliff_is_the_median_of_its_trials() -> None:
    trials = [
        flags.judge(replace(LONG, levels=falls_after(seconds), levels_are_durable=True))
        for seconds in (30, 12, 10)
    ]
    (flag,) = flags.of_cell([*trials, []])
    assert flag.evidence.startswith("3 of 4 trials. The rate changed for good: 350 MB/s for 12 s")
    assert flag.figures["changed_ns"] == 12_000 * MS


def test_a_flag_of_several_participants_names_the_first_and_counts_them() -> None:
    short = flags.judge(replace(LONG, app_ns=150 * MS, durable_ns=150 * MS))
    names = {7: "web-1 /mnt/a", 8: "web-2 /mnt/a", 9: "web-3 /mnt/a"}
    (flag,) = flags.of_participants({7: [], 8: short, 9: short}, names)
    assert flag.participant_id == 8
    assert flag.evidence.startswith("2 of 3 participants. web-2 /mnt/a: The writes")
    assert (flag.figures["flagged_participants"], flag.figures["participants"]) == (2, 3)
    assert flag.figures["measured_ns"] == 150 * MS
    (of_cell,) = flags.of_cell([[flag], []])
    assert of_cell.participant_id == 8


def test_the_most_that_others_read_at_any_participant_is_kept() -> None:
    figures: dict[int, dict[str, float]] = {
        7: {"others_bytes": 1e9},  # of a card
        8: {"others_read_bytes": 0.0},
        9: {"others_read_bytes": 4e8},
    }
    found = {one: [flags.Flag("contended", "why", of)] for one, of in figures.items()}
    (flag,) = flags.of_participants(found, {7: "a", 8: "b", 9: "c"})
    assert flag.figures["others_read_bytes"] == 4e8
