"""The kind *matrix*: blocks × threads, each cell repeated, written or read."""

from assay.kinds.matrix.matrix import MatrixKind

__all__ = ["MatrixKind"]
