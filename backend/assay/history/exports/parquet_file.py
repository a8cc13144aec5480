"""Rows as Parquet, in row groups of bounded size. pyarrow is an optional dependency."""

import importlib
import importlib.util
import io
from collections.abc import Iterator, Sequence
from typing import Any

from assay.base.errors import Problem
from assay.kinds.export import Row, TableColumn

MEDIA_TYPE = "application/vnd.apache.parquet"

GROUP = 50_000
"""Rows per group, which is held in memory: about 20 MB of samples."""


class NoParquet(Problem):
    """The installation has no pyarrow."""

    status, code, title = 501, "no_parquet", "Parquet is not installed"

    def __init__(self) -> None:
        """Name the package, and the format without it."""
        super().__init__(
            "This installation cannot write Parquet because pyarrow is missing.",
            "Install it on the appliance with `pip install 'assay[parquet]'`, or use format=csv.",
        )


BATCH = 1000
"""Rows that are converted at once: a few at a time would take many times the space."""


def is_available() -> bool:
    """Return whether Parquet can be written."""
    return importlib.util.find_spec("pyarrow") is not None


def written(columns: Sequence[TableColumn], batches: Iterator[Sequence[Row]]) -> Iterator[bytes]:
    """Yield the file in parts, a part per row group."""
    pa: Any = importlib.import_module("pyarrow")  # it has no types
    pq: Any = importlib.import_module("pyarrow.parquet")
    types: dict[str, Any] = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([(column.name, types[column.type]) for column in columns])
    sink = _Sink()
    writer = pq.ParquetWriter(sink, schema, compression="zstd")
    held: list[Any] = []
    count = 0
    for rows in _joined(batches):
        arrays: list[Any] = [
            pa.array(values, type=field.type)
            for values, field in zip(zip(*rows, strict=True), schema, strict=True)
        ]
        held.append(pa.record_batch(arrays, schema=schema))
        count += len(rows)
        if count >= GROUP:
            writer.write_table(pa.Table.from_batches(held, schema))
            held, count = [], 0
            yield sink.taken()
    if held:
        writer.write_table(pa.Table.from_batches(held, schema))
    writer.close()
    yield sink.taken()


def _joined(batches: Iterator[Sequence[Row]]) -> Iterator[Sequence[Row]]:
    """Yield the rows of small batches together, `BATCH` or more at once except for the last."""
    found: list[Row] = []
    for rows in batches:
        found.extend(rows)
        if len(found) >= BATCH:
            yield found
            found = []
    if found:
        yield found


class _Sink(io.RawIOBase):
    """A file that only grows, and forgets what was taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._size += len(data)
        return len(data)

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        data, self._parts = b"".join(self._parts), []
        return data
