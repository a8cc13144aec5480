"""The kind *path*: from a source to a sink, with the parts that limit it measured by themselves."""

from assay.kinds.path.path import PathKind

__all__ = ["PathKind"]
