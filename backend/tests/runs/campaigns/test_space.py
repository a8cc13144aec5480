"""Lack of space of single runs and of runs together."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from assay.kinds.matrix.estimate import PlannedMatrix
from assay.kinds.matrix.parameters import MatrixParameters, MatrixTest
from assay.kinds.planning import Place, PlannedRun, free_for_each
from assay.runs.campaigns.estimate import lacking_space

GB = 10**9

NAS = Place(
    target_id=1,
    host_id=1,
    host_name="web-1",
    path="/mnt/a",
    fs_type="nfs4",
    provable=False,
    free_bytes=100 * GB,
    free_at=datetime(2026, 11, 21, tzinfo=UTC),
    reserve_bytes=10 * GB,
    ram=None,
    cpus=None,
    direct="real",
    alignment=None,
)
TEST = MatrixTest(
    kind="matrix",
    operation="write",
    title="Write",
    block=[65536],
    threads=[1],
    files=1,
    file_size=40 * GB,
)


def run(place: Place, size: int = 40 * GB, number: int = 0) -> PlannedRun:
    cell = MatrixParameters(kind="matrix", block=65536, threads=1, files=1, file_size=size)
    return PlannedMatrix(place, number, size, TEST, (cell,), "page")


def host(number: int, **changes: Any) -> Place:
    return replace(NAS, target_id=number, host_id=number, **changes)


def problems(*runs: PlannedRun) -> list[tuple[str, str]]:
    found = lacking_space([[one] for one in runs], lambda one: f"tests.{one.number}.file_size")
    return [(problem.field, problem.message) for problem in found]


def test_the_space_of_sequential_runs_is_not_added_up() -> None:
    assert problems(*(run(host(number)) for number in range(5))) == []


def test_participants_of_one_run_on_one_file_system_need_the_space_of_all() -> None:
    ext4 = frozenset({"file_system:1"})
    both = [run(replace(host(number), file_systems=ext4)) for number in (1, 2, 3)]
    assert [one.field for one in lacking_space([both], lambda _: "file_size")] == ["file_size"] * 3
    apart = [run(replace(host(n), file_systems=frozenset({f"fs:{n}"}))) for n in (1, 2, 3)]
    assert lacking_space([apart], lambda _: "file_size") == []


def test_partitions_of_one_disk_have_free_space_of_their_own() -> None:
    disk = {"device:1": "the disk sda of web-1"}
    parts = [
        run(
            replace(host(1), target_id=number, needs=disk, file_systems=frozenset({f"fs:{number}"}))
        )
        for number in (1, 2, 3)
    ]
    assert lacking_space([parts], lambda _: "file_size") == []
    assert free_for_each([one.place for one in parts]) == 100 * GB
    assert free_for_each([parts[0].place, parts[0].place, parts[1].place]) == 50 * GB


def test_runs_of_one_host_are_sequential_on_any_target() -> None:
    both = [replace(host(1), target_id=target) for target in (1, 2)]
    assert problems(*(run(place, number=n) for place in both for n in range(3))) == []


def test_a_run_that_does_not_fit_by_itself_is_rejected_once() -> None:
    ((field, message),) = problems(run(host(1), 95 * GB), run(host(2)))
    assert field == "tests.0.file_size"
    assert message.startswith("Write on web-1 /mnt/a needs 95.0 GB; ")
    assert message.endswith(
        "needs 95.0 GB; 100 GB are free, and the target's reserved space of 10.0 GB is not used: "
        "5.00 GB are missing"
    )


def test_the_remedy_for_lack_of_space_asks_for_a_new_check() -> None:
    runs = [run(host(1), 95 * GB)]
    (problem,) = lacking_space([[one] for one in runs], lambda one: f"tests.{one.number}.file_size")
    assert problem.remedy == (
        "Use smaller files, reduce the target's reserved space (reserve_bytes), or free space and "
        "check the host again."
    )


def test_directories_of_one_file_system_need_its_space_together() -> None:
    mounted = frozenset({"1 tmpfs /mnt"})
    tmpfs = [replace(host(1), target_id=n, file_systems=mounted) for n in (1, 2)]
    both = [run(place, 50 * GB) for place in tmpfs]
    assert len(lacking_space([both], lambda _: "file_size")) == 2
    # other mounts of the same source, and equal names on another host, are other file systems
    elsewhere = replace(host(1), target_id=3, file_systems=frozenset({"1 tmpfs /srv"}))
    other_host = host(2, file_systems=frozenset({"2 tmpfs /mnt"}))
    for other in (elsewhere, other_host):
        apart = [run(tmpfs[0], 50 * GB), run(other, 50 * GB)]
        assert lacking_space([apart], lambda _: "file_size") == []
