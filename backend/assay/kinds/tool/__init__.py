"""The test kind *tool*."""

from assay.kinds.tool.tool import ToolKind

__all__ = ["ToolKind"]
