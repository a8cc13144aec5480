"""Rates that lines and cameras deliver, for pacing and for the table "Will it carry".

A line's rate is what the medium transmits, including all headers, so that what carries it also
carries any payload; a payload is what remains for data. Video is uncompressed: the bytes of a frame
times the frames per second. The same list is in `features/kinds/sustained/presets.ts`.
"""

from dataclasses import dataclass
from typing import Literal

Basis = Literal["line", "payload", "video"]


@dataclass(frozen=True)
class Preset:
    """A named rate in bytes per second, and the source of its figure."""

    key: str
    label: str
    bytes_per_s: int
    basis: Basis
    source: str


@dataclass(frozen=True)
class _Format:
    """An uncompressed video format with the bytes of a frame."""

    key: str
    label: str
    frame_bytes: int
    source: str


def _line(key: str, label: str, bits_per_s: int, basis: Basis, source: str) -> Preset:
    return Preset(key, label, bits_per_s // 8, basis, source)


DPX_HEADER = 2048


def dpx_bytes(width: int, height: int) -> int:
    """Return the bytes of a DPX frame: 10-bit RGB, three components in 4 bytes, and the header."""
    return width * height * 4 + DPX_HEADER


def v210_bytes(width: int, height: int) -> int:
    """Return the bytes of a 10-bit 4:2:2 frame: 6 pixels in 16 bytes, rows of 128-byte units."""
    return -(-width // 48) * 128 * height


def raw_bytes(width: int, height: int, bits: int) -> int:
    """Return the bytes of a packed raw frame with one sample per pixel."""
    return width * height * bits // 8


_DPX = "SMPTE ST 268-1: 10-bit RGB, three components in 32 bits, 2048-byte header"
_V210 = "Apple QuickTime v210: 10-bit 4:2:2, six pixels in 16 bytes"
_RAW = "ARRIRAW 12-bit, packed, one sample per pixel"
_SONET = "Telcordia GR-253"
_ETHERNET = "IEEE 802.3"

_LINES = (
    _line("oc3-payload", "OC-3 payload", 149_760_000, "payload", f"{_SONET}: without overhead"),
    _line("oc3", "OC-3", 155_520_000, "line", _SONET),
    _line("oc12-payload", "OC-12 payload", 599_040_000, "payload", f"{_SONET}: without overhead"),
    _line("oc12", "OC-12", 622_080_000, "line", _SONET),
    _line("1g", "1 Gb/s", 10**9, "line", _ETHERNET),
    _line("10g", "10 Gb/s", 10**10, "line", _ETHERNET),
    _line("25g", "25 Gb/s", 25 * 10**9, "line", _ETHERNET),
    _line("100g", "100 Gb/s", 10**11, "line", _ETHERNET),
)

_FORMATS = (
    (_Format("dpx-2k", "2K DPX", dpx_bytes(2048, 1080), _DPX), (24, 25, 30, 48, 50, 60)),
    (_Format("dpx-4k", "4K DPX", dpx_bytes(4096, 2160), _DPX), (24, 25, 30, 48, 50, 60)),
    (_Format("dpx-8k", "8K DPX", dpx_bytes(8192, 4320), _DPX), (24, 25, 30, 48, 50, 60)),
    (_Format("v210-hd", "HD 10-bit 4:2:2", v210_bytes(1920, 1080), _V210), (25, 30, 50, 60)),
    (_Format("v210-uhd", "UHD 10-bit 4:2:2", v210_bytes(3840, 2160), _V210), (25, 30, 50, 60)),
    (_Format("arriraw-28k", "ARRIRAW 2.8K", raw_bytes(2880, 1620, 12), _RAW), (24, 25, 30)),
    (_Format("arriraw-45k", "ARRIRAW 4.5K", raw_bytes(4448, 3096, 12), _RAW), (24, 25, 30)),
)

PRESETS: tuple[Preset, ...] = tuple(
    sorted(
        (
            *_LINES,
            *(
                Preset(
                    f"{each.key}-{fps}",
                    f"{each.label} {fps} fps",
                    each.frame_bytes * fps,
                    "video",
                    f"{each.source}; {each.frame_bytes} bytes per frame",
                )
                for each, rates in _FORMATS
                for fps in rates
            ),
        ),
        key=lambda one: one.bytes_per_s,
    )
)
"""All presets, the slowest first."""

DPX_4K_FRAME = dpx_bytes(4096, 2160)
"""Bytes of a 4K DPX frame."""
