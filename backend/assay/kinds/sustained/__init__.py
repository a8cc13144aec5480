"""The kind *sustained*: long writes or reads, paced or not."""

from assay.kinds.sustained.sustained import SustainedKind

__all__ = ["SustainedKind"]
