"""Escaping of untrusted text for terminals and logs."""


def printable(text: str) -> str:
    """Return the text with control characters (escapes, bells, bidi overrides) escaped.

    Newlines and tabs are kept.
    """
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )
