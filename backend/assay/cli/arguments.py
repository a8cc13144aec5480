"""What is given on the command line: files, fields, labels, durations and sizes, as values.

The name - of a file is standard input.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast

from assay.cli.console import CommandError, say
from assay.runs.verdicts.units import UNITS, USUAL

Quantity = Literal["duration", "rate", "size"]

_QUANTITY = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([A-Za-zµ/]+)\s*")
_UNITS: Mapping[Quantity, Mapping[str, Fraction]] = {
    "duration": {**UNITS["duration"], "d": Fraction(86_400 * 10**9)},
    "rate": UNITS["rate"],
    # as in forms, the letters of a size are large or small
    "size": {**UNITS["size"], **{unit.lower(): of for unit, of in UNITS["size"].items()}},
}
_REMEDIES: Mapping[Quantity, str] = {
    "duration": 'Write it like "10 min".',
    "rate": f"Use {USUAL['rate']}.",
    "size": f"Use {USUAL['size']}.",
}


def read(file: Path) -> str:
    """Return the text of a file or of standard input; raises CommandError."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not UTF-8. Save it as UTF-8.") from error


def read_object(file: Path, remedy: str) -> dict[str, Any]:
    """Return the JSON object in a file; raises CommandError, which ends with the remedy."""
    try:
        found: Any = json.loads(read(file))
    except ValueError as error:
        raise CommandError(f"{file} cannot be read as JSON: {error}. {remedy}") from error
    if not isinstance(found, dict):
        raise CommandError(f"{file} is no JSON object. {remedy}")
    return cast("dict[str, Any]", found)


def fields_of(given: Sequence[str]) -> dict[str, Any]:
    """Return a body of the API from FIELD=VALUE; raises CommandError.

    What is no JSON is text: `address=10.0.0.7`. A text that is JSON needs quotes: `name='"7"'`.
    `@FILE` is the text of a file, and `@-` that of standard input: arguments are no place for
    secrets.
    """
    found: dict[str, Any] = {}
    for one in given:
        field, equals, text = one.partition("=")
        if not equals or not field:
            raise CommandError(f"{one!r} is no field. Write it as FIELD=VALUE.")
        if field in found:
            raise CommandError(f"{field} is given more than once. Give one value.")
        if text.startswith("@"):
            found[field] = read(Path(text[1:])).removesuffix("\n")
            continue
        try:
            found[field] = json.loads(text)
        except ValueError:
            found[field] = text
    return found


def labels_of(given: Sequence[str] | None) -> dict[str, str]:
    """Return the labels of options, each `KEY=VALUE`; raises CommandError."""
    labels: dict[str, str] = {}
    for one in given or ():
        key, equals, value = one.partition("=")
        if not equals:
            raise CommandError(f"--label: {one!r} has no value. Write it like rack=b7.")
        if labels.setdefault(key, value) != value:
            raise CommandError(f"--label: {key!r} has two values. Give one of them.")
    return labels


def changed(labels: dict[str, str], changes: Sequence[str]) -> dict[str, str]:
    """Return labels with changes: `KEY=VALUE` sets one, `KEY-` removes it. Raises CommandError."""
    changed = dict(labels)
    for one in changes:
        key, equals, value = one.partition("=")
        if equals:
            changed[key] = value
        elif one.endswith("-") and one[:-1] in changed:
            del changed[one[:-1]]
        elif one.endswith("-"):
            raise CommandError(f"There is no label {one[:-1]!r}.")
        else:
            raise CommandError(f"{one!r} is not a change of a label. Use KEY=VALUE or KEY-.")
    return changed


def print_labels(labels: dict[str, str], reference: str | None, as_json: bool) -> None:
    """Print the labels and the external reference of a campaign, a host, a target or an array."""
    lines = [f"{key}={value}" for key, value in labels.items()]
    lines += [f"reference: {reference}"] if reference else []
    say({"labels": labels, "reference": reference}, *lines, as_json=as_json)


def seconds_of(option: str, text: str) -> float:
    """Return the seconds of a duration such as `2 h`; raises CommandError."""
    return float(quantity(option, text, "duration") / 10**9)


def quantity(option: str, text: str, what: Quantity) -> Fraction:
    """Return bytes, bytes per second or nanoseconds, which have a unit; raises CommandError."""
    found = _QUANTITY.fullmatch(text)
    unit = found and (_UNITS[what].get(found[2]) or _UNITS[what].get(found[2].lower()))
    if found is None or unit is None:
        raise CommandError(f"{option}: {text!r} is not a {what}. {_REMEDIES[what]}")
    return Fraction(found[1]) * unit
