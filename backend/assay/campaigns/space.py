"""Whether the files of a campaign fit beside the reserved space. Pure.

Runs that use the same file system run one after the other and remove their files, so each must fit
on its own. Participants of one run have their files at the same time.
"""

from collections.abc import Callable, Sequence

from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.planning import PlannedRun

_FREE = "free space and check the host again."


def lacking_space(
    runs: Sequence[Sequence[PlannedRun]], size_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """Describe the lack of space of runs, each the plans of its participants."""
    return [
        _refuse(part, lack, size_field(part))
        for run in runs
        for part in run
        if (lack := max(0, _peak(part, run) + part.place.reserve_bytes - part.place.free_bytes))
    ]


def _peak(part: PlannedRun, run: Sequence[PlannedRun]) -> int:
    """Return the most bytes at once on the disks of a participant, with those of its siblings."""
    disks = {name for name in part.place.needs if name.startswith("device:")}
    return sum(
        other.peak_bytes for other in run if other is part or disks & other.place.needs.keys()
    )


def _refuse(run: PlannedRun, lack: int, size_field: str) -> FieldError:
    message = f"{run.name} needs {bytes_in_words(run.peak_bytes)} at once; {_left(run, lack)}"
    return FieldError(size_field, message, f"Take smaller files, or {_FREE}", run.file_size_asked)


def _left(run: PlannedRun, lack: int) -> str:
    return (
        f"{bytes_in_words(run.place.free_bytes)} are free, of which "
        f"{bytes_in_words(run.place.reserve_bytes)} are kept in reserve: "
        f"{bytes_in_words(lack)} are missing"
    )
