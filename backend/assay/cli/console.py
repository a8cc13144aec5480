"""Output and errors of the command line."""

from rich.console import Console
from rich.markup import escape

from assay.printable import printable

output = Console()
errors = Console(stderr=True)


def shown(text: str) -> str:
    """Escape untrusted text: neither rich markup nor terminal escapes take effect."""
    return escape(printable(text))


class CommandError(Exception):
    """A failed command; the message has reason and remedy for the user."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        """Use `exit_code` 2 if the command did not start its work, and 1 if the work failed."""
        super().__init__(message)
        self.exit_code = exit_code
