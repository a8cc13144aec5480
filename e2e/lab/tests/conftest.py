"""The lab under test is the one that tests use."""

from lab.fixtures import lab

__all__ = ["lab"]
