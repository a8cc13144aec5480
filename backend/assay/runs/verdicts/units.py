"""Units of criteria, by dimension; one symbol belongs to one dimension."""

from collections.abc import Mapping
from fractions import Fraction

from assay.kinds.metrics import ArgumentDimension, Dimension

_BYTES: dict[str, int] = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGTPE", start=1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGTPE", start=1)},
}


def _either(units: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return units in which the prefix kilo may also be written as K, as many tools do."""
    capital = {f"K{unit[1:]}": factor for unit, factor in units.items() if unit.startswith("k")}
    return {**units, **capital}


UNITS: Mapping[Dimension, Mapping[str, Fraction]] = {
    "rate": _either(
        {
            **{f"{unit}/s": Fraction(size) for unit, size in _BYTES.items()},
            "b/s": Fraction(1, 8),
            **{
                f"{prefix}b/s": Fraction(1000**power, 8)
                for power, prefix in enumerate("kMGT", start=1)
            },
            "GB/h": Fraction(10**9, 3600),
            "TB/h": Fraction(10**12, 3600),
        }
    ),
    "iops": _either(
        {
            "IOPS": Fraction(1),
            "kIOPS": Fraction(10**3),
            "MIOPS": Fraction(10**6),
        }
    ),
    "frequency": _either(
        {
            "/s": Fraction(1),
            "k/s": Fraction(10**3),
            "M/s": Fraction(10**6),
        }
    ),
    "duration": {
        "ns": Fraction(1),
        "µs": Fraction(10**3),
        "us": Fraction(10**3),
        "ms": Fraction(10**6),
        "s": Fraction(10**9),
        "min": Fraction(60 * 10**9),
        "h": Fraction(3600 * 10**9),
    },
    "size": _either({unit: Fraction(size) for unit, size in _BYTES.items()}),
    "share": {"%": Fraction(1, 100)},
    "count": {"": Fraction(1)},
    "yes_no": {},
}
"""The factors to bytes, operations and events per second, ns, bytes, a part of one, numbers."""

DIMENSIONS: Mapping[str, Dimension] = {
    unit: dimension for dimension, units in UNITS.items() for unit in units
}
"""The dimension of each unit."""

NAMES: Mapping[ArgumentDimension, str] = {
    "rate": "a rate",
    "iops": "a number of operations per second",
    "frequency": "a number per second",
    "duration": "a duration",
    "size": "a size",
    "share": "a percentage",
    "count": "a number without unit",
    "yes_no": "yes or no",
    "word": "a word",
}

USUAL: Mapping[ArgumentDimension, str] = {
    "rate": "MB/s, GB/s, MiB/s, Gb/s or TB/h",
    "iops": "IOPS or kIOPS",
    "frequency": "/s, k/s or M/s",
    "duration": "µs, ms, s, min or h",
    "size": "MB, GB, TB, MiB or GiB",
    "share": "%",
    "count": "no unit",
    "yes_no": "no value",
    "word": "a word without unit",
}
"""The units that an error suggests."""

PLAIN: Mapping[Dimension, str] = {
    "rate": "MB/s",
    "iops": "IOPS",
    "frequency": "/s",
    "duration": "ms",
    "size": "GB",
    "share": "%",
    "count": "",
}
"""The units of values that no limit gives a unit."""
