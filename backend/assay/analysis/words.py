"""Figures as text: three significant digits, always with the unit."""

from collections.abc import Sequence

_COUNTS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def rate(bytes_per_second: float) -> str:
    """Format a rate in decimal units, such as `1.39 GB/s`."""
    return f"{_scaled(bytes_per_second)}/s"


def bit_rate(bits_per_second: float) -> str:
    """Format the rate of a network in decimal units, such as `10.0 Gbit/s`."""
    for unit, factor in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if float(f"{bits_per_second:.3g}") >= factor:
            return f"{figure(bits_per_second / factor)} {unit}bit/s"
    return f"{figure(bits_per_second)} bit/s"


def iops(per_second: float) -> str:
    """Format operations per second, such as `12,300 IOPS`."""
    return f"{frequency(per_second)} IOPS"


def frequency(per_second: float) -> str:
    """Format a number per second, such as `12,300`."""
    rounded = float(f"{per_second:.3g}")
    return figure(rounded) if rounded < 1000 else f"{rounded:,.0f}"


def size(count: int) -> str:
    """Format bytes in decimal units, such as `60.0 GB`; below 1 kB as whole bytes."""
    return _scaled(count) if count >= 1000 else f"{count} B"


def block(count: int) -> str:
    """Format a block size in binary units, such as `256 KiB`."""
    for unit, factor in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} B"


def duration(ns: float) -> str:
    """Format a duration, such as `55.0 ms` or `2.80 s`."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if float(f"{ns:.3g}") >= factor:
            return f"{figure(ns / factor)} {unit}"
    return f"{figure(ns)} ns"


_SPANS = (
    ("d", 86_400 * 10**9),
    ("h", 3600 * 10**9),
    ("min", 60 * 10**9),
    ("s", 10**9),
    ("ms", 10**6),
    ("µs", 1000),
    ("ns", 1),
)


def span(ns: int) -> str:
    """Format a chosen duration: exactly, such as `25 h`, or `1.04 d` if that would be long."""
    for unit, factor in _SPANS:
        if ns >= factor and ns % factor == 0 and ns // factor < 10_000:
            return f"{ns // factor} {unit}"
    unit, factor = next((one for one in _SPANS if ns >= one[1]), ("s", 10**9))
    return f"{figure(ns / factor)} {unit}" if ns else "0 s"


def percent(share: float) -> str:
    """Format a share as a percentage, such as `12 %`."""
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "under 1 %"


def small_share(share: float) -> str:
    """Format a share that may be far below a percent: `3.12 %`, `0.04 %`, `under 0.01 %`."""
    if 0 < share < 0.0001:
        return "under 0.01 %"
    return f"{figure(100 * share)} %"


def count(number: int, one: str, many: str | None = None) -> str:
    """Format a number of things, small numbers as words: `one writer`, `16 writers`."""
    word = _COUNTS[number] if number < len(_COUNTS) else str(number)
    return f"{word} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str], joined: str = "and") -> str:
    """Join names: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joined} {names[-1]}"


def capital(text: str) -> str:
    """Return the text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


def _scaled(number: float) -> str:
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if float(f"{number:.3g}") >= factor:
            return f"{figure(number / factor)} {unit}"
    return f"{figure(number)} B"


def figure(number: float) -> str:
    """Format three significant digits, `1.39`, `13.9`, `139`, without exponent."""
    rounded = float(f"{number:.3g}")
    return f"{rounded:.{0 if rounded >= 100 else 1 if rounded >= 10 else 2}f}"
