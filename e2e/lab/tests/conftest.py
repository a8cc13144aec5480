"""The lab under test is also the lab of other tests."""

from lab.fixtures import lab

__all__ = ["lab"]
