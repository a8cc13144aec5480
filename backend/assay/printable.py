"""Words from elsewhere on their way to a terminal or a log."""


def printable(text: str) -> str:
    """The text with what a terminal would obey (escapes, bells, reversed writing) spelled out.

    Newlines and tabs stay. An escape is shown by its name, and clears no screen.
    """
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )
