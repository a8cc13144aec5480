"""The built-in profiles that move data from a source to a sink."""

from assay.kinds.path.parameters import PathTest
from assay.kinds.records.parameters import RecordsTest, SinkChoice
from assay.kinds.tool.parameters import ToolTest
from assay.runs.profiles.builtin_storage import GB, Builtin
from assay.runs.profiles.schemas import ProfileBody


def _records(sink: SinkChoice, title: str) -> RecordsTest:
    """K2HFTFUSE's measurement: 20 s are dropped, the next 100 s count, three times each length."""
    return RecordsTest(kind="records", title=title, record_bytes=[10, 1024, 4096], sink=sink)


def _memory_to_memory(title: str, *, full_duplex: bool) -> PathTest:
    return PathTest(
        kind="path",
        title=title,
        legs=["memory"],
        length=GB,
        duration_ms=12_000,
        ramp_ms=2000,
        full_duplex=full_duplex,
    )


TRANSFERS: tuple[Builtin, ...] = (
    Builtin(
        "fdt-disk-to-disk",
        "FDT disk to disk",
        "FDT's transfer between two hosts: from the source's disks to the sink's, a thread for "
        "each physical disk, four TCP streams, three times, each timed to the final sync. With "
        "several disks, select a directory on each, as many on both sides; a scale-out shows the "
        "gain of each.",
        ProfileBody(
            tests=[
                PathTest(
                    kind="path",
                    title="Disk to disk",
                    legs=["disk"],
                    length="min(2 * ram, free / 4)",
                )
            ]
        ),
    ),
    Builtin(
        "fdt-memory-to-memory",
        "FDT memory to memory",
        "FDT's transfer without disks: what the network and both hosts carry with 1, 2, 4 and 8 "
        "TCP streams, ten seconds each after two of ramp-up.",
        ProfileBody(
            tests=[
                PathTest(
                    kind="path",
                    title="Memory to memory",
                    legs=["memory"],
                    length=GB,
                    duration_ms=12_000,
                    ramp_ms=2000,
                    streams=[1, 2, 4, 8],
                )
            ]
        ),
    ),
    Builtin(
        "mesh",
        "Mesh",
        "What the network carries from each host to each other one: launch it with the arrangement "
        "mesh. Ten seconds for each direction of each pair after two of ramp-up, three times.",
        ProfileBody(
            tests=[
                PathTest(
                    kind="path",
                    title="Memory to memory",
                    legs=["memory"],
                    length=GB,
                    duration_ms=12_000,
                    ramp_ms=2000,
                )
            ]
        ),
    ),
    Builtin(
        "full-duplex",
        "Full duplex",
        "What the network carries from source to sink, and then in both directions at the same "
        "time: ten seconds each after two of ramp-up, three times. Compare the two runs.",
        ProfileBody(
            tests=[
                _memory_to_memory("One way", full_duplex=False),
                _memory_to_memory("Full duplex", full_duplex=True),
            ]
        ),
    ),
    Builtin(
        "path-with-bottleneck",
        "Path with bottleneck",
        "Reading the source, the network, writing the sink, and all of them together: which part "
        "limits a transfer, with the evidence.",
        ProfileBody(
            tests=[
                PathTest(
                    kind="path",
                    title="Path",
                    length="min(2 * ram, free / 4)",
                    duration_ms=12_000,
                    ramp_ms=2000,
                )
            ]
        ),
    ),
    Builtin(
        "small-files-beside-large-ones",
        "Small files beside large ones",
        "10,000 files of 4 KiB among 4 GB of large files: how many a second the source opens, the "
        "network carries and the sink creates, and whether their cost or the disks limit it.",
        ProfileBody(
            tests=[
                PathTest(
                    kind="path",
                    title="Small and large files",
                    length="min(4 GB, free / 4)",
                    small_files=10_000,
                    small_file_bytes=4096,
                    duration_ms=12_000,
                    ramp_ms=2000,
                )
            ]
        ),
    ),
    Builtin(
        "k2hftfuse-records",
        "K2HFTFUSE records",
        "Records of 10, 1024 and 4096 bytes from all senders into one file, batched by 10,000 "
        "records or 10 s; then into memory, which shows whether the disk is the limit.",
        ProfileBody(tests=[_records("as_chosen", "To a file"), _records("memory", "To memory")]),
    ),
    Builtin(
        "three-to-one",
        "Three to one",
        "Records of 1 KiB from several senders into one file, in a minute and a half: the rate "
        "of all, the share of each sender, and whether every record arrived. Select three sources.",
        ProfileBody(
            tests=[
                RecordsTest(
                    kind="records",
                    title="Three to one",
                    record_bytes=[1024],
                    warm_up_ms=5000,
                    window_ms=20_000,
                )
            ]
        ),
    ),
    Builtin(
        "rsync-against-assay",
        "rsync against Assay",
        "The same number of bytes by Assay's own engine and by rsync over ssh, from a cold source "
        "and timed to the final sync, three times each. Compare the two runs.",
        ProfileBody(
            tests=[
                PathTest(
                    kind="path",
                    title="Assay",
                    legs=["disk"],
                    length="min(20 GB, free / 4)",
                    source_cache="page",
                    sink_cache="page",
                ),
                ToolTest(
                    kind="tool",
                    title="rsync",
                    tools=["rsync-ssh"],
                    length="min(20 GB, free / 4)",
                    files=[16],
                ),
            ]
        ),
    ),
)
