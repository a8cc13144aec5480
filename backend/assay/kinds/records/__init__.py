"""The kind *records*: senders stream records into one file, or into memory as the control."""

from assay.kinds.records.records import RecordsKind

__all__ = ["RecordsKind"]
