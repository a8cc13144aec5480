"""The free space that tests leave alone."""

RESERVE_FRACTION = 20  # one in so many: 5 %
RESERVE_LEAST_BYTES = 10_000_000_000


def reserve_bytes(chosen: int | None, size_bytes: int) -> int:
    """What an operator chose, else 5 % of the file system or 10 GB, whichever is more."""
    if chosen is not None:
        return chosen
    return max(size_bytes // RESERVE_FRACTION, RESERVE_LEAST_BYTES)
