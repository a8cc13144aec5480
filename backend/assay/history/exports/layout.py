"""The columns of an export: those of every kind, those of the chosen kinds, and labels at the end.

Names and order depend on the kinds and labels alone, never on the rows: files of the same kind can
be joined. They are documented in `docs/exports.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.kinds.export import JUDGED, OF_TRIAL, ColumnType, ExportColumn, TableColumn
from assay.kinds.registry import KINDS
from assay.runs.samples.columns import COLUMNS

MOST_LABELS = 200
"""Maximum number of label columns."""


def _of(type_: ColumnType, *names: str) -> list[TableColumn]:
    return [TableColumn(name, type_) for name in names]


OF_RUN: tuple[TableColumn, ...] = (
    *_of("integer", "campaign_id"),
    *_of("text", "campaign", "profile"),
    *_of("integer", "profile_version"),
    *_of("text", "reference"),
    *_of("integer", "run_id"),
    *_of("text", "test", "kind", "run_state", "verdict"),
    *_of("time", "launched_at", "run_started_at", "run_ended_at"),
)
"""What all rows of a run have in common; `verdict` and `rules` are of its stored result."""

OF_PLACE: tuple[TableColumn, ...] = (*_of("text", "role", "host", "target", "array"),)
"""Where it was measured; of a trial of several participants, each different value once."""

OF_ATTEMPT: tuple[TableColumn, ...] = (
    *_of("integer", "participant_id", "attempt"),
    *_of("text", "attempt_status"),
    *_of("boolean", "deciding"),
    *_of("time", "sampled_at"),
    *_of("integer", "t_ns"),
    *_of("text", "phase"),
    *_of("number", "bytes_per_s"),
)
"""What a sample has beside the readings of the probe."""

READINGS: tuple[str, ...] = tuple(
    one.name for one in COLUMNS if one.name not in ("phase", "end_ns")
)
"""The readings of the probe, as recorded: each is of the interval that ends with the sample."""


@dataclass(frozen=True)
class ExportLayout:
    """The columns of one export: of these kinds, with the labels of these keys."""

    kinds: Sequence[str]
    labels: Sequence[str]

    @property
    def of_trials(self) -> list[ExportColumn]:
        """The columns of a trial of any of the kinds, each name once."""
        of_kinds = (one for kind in self.kinds for one in KINDS[kind].export_columns)
        return _once([*OF_TRIAL, *JUDGED, *of_kinds])

    @property
    def parameters(self) -> list[ExportColumn]:
        """Those among them that need no result."""
        return [one for one in self.of_trials if one.is_parameter]

    def trials(self) -> list[TableColumn]:
        """Return the columns of rows of trials."""
        return [*OF_RUN, *OF_PLACE, *self.of_trials, *self._labels]

    def samples(self) -> list[TableColumn]:
        """Return the columns of rows of samples."""
        readings = _of("integer", *READINGS)
        return [*OF_RUN, *OF_PLACE, *self.parameters, *self._labels, *OF_ATTEMPT, *readings]

    @property
    def _labels(self) -> list[TableColumn]:
        return _of("text", *(f"label_{key}" for key in self.labels))


def _once(columns: Sequence[ExportColumn]) -> list[ExportColumn]:
    """Return the first column of each name; the kinds read theirs by name."""
    found: dict[str, ExportColumn] = {}
    for one in columns:
        found.setdefault(one.name, one)
    return list(found.values())
