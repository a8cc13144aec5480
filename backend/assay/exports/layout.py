"""The columns of an export: those of every kind, those of the chosen kinds, and labels at the end.

Names and order depend on the kinds and labels alone, never on the rows: files of the same kind can
be joined. They are documented in `docs/exports.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.kinds.export import ColumnType, ExportColumn
from assay.kinds.registry import KINDS
from assay.samples.columns import COLUMNS

MOST_LABELS = 200
"""Maximum number of label columns."""


@dataclass(frozen=True)
class TableColumn:
    """A column of an exported file."""

    name: str
    type: ColumnType


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

OF_TRIAL: tuple[TableColumn, ...] = (
    *_of("integer", "trial_id", "position", "repeat"),
    *_of("text", "cell"),
)

JUDGED: tuple[TableColumn, ...] = (
    *_of("integer", "participants"),
    *_of("text", "rules", "status", "reason"),
    *_of("integer", "attempts"),
    *_of("time", "trial_started_at"),
    *_of("text", "flags"),
)
"""What the result says of a trial of any kind."""

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
    def of_kinds(self) -> list[ExportColumn]:
        """The columns that the kinds add, each name once."""
        return _once([one for kind in self.kinds for one in KINDS[kind].export_columns])

    @property
    def parameters(self) -> list[ExportColumn]:
        """The parameters among them."""
        return [one for one in self.of_kinds if one.is_parameter]

    def trials(self) -> list[TableColumn]:
        """Return the columns of rows of trials."""
        return [*OF_RUN, *OF_PLACE, *OF_TRIAL, *JUDGED, *_plain(self.of_kinds), *self._labels]

    def samples(self) -> list[TableColumn]:
        """Return the columns of rows of samples."""
        readings = _of("integer", *READINGS)
        own = [*OF_RUN, *OF_PLACE, *OF_TRIAL, *_plain(self.parameters), *self._labels]
        return [*own, *OF_ATTEMPT, *readings]

    @property
    def _labels(self) -> list[TableColumn]:
        return _of("text", *(f"label_{key}" for key in self.labels))


def _once(columns: Sequence[ExportColumn]) -> list[ExportColumn]:
    """Return the first column of each name; the kinds read theirs by name."""
    found: dict[str, ExportColumn] = {}
    for one in columns:
        found.setdefault(one.name, one)
    return list(found.values())


def _plain(columns: Sequence[ExportColumn]) -> list[TableColumn]:
    return [TableColumn(one.name, one.type) for one in columns]
