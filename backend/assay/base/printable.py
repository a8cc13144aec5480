"""Escaping of untrusted text for terminals and logs."""


def printable(text: str, kept: str = "\n\t") -> str:
    """Return the text with control characters (escapes, bells, bidi overrides) escaped.

    Newlines and tabs are kept, unless `kept` says otherwise.
    """
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text
    )


def one_line(text: str) -> str:
    """Return the text on one line: newlines and tabs are escaped, too."""
    return text if text.isprintable() else printable(text, kept="")
