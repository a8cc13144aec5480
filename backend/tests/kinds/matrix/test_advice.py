"""The recommendation of a matrix in words."""

from kinds.matrix.test_matrix import KIB, build, changed, measured, recommended, repeated


def test_it_names_the_setting_its_rate_and_that_it_is_the_best() -> None:
    found = build("write", "rw", repeated(256 * KIB, 1, 1.39e9))
    assert (
        recommended(found.advice.durable)
        == "one writer with 256 KiB blocks reaches 1.39 GB/s: the best cell."
    )


def test_of_a_read_it_names_readers() -> None:
    trial = changed(measured(256 * KIB, 2, 695e6), durable_bytes_per_s=None, durable_served_by=None)
    found = build("read", "rw", [trial])
    assert recommended(found.advice.application) == (
        "two readers with 256 KiB blocks reach 1.39 GB/s: the best cell."
    )


def test_it_applies_to_each_of_several_targets() -> None:
    found = build("write", "rw", repeated(256 * KIB, 1, 1.39e9), participants=2)
    assert recommended(found.advice.durable) == (
        "one writer with 256 KiB blocks on each of two targets reaches 1.39 GB/s in total: "
        "the best cell."
    )
