"""Whether the files of a campaign fit in the free space minus the reserve, and the inodes. Pure.

Runs on the same file system take place one after the other and remove their files, so each must fit
by itself. The files of all participants of a run exist at the same time.
"""

from collections.abc import Callable, Sequence

from assay.analysis.words import size as bytes_in_words
from assay.http.field_errors import FieldError
from assay.kinds.planning import MEASURE_FIRST, PlannedRun

_FREE = "free space and check the host again."
_INODES = "some and check the host again."


def lacking_space(
    runs: Sequence[Sequence[PlannedRun]], size_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """Return an error for each participant without enough space; a run is a list of their plans."""
    return [
        _refuse(part, peak, lack, size_field(part))
        for run in runs
        for part in run
        if (peak := joint_peak_bytes(part, run))
        if (lack := max(0, peak + part.place.reserve_bytes - part.place.free_bytes))
    ]


def lacking_inodes(
    runs: Sequence[Sequence[PlannedRun]], inodes_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """Return an error for each participant without enough inodes, as far as they are known."""
    found: list[FieldError] = []
    for run in runs:
        for part in run:
            free = part.place.free_inodes
            shared = [one for one in run if part.place.shares_space(one.place)]
            needed = sum(one.peak_inodes for one in shared)
            if not part.peak_inodes or free is None or needed <= free:
                continue
            field = inodes_field(part)
            message = f"{part.name} needs {needed:,} inodes; {free:,} are free"
            remedy = f"Use fewer files, a file system with more inodes, or free {_INODES}"
            value = part.parameters[part.inodes_field]
            found.append(FieldError(field, message, remedy, value))
    return found


def joint_peak_bytes(part: PlannedRun, run: Sequence[PlannedRun]) -> int:
    """Return the peak usage of a participant's file system, including that of its siblings."""
    return sum(other.peak_bytes for other in run if part.place.shares_space(other.place))


def _refuse(run: PlannedRun, peak: int, lack: int, size_field: str) -> FieldError:
    rate = run.sizing_rate
    estimated = f" {rate.words}" if rate else ""
    message = f"{run.name} needs {bytes_in_words(peak)}{estimated}; {_left(run, lack)}"
    reduced = "reduce the target's reserved space (reserve_bytes), " * bool(run.place.reserve_bytes)
    first = f"{MEASURE_FIRST}, use" if rate and not rate.measured_bytes_per_s else "Use"
    remedy = f"{first} {run.less_space}, {reduced}or {_FREE}"
    return FieldError(size_field, message, remedy, run.file_size_asked)


def _left(run: PlannedRun, lack: int) -> str:
    return (
        f"{bytes_in_words(run.place.free_bytes)} are free, and the target's reserved space of "
        f"{bytes_in_words(run.place.reserve_bytes)} is not used: "
        f"{bytes_in_words(lack)} are missing"
    )
