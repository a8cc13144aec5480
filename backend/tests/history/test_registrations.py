"""Which registrations with equal identifiers are clones of each other; pure."""

from datetime import UTC, datetime, timedelta

import pytest
from assay.history.matches import Registration, pairs

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def registration(number: int, since: int, until: int | None, storage: str = "own") -> Registration:
    """Return one of several registrations with one serial number; hours after noon."""
    return Registration(
        of="array",
        id=number,
        name=f"vault-{number}",
        keys=frozenset({("serial_number", "AC-20471")}),
        since=NOON + timedelta(hours=since),
        until=None if until is None else NOON + timedelta(hours=until),
        storage=storage,
    )


@pytest.mark.parametrize(
    ("since", "until", "storage", "clones"),
    [
        (2, 3, "other", ()),  # after the earlier one
        (-3, -2, "other", ()),  # before it
        (1, 2, "other", ()),  # as soon as it had ended
        (-1, 0, "other", ()),  # until it was registered
        (0, 2, "other", ("vault-3",)),
        (-1, 1, "other", ("vault-3",)),
        (0, 1, "own", ()),  # another entry for the same one
    ],
)
def test_a_deleted_registration_is_a_clone_only_if_it_existed_together_with_the_earlier_one(
    since: int, until: int, storage: str, clones: tuple[str, ...]
) -> None:
    earlier, current = registration(1, 0, 1), registration(2, 9, None)
    found = pairs([earlier, current, registration(3, since, until, storage)])
    assert {pair.earlier.id: pair.clones for pair in found}[1] == clones
