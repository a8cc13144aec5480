"""Figures as text: three significant digits, always with the unit."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from math import floor, isfinite, log10

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
        if rounded(bits_per_second) >= factor:
            return f"{figure(bits_per_second / factor)} {unit}bit/s"
    return f"{figure(bits_per_second)} bit/s"


def iops(per_second: float) -> str:
    """Format operations per second, such as `12 300 IOPS`."""
    return f"{frequency(per_second)} IOPS"


def frequency(per_second: float) -> str:
    """Format a number per second, such as `12 300`."""
    value = rounded(per_second)
    return figure(value) if value < 1000 else grouped(value)


def size(count: int) -> str:
    """Format bytes in decimal units, such as `60.0 GB`; below 1 kB as whole bytes."""
    return _scaled(count) if count >= 1000 else f"{count} B"


def block(count: int) -> str:
    """Format a block size exactly, in binary units where it has them: `256 KiB`, `800 kB`."""
    if count and count % 1000 == 0 and count % 512:
        return f"{count // 10**6} MB" if count % 10**6 == 0 else f"{count // 1000} kB"
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if size < 1024 or 2 * size % 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.10g} {unit}"


def exact_size(count: int) -> str:
    """Format a chosen size exactly: `100 MB`, `1.25 GB`, `4 KiB`."""
    if not count:
        return "0"
    if count % 1024 == 0 and count % 1000:
        return block(count)
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= factor and count * 100 % factor == 0:
            return f"{count / factor:.10g} {unit}"
    return block(count)


def exact_rate(bytes_per_second: int) -> str:
    """Format a chosen rate exactly: `125 MB/s`, `1250 MB/s`."""
    if bytes_per_second % 10**4 == 0:
        return f"{bytes_per_second / 10**6:.10g} MB/s"
    return f"{bytes_per_second} B/s"


def duration(ns: float) -> str:
    """Format a duration, such as `55.0 ms` or `2.80 s`."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if rounded(ns) >= factor:
            return f"{figure(ns / factor)} {unit}"
    return f"{figure(ns)} ns"


def exact_duration(ns: int) -> str:
    """Format a chosen duration of any fineness exactly: `15.625 ms`, `1.5 s`."""
    if ns >= 10**9 and ns % 10**6 == 0:
        return f"{ns / 10**9:.12g} s"
    return f"{ns / 10**6:.12g} ms" if ns % 1000 == 0 else f"{ns} ns"


def elapsed(ns: float) -> str:
    """Format a span of time in at most two parts: `400 ms`, `1.50 s`, `1 min 15 s`, `1 d 2 h`."""
    if ns < 9.95e9:
        return duration(ns) if ns else "0 s"
    rest, parts = int(half_up(ns / 10**9, 0)) * 10**9, list[str]()
    for unit, factor in _SPANS:
        amount, rest = divmod(rest, factor)
        if amount or parts:
            parts.append(f"{amount} {unit}" if amount else "")
    return " ".join(filter(None, parts[:2]))


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
    """Format a chosen duration: exactly, such as `25 h` or `1.5 s`, or `1.04 d` if that is long."""
    if ns > 10**9 and ns % 10**9 and ns % 10**8 == 0:
        return f"{ns / 10**9:.1f} s"
    for unit, factor in _SPANS:
        if ns >= factor and ns % factor == 0 and ns // factor < 10_000:
            return f"{ns // factor} {unit}"
    unit, factor = next((one for one in _SPANS if ns >= one[1]), ("s", 10**9))
    return f"{figure(ns / factor)} {unit}" if ns else "0 s"


def half_up(number: float, decimals: int) -> str:
    """Format with so many decimals; a half is rounded up, as browsers do."""
    step = Decimal(1).scaleb(-decimals)
    return str(Decimal(number).quantize(step, ROUND_HALF_UP))


def percent(share: float) -> str:
    """Format a share as a percentage, such as `12 %`."""
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "under 1 %"


def share(part: float) -> str:
    """Format a measured share, which may be far below a percent: `22.2 %`, `0.04 %`."""
    if 0 < part < 0.0001:
        return "under 0.01 %"
    return f"{half_up(100 * part, 2)} %" if 0 < 100 * part < 1 else f"{figure(100 * part)} %"


def grouped(number: float) -> str:
    """Format a whole number, from five digits on in groups with narrow spaces: `12 304`."""
    text = f"{number:.0f}"
    return text if len(text) < 5 else f"{number:,.0f}".replace(",", "\u202f")


def count(number: int, one: str, many: str | None = None) -> str:
    """Format a number of things, small numbers as words: `one writer`, `16 writers`."""
    word = _COUNTS[number] if number < len(_COUNTS) else grouped(number)
    return f"{word} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str], joined: str = "and") -> str:
    """Join names: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joined} {names[-1]}"


def code_words(code: str) -> str:
    """Return a code as words: `too short`."""
    return code.replace("_", " ")


def capital(text: str) -> str:
    """Return the text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


def _scaled(number: float) -> str:
    for unit, factor in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if rounded(number) >= factor:
            return f"{figure(number / factor)} {unit}"
    return f"{figure(number)} B"


def rounded(number: float) -> float:
    """Return a number with three significant digits; a half is rounded away from zero."""
    return float(_THREE_DIGITS.create_decimal_from_float(number))


_THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)


def figure(number: float) -> str:
    """Format three significant digits, `0.139`, `1.39`, `139`, without exponent; zero is `0`."""
    value = rounded(number)
    if not isfinite(value):
        return str(value)
    return f"{value:.{max(0, 2 - floor(log10(abs(value))))}f}" if value else "0"
