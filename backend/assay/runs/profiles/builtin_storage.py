"""The built-in profiles that write to and read from targets."""

from dataclasses import dataclass
from typing import Literal

from assay.kinds.fields import Cache
from assay.kinds.matrix.parameters import MatrixTest, Operation
from assay.kinds.sustained.parameters import SustainedTest
from assay.kinds.sustained.presets import DPX_4K_FRAME
from assay.runs.profiles.schemas import ProfileBody

MB = 10**6
GB = 10**9
TB = 10**12
KIB = 2**10
MIB = 2**20


@dataclass(frozen=True)
class Builtin:
    """A profile that is defined in the code."""

    slug: str
    name: str
    description: str
    body: ProfileBody


DAY_MS = 86_400_000
"""Watch deadline of sustained tests: neither an upgrade nor a night ends them."""

OWL_BUFFER = 800_000
OWL_QUANTUM_NS = 15_625_000
"""The tick of Owl's clock, to which its delays were rounded up."""

FILECATALYST_BLOCKS = [kib * KIB for kib in (64, 128, 256, 512, 1024, 2048, 4096)]
FILECATALYST_THREADS = [1, 2, 4, 6, 8]


def _calibration(operation: Operation, title: str) -> MatrixTest:
    return MatrixTest(
        kind="matrix",
        operation=operation,
        title=title,
        block=[4 * MIB],
        threads=[2],
        file_size="min(128 MB, free / 10)",
        cache="direct_if_real",
        timeout_ms=1000,
        sync_timeout_ms=30_000,
        repeats=3,
        sample_ms=100,
    )


def _first_look(operation: Operation, title: str) -> MatrixTest:
    """Files of five times what the best rate moves in a second: the time limit ends a trial.

    So each trial lasts a second, and all of them about a minute, on storage of any speed. Cells
    reach three times the rate of the calibration, whose trials are short on fast storage; a larger
    file would take long to write for the reads. With little free space a file is a tenth of it,
    and a fast trial may end earlier.
    """
    return MatrixTest(
        kind="matrix",
        operation=operation,
        title=title,
        block=[64 * KIB, 256 * KIB, MIB, 4 * MIB],
        threads=[1, 2],
        file_size="min(5 * rate, free / 10)",
        cache="direct_if_real",
        timeout_ms=1100,
        sync_timeout_ms=30_000,
        repeats=3,
        sample_ms=100,
    )


def _filecatalyst(operation: Operation, title: str) -> MatrixTest:
    return MatrixTest(
        kind="matrix",
        operation=operation,
        title=title,
        block=FILECATALYST_BLOCKS,
        threads=FILECATALYST_THREADS,
        file_size=500 * MB,
        cache="page",  # its open mode rw is served by the page cache
        open_mode="rw",
        timeout_ms=60_000,
        repeats=5,
    )


def _single_file(operation: Operation, cache: Cache, title: str) -> MatrixTest:
    return MatrixTest(
        kind="matrix",
        operation=operation,
        title=title,
        block=[kib * KIB for kib in (64, 256, 1024, 4096)],
        threads=[1, 2],
        file_size="2 * ram",
        cache=cache,
        timeout_ms=1_800_000,
        sync_timeout_ms=1_800_000,
        repeats=3,
    )


def _owl(line: str, buffers: int, delay_ms: int) -> Builtin:
    """Owl's createfiles: bursts of 800 KB buffers, unbuffered, 100 GB."""
    return Builtin(
        f"owl-{line.lower()}",
        f"Owl {line}",
        f"Owl's createfiles for {line}: {buffers} x 800 KB each {delay_ms} ms on a clock of "
        "15.6 ms, 100 GB, direct I/O if it is supported.",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    title=f"Owl {line}",
                    length=100 * 10**9,
                    block=[OWL_BUFFER],
                    pace="burst",
                    burst_blocks=[buffers],
                    gap_ns=delay_ms * MB,
                    quantum_ns=OWL_QUANTUM_NS,
                )
            ],
            watch_ms=DAY_MS,
        ),
    )


def _terabyte(cache: Cache, title: str) -> SustainedTest:
    return SustainedTest(
        kind="sustained", title=title, length=TB, block=[OWL_BUFFER], cache=[cache]
    )


def _random(operation: Literal["read", "write", "mixed"], title: str) -> SustainedTest:
    return SustainedTest(
        kind="sustained",
        operation=operation,
        access="random",
        title=title,
        length="1 min",
        ramp_ms=5000,
        block=[4096],
        file_size="min(10 GB, free / 10)",
        engine="io_uring",
        queue_depth=[1, 8, 32],
    )


SUSTAINED: tuple[Builtin, ...] = (
    _owl("OC-3", 1, 40),
    _owl("OC-12", 6, 50),
    _owl("Gigabit", 12, 50),
    Builtin(
        "1-tb-buffered-against-direct",
        "1 TB buffered against direct",
        "1 TB as fast as possible, direct and through the page cache. Compare the two runs: does "
        "either slow down once memory is full?",
        ProfileBody(
            tests=[_terabyte("direct", "Direct"), _terabyte("page", "Buffered")],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "10-gbps-for-an-hour",
        "10 Gb/s for an hour",
        "Does the storage hold the line rate of 10 Gb/s (1250 MB/s) for an hour? A ring of files "
        "of twice the memory is overwritten.",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    title="10 Gb/s",
                    length="1 h",
                    block=[4 * MIB],
                    file_mode="ring",
                    file_size="max(ram / 2, 1 GB)",
                    ring_files=4,
                    pace="rate",
                    rate_bytes_per_s=[1_250_000_000],
                )
            ],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "4k-dpx-24-fps-ingest",
        "4K DPX 24 fps ingest",
        "A file per frame of 35.4 MB (4096 x 2160, 10-bit RGB), 24 per second, for ten minutes: "
        "849 MB/s.",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    title="4K DPX 24 fps",
                    length="10 min",
                    block=[DPX_4K_FRAME],
                    file_mode="sequence",
                    file_size=DPX_4K_FRAME,
                    pace="rate",
                    rate_bytes_per_s=[24 * DPX_4K_FRAME],
                )
            ],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "ingest-and-playout-4k-dpx-24-fps",
        "Ingest and playout, 4K DPX 24 fps",
        "Writes and reads 24 frames of 35.4 MB (4096 x 2160, 10-bit RGB) per second at the same "
        "time for ten minutes: 849 MB/s in each direction, in two rings of twice the memory.",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    operation="both",
                    title="Ingest and playout",
                    length="10 min",
                    block=[DPX_4K_FRAME],
                    file_mode="ring",
                    file_size="max(ram / 2, 1 GB)",
                    ring_files=4,
                    pace="rate",
                    rate_bytes_per_s=[24 * DPX_4K_FRAME],
                )
            ],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "burst-sweep",
        "Burst sweep",
        "Bursts of 1 to 16 buffers of 800 KB with a gap of 16 ms, 10 GB each: the sweet spot is "
        "the highest rate whose peak write time stays below 100 ms.",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    title="Burst sweep",
                    length="min(10 GB, free / 10)",
                    block=[OWL_BUFFER],
                    pace="burst",
                    burst_blocks=[1, 2, 3, 4, 6, 8, 12, 16],
                    gap_ns=16 * MB,
                )
            ],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "cache-recovery",
        "Cache recovery",
        "As much as fills a write cache, again and again, after rests of up to five minutes: how "
        "long must the storage rest until it is as fast as before?",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    title="Write after a rest",
                    length="min(100 GB, free / 4)",
                    idle_ms=[0, 5000, 15_000, 60_000, 300_000],
                )
            ],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "random-4-kib-queue-depth-1-to-32",
        "Random 4 KiB, queue depth 1 to 32",
        "How many operations per second, and how long each takes, at queue depths of 1, 8 and 32: "
        "random reads, writes, and 70 % reads, a minute each over a working set of 10 GB.",
        ProfileBody(
            tests=[
                _random("read", "Random read"),
                _random("write", "Random write"),
                _random("mixed", "Random, 70 % reads"),
            ],
            watch_ms=DAY_MS,
        ),
    ),
    Builtin(
        "snia-style-sequential-write",
        "SNIA-style sequential write",
        "128 KiB writes for 25 rounds of 60 s after the files were written twice, judged by SNIA's "
        "steady-state rule. It conforms to the specification, within its files, only if you purge "
        "the device before and declare it at the launch.",
        ProfileBody(
            tests=[
                SustainedTest(
                    kind="sustained",
                    title="Sequential write",
                    length="25 min",
                    block=[128 * KIB],
                    file_mode="ring",
                    file_size="max(ram / 2, 1 GB)",
                    ring_files=4,
                    precondition_passes=2,
                )
            ],
            watch_ms=DAY_MS,
        ),
    ),
)

MATRIX: tuple[Builtin, ...] = (
    Builtin(
        "calibration",
        "Calibration",
        "Three short writes and reads of one setting: their rate sizes the files of First look.",
        ProfileBody(
            tests=[
                _calibration("write", "Calibration write"),
                _calibration("read", "Calibration read"),
            ],
            watch_ms=600_000,
        ),
    ),
    Builtin(
        "first-look",
        "First look",
        "Write, then read, in about a minute: O_DIRECT if it is supported, else the page cache. "
        "If nothing was measured yet, launch Calibration first.",
        ProfileBody(
            tests=[_first_look("write", "Write"), _first_look("read", "Read")], watch_ms=600_000
        ),
    ),
    Builtin(
        "filecatalyst-default-write",
        "FileCatalyst default write",
        "The matrix of FileCatalyst's -testIO with its defaults: 500 MB files, five repeats.",
        ProfileBody(tests=[_filecatalyst("write", "Write matrix")]),
    ),
    Builtin(
        "filecatalyst-default-read",
        "FileCatalyst default read",
        "The matrix of FileCatalyst's -testReadIO with its defaults: 500 MB files, five repeats.",
        ProfileBody(tests=[_filecatalyst("read", "Read matrix")]),
    ),
    Builtin(
        "10-gbps-single-file",
        "10 Gb/s single file",
        "Can this storage carry 1250 MB/s of one file? The file is twice the memory; direct and "
        "page cache.",
        ProfileBody(
            tests=[
                _single_file("write", "direct", "Direct write"),
                _single_file("write", "page", "Page cache write"),
                _single_file("read", "direct", "Direct read"),
                _single_file("read", "page", "Page cache read"),
            ]
        ),
    ),
)
