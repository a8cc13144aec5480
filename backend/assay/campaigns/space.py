"""Whether the files of a campaign fit beside the reserved space. Pure.

Runs that use the same file system run one after the other and remove their files, so each must fit
on its own.
"""

from collections.abc import Callable, Sequence

from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.planning import PlannedRun

_FREE = "free space and check the host again."


def lacking_space(
    runs: Sequence[PlannedRun], size_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """Describe the lack of space. Runs on one file system are sequential: each must fit alone."""
    return [
        _refuse(run, lack, size_field(run))
        for run in runs
        if (lack := max(0, run.peak_bytes + run.place.reserve_bytes - run.place.free_bytes))
    ]


def _refuse(run: PlannedRun, lack: int, size_field: str) -> FieldError:
    message = f"{run.name} needs {bytes_in_words(run.peak_bytes)} at once; {_left(run, lack)}"
    return FieldError(size_field, message, f"Take smaller files, or {_FREE}", run.file_size_asked)


def _left(run: PlannedRun, lack: int) -> str:
    return (
        f"{bytes_in_words(run.place.free_bytes)} are free, of which "
        f"{bytes_in_words(run.place.reserve_bytes)} are kept in reserve: "
        f"{bytes_in_words(lack)} are missing"
    )
