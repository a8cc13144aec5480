"""How far a check is, written down and announced at each step."""

from assay.changes import announce
from assay.database import writing
from assay.hosts.models import Check


class Progress:
    """The check under way."""

    def __init__(self, check_id: int, host_id: int) -> None:
        """Nothing is done yet."""
        self._check_id, self._host_id = check_id, host_id

    def step(self, name: str) -> None:
        """Now comes `name`."""
        with writing() as session:
            session.get_one(Check, self._check_id).step = name
            announce(f"check:{self._check_id}", f"host:{self._host_id}", after=session)
