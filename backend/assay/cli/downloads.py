"""Files of the API, written to standard output or to a file that appears when it is complete."""

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from assay.cli.console import CommandError, errors, shown

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write to this file instead of standard output"),
]


def write(parts: Iterable[bytes], file: Path | None) -> None:
    """Write a download; raises CommandError."""
    if file is None or str(file) == "-":
        _copy(parts, sys.stdout.buffer)
        return
    with _complete(file) as out:
        _copy(parts, out)
    errors.print(shown(f"{file}: {file.stat().st_size} bytes"), highlight=False)


@contextmanager
def _complete(file: Path) -> Generator[IO[bytes]]:
    """Provide a file that gets its name at the end of the block."""
    partial = file.with_name(f"{file.name}.part")
    try:
        with partial.open("wb") as out:
            yield out
        partial.replace(file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"--output: {file} cannot be written: {reason}.") from error
    finally:
        partial.unlink(missing_ok=True)


def _copy(parts: Iterable[bytes], out: IO[bytes]) -> None:
    for part in parts:
        out.write(part)
    out.flush()
