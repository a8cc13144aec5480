"""Whether the files of a campaign fit beside the reserve, with the figures if not. Pure.

The runs of one host, and those on one shared array, go one after the other and take their files
away: of them the largest counts. Hosts that reach one file system fill it together.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from assay.analysis.words import size as bytes_in_words
from assay.campaigns.planned import PlannedRun
from assay.field_errors import FieldError

_FREE = "free space and check the host again."


def lacking_space(
    runs: Sequence[PlannedRun], size_field: Callable[[PlannedRun], str]
) -> list[FieldError]:
    """What does not fit by itself, and what does not fit together."""
    problems: list[FieldError] = []
    together: defaultdict[str, list[PlannedRun]] = defaultdict(list)
    full: set[str | None] = set()
    for run in runs:
        name = run.place.shared_file_system
        if lack := _missing(run.peak_bytes, [run]):
            problems.append(_refuse_alone(run, lack, size_field(run)))
            full.add(name)
        if name is not None:
            together[name].append(run)
    for name, group in together.items():
        if name not in full:
            problems.extend(_refuse_together(name, group))
    return problems


def _missing(needed: int, runs: Iterable[PlannedRun]) -> int:
    """Bytes that are missing on the file system of these runs, as any of its hosts saw it."""
    return max(0, *(needed + run.place.reserve_bytes - run.place.free_bytes for run in runs))


def _refuse_alone(run: PlannedRun, lack: int, size_field: str) -> FieldError:
    message = f"{run.name} needs {bytes_in_words(run.peak_bytes)} at once; {_left(run, lack)}"
    return FieldError(size_field, message, f"Take smaller files, or {_FREE}", run.test.file_size)


def _refuse_together(name: str, runs: Sequence[PlannedRun]) -> Iterator[FieldError]:
    largest: defaultdict[str, int] = defaultdict(int)
    for run in runs:
        turns = run.place.resources[-1]
        largest[turns] = max(largest[turns], run.peak_bytes)
    needed = sum(largest.values())
    if lack := _missing(needed, runs):
        tightest = max(runs, key=lambda run: run.place.reserve_bytes - run.place.free_bytes)
        message = (
            f"runs of {len(largest)} hosts at the same time need {bytes_in_words(needed)} on the "
            f"one file system {name}; {_left(tightest, lack)}"
        )
        yield FieldError("target_ids", message, f"Take fewer hosts, smaller files, or {_FREE}")


def _left(run: PlannedRun, lack: int) -> str:
    return (
        f"{bytes_in_words(run.place.free_bytes)} are free, of which "
        f"{bytes_in_words(run.place.reserve_bytes)} are kept in reserve: "
        f"{bytes_in_words(lack)} are missing"
    )
