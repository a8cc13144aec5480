"""An independent reader of test data, for tests.

It follows `src/testdata.h`, not the probe's code.
"""

from dataclasses import dataclass

SECTOR, STAMP = 512, 480

POLYNOMIAL = 0x82F63B78


def _table() -> list[int]:
    table = []
    for byte in range(256):
        state = byte
        for _ in range(8):
            state = state >> 1 ^ (POLYNOMIAL if state & 1 else 0)
        table.append(state)
    return table


TABLE = _table()


def crc32c(data: bytes) -> int:
    """The CRC32C of `data` (RFC 3720, appendix B.4)."""
    state = 0xFFFFFFFF
    for byte in data:
        state = state >> 8 ^ TABLE[(state ^ byte) & 0xFF]
    return state ^ 0xFFFFFFFF


@dataclass(frozen=True)
class Stamp:
    """The content of a sector's stamp."""

    run: int
    file: int
    pass_number: int
    offset: int
    intact: bool
    """Its CRC is that of its content."""


def _unmasked(sector: bytes, number: int) -> int:
    mask = int.from_bytes(sector[8 * number : 8 * number + 8], "big")
    at = STAMP + 8 * number
    return int.from_bytes(sector[at : at + 8], "little") ^ mask


def stamp_of(sector: bytes) -> Stamp:
    """Return the stamp of one sector of 512 bytes."""
    run, place, offset = (_unmasked(sector, number) for number in range(3))
    crc = int.from_bytes(sector[508:], "little")
    return Stamp(
        run, place >> 32, place & 0xFFFFFFFF, offset, crc == crc32c(sector[:508] + bytes(4))
    )


def sectors_of(data: bytes) -> list[bytes]:
    """Return whole sectors of 512 bytes."""
    return [data[at : at + SECTOR] for at in range(0, len(data) - SECTOR + 1, SECTOR)]
