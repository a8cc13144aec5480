"""Free space that tests must not use."""

RESERVE_FRACTION = 20  # 5 %
RESERVE_LEAST_BYTES = 10_000_000_000


def reserve_bytes(chosen: int | None, size_bytes: int) -> int:
    """Return the configured reserve, or else the larger of 5 % of the file system and 10 GB."""
    if chosen is not None:
        return chosen
    return max(size_bytes // RESERVE_FRACTION, RESERVE_LEAST_BYTES)
