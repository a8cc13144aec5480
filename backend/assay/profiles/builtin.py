"""The built-in profiles, stored in the database at every start.

A changed one becomes a new version of its slug; an unchanged one stays as it is.
"""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.kinds.fields import Cache
from assay.kinds.matrix.parameters import MatrixTest, Operation
from assay.profiles.models import Profile
from assay.profiles.schemas import ProfileBody, document

AUTHOR = "assay"

MB = 10**6
KIB = 2**10
MIB = 2**20

FILECATALYST_BLOCKS = [kib * KIB for kib in (64, 128, 256, 512, 1024, 2048, 4096)]
FILECATALYST_THREADS = [1, 2, 4, 6, 8]


@dataclass(frozen=True)
class Builtin:
    """A profile that is defined in the code."""

    slug: str
    name: str
    description: str
    body: ProfileBody


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
    """Files of twice what the best rate moves in a second, so that the time limit ends a trial.

    Each trial lasts a second, and all of them about a minute, on storage of any speed.
    """
    return MatrixTest(
        kind="matrix",
        operation=operation,
        title=title,
        block=[64 * KIB, 256 * KIB, MIB, 4 * MIB],
        threads=[1, 2],
        file_size="min(2 * rate, free / 10)",
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


BUILTINS: tuple[Builtin, ...] = (
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


def install(session: Session) -> None:
    """Store the built-in profiles in the database; does nothing if they are stored."""
    for builtin in BUILTINS:
        newest = session.scalar(
            select(Profile)
            .where(Profile.slug == builtin.slug)
            .order_by(Profile.version.desc())
            .limit(1)
        )
        body = document(builtin.body)
        told = (builtin.name, builtin.description, body)
        if newest and (newest.name, newest.description, newest.body) == told:
            continue
        session.add(
            Profile(
                slug=builtin.slug,
                version=newest.version + 1 if newest else 1,
                name=builtin.name,
                description=builtin.description,
                builtin=True,
                body=body,
                created_by=AUTHOR,
            )
        )
