"""Columns of integers packed into bytes: the stored form of sample blocks. Pure.

A column is stored as small non-negative numbers: its values, or their differences, minus the
minimum and divided by the greatest common divisor (kernel ticks, pages, sectors). The bytes of
these numbers are stored by significance, so that zlib sees the constant high bytes together. Layout
of a block before compression:

    names, comma-separated, and a newline
    per column: mode, width in bytes, start, step     (struct `_HEAD`)
    per column: a presence byte per row, if its mode says so; then `width` planes of bytes
"""

import struct
import zlib
from array import array
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from math import gcd
from operator import sub
from typing import Any

FORMAT = 1
"""The version of this layout, stored with each block."""

LEVEL = 6
"""Level of zlib; level 9 takes a third more time for one percent of the space."""

_HEAD = struct.Struct("<BBqQ")
_DIFFERENCES, _NULLS, _ENDS = 1, 2, 4
_WORD = 8
_LEAST_REST = -(2**62)
"""Smaller differences of ends and lengths could exceed 64 bits."""

_DICTIONARY = (
    b"count,rate_min,rate_max,phase,end_ns,dt_ns,ops,bytes,lat_sum_ns,lat_min_ns,lat_max_ns,"
    b"oldest_ns,host_dt_ns,cpu_user_ns,cpu_system_ns,cpu_softirq_ns,cpu_iowait_ns,cpu_steal_ns,"
    b"cpu_idle_ns,cpu_busiest_ns,mem_available_bytes,mem_dirty_bytes,mem_writeback_bytes,"
    b"dev_read_bytes,dev_write_bytes,dev_busy_ns,net_rx_bytes,net_tx_bytes,psi_cpu_some_ns,"
    b"psi_io_some_ns,psi_io_full_ns,psi_mem_some_ns,psi_mem_full_ns,fs_free_bytes,late_ns,"
    b"run_delay_ns\n"
)
"""What zlib may refer to without storing it: part of format 1, so it never changes."""

Values = Sequence[int | None]


def pack(columns: Mapping[str, Values]) -> bytes:
    """Pack columns of equal length, of one row or more; values are 64-bit integers or null."""
    heads: list[bytes] = []
    bodies: list[bytes] = []
    for name, values in columns.items():
        lengths = columns["dt_ns"] if name == "end_ns" else None
        head, body = _pack_column(values, lengths)
        heads.append(head)
        bodies.append(body)
    data = b"".join([",".join(columns).encode(), b"\n", *heads, *bodies])
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=_DICTIONARY)
    return packer.compress(data) + packer.flush()


def unpack(
    data: bytes, count: int, wanted: Collection[str] | None = None
) -> dict[str, list[int | None]]:
    """Return the columns of a block of `count` rows; only those `wanted`, if given.

    A wanted column that the block does not have is null.
    """
    plain = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_DICTIONARY).decompress(data)
    end = plain.index(b"\n")
    names = plain[:end].decode().split(",")
    heads = [_HEAD.unpack_from(plain, end + 1 + i * _HEAD.size) for i in range(len(names))]
    at = end + 1 + len(names) * _HEAD.size
    found: dict[str, list[int | None]] = {}
    places: dict[str, tuple[int, tuple[int, int, int, int]]] = {}
    for name, head in zip(names, heads, strict=True):
        places[name] = at, head
        at += count * (head[1] + bool(head[0] & _NULLS))
    for name in names if wanted is None else wanted:
        if name not in places:
            found[name] = [None] * count
            continue
        at, head = places[name]
        values = _unpack_column(plain, at, count, head)
        if head[0] & _ENDS:
            values = _ends(
                values, _unpack_column(plain, places["dt_ns"][0], count, places["dt_ns"][1])
            )
        found[name] = values
    return found


def _pack_column(values: Values, lengths: Values | None) -> tuple[bytes, bytes]:
    mode, present = 0, b""
    known: Sequence[Any] = values
    if None in values:
        mode |= _NULLS
        present = bytes(value is not None for value in values)
        known = [0 if value is None else value for value in values]
    elif lengths is not None:
        # an interval ends a length after the one before: what is left is nearly constant
        totals: Any = accumulate(lengths)  # pyright: ignore[reportArgumentType]
        rests = list(map(sub, known, totals))
        if min(rests) > _LEAST_REST:
            mode |= _ENDS
            known = rests
    least = min(known)
    rest = [value - least for value in known]
    changes: list[int] = [after - before for before, after in pairwise(known)]
    # a change has a sign, which takes a bit
    if changes and 2 * sum(map(abs, changes)) < sum(rest) and max(map(abs, changes)) < 2**62:
        mode |= _DIFFERENCES
        start, step = known[0], gcd(*changes) or 1
        numbers = [0, *(_signed(change // step) for change in changes)]
    else:
        start, step = least, gcd(*rest) or 1
        numbers = [number // step for number in rest] if step > 1 else rest
    width = (max(numbers).bit_length() + 7) // 8
    words = array("Q", numbers).tobytes()
    planes = b"".join(words[i::_WORD] for i in range(width))
    return _HEAD.pack(mode, width, start, step), present + planes


def _unpack_column(
    plain: bytes, at: int, count: int, head: tuple[int, int, int, int]
) -> list[int | None]:
    mode, width, start, step = head
    present = plain[at : at + count] if mode & _NULLS else None
    at += count if present is not None else 0
    values: list[Any]
    if not width:
        values = [start] * count
    else:
        words = bytearray(_WORD * count)
        for i in range(width):
            words[i::_WORD] = plain[at + i * count : at + (i + 1) * count]
        numbers = array("Q")
        numbers.frombytes(words)
        if mode & _DIFFERENCES:
            steps = (step * ((n >> 1) ^ -(n & 1)) for n in numbers[1:])
            values = list(accumulate(steps, initial=start))
        else:
            values = [start + step * n for n in numbers]
    if present is None:
        return values
    return [value if there else None for value, there in zip(values, present, strict=True)]


def _ends(rests: Sequence[Any], lengths: Sequence[Any]) -> list[int | None]:
    """Undo what `_pack_column` does with the ends of intervals."""
    total, ends = 0, list[int | None]()
    for rest, length in zip(rests, lengths, strict=True):
        total += length
        ends.append(rest + total)
    return ends


def _signed(number: int) -> int:
    return number << 1 if number >= 0 else ((-number) << 1) - 1
