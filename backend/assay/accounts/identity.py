"""The actor of a request, as authentication found it."""

from dataclasses import dataclass

from assay.accounts.roles import Role
from assay.accounts.scopes import SCOPES, Scope


@dataclass(frozen=True)
class Identity:
    """The actor of a request and its address; a token's `user_id` is that of its user."""

    actor: str
    role: Role
    address: str
    user_id: int | None = None
    session_id: int | None = None
    token_id: int | None = None
    is_use_due: bool = False
    """Whether the token's last use has to be recorded."""
    scopes: tuple[Scope, ...] = SCOPES
    """What a token may do of what the role allows."""
    limits: tuple[str, ...] = ()
    """What narrows the token: `scopes`, if they were chosen, and the names of its limits."""
    is_schedule: bool = False
    """Whether it is a schedule that launches, not a user."""

    @property
    def principal(self) -> str:
        """Who is asking: the token, or in a browser the user."""
        return f"user {self.user_id}" if self.token_id is None else f"token {self.token_id}"
