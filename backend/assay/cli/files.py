"""Files that commands read; the name - is standard input."""

import json
import sys
from pathlib import Path
from typing import Any, cast

from assay.cli.console import CommandError


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
