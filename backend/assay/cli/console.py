"""Where the command line writes, and how it says that something failed."""

from rich.console import Console
from rich.markup import escape

from assay.printable import printable

output = Console()
errors = Console(stderr=True)


def shown(text: str) -> str:
    """Words of others, as rich is to print them: neither its markup nor a terminal's escapes."""
    return escape(printable(text))


class Failure(Exception):  # noqa: N818 (a sentence for a person, not a mistake of the program)
    """What could not be done, in a sentence that says what to do."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        """`exit_code` is 2 for "not begun", 1 for "begun, and did not come out well"."""
        super().__init__(message)
        self.exit_code = exit_code
