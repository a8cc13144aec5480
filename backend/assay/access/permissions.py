"""Who may do what to which object: the one table of permissions, and the check against it.

An endpoint names its entry, which also describes it in the OpenAPI document. What an operation does
beside that, such as creating a credential while it registers a host, is checked with the entry of
that action. `assay.documents.permissions` prints the table for `docs/api.md`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.base.errors import Problem
from assay.base.field_errors import FieldError
from assay.base.identity import (
    LIMITS,
    MEANING,
    ROLE_OF,
    TARGET_LABELS,
    Identity,
    Role,
    Scope,
    higher,
    includes,
)


class NotLoggedIn(Problem):
    """No session and no token, or one that is no longer valid."""

    status, code, title = 401, "not_logged_in", "Log in first"

    def __init__(self, detail: str | None = None, remedy: str | None = None) -> None:
        """Add the header that names the authentication scheme."""
        super().__init__(detail, remedy, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Problem):
    """The caller is known and may not do this."""

    status = 403


class NotAllowed(Forbidden):
    """The role is insufficient."""

    code, title = "not_allowed", "Your role does not allow this"

    def __init__(self, role: str, wanted: str, errors: Sequence[FieldError] = ()) -> None:
        """Name the required role, after the field that requires it."""
        super().__init__(
            f"{_reasons(errors)}This requires the role {wanted}; yours is {role}.",
            "Ask an administrator.",
            errors=errors,
        )


class ScopeMissing(Forbidden):
    """The token does not have the scope."""

    code, title = "scope_missing", "The token does not have the scope for this"

    def __init__(
        self, own: Sequence[Scope], wanted: Scope, errors: Sequence[FieldError] = ()
    ) -> None:
        """Name the required scope and those of the token, after the field that requires it."""
        has = f"has {' and '.join(own)}" if own else "has none"
        super().__init__(
            f"{_reasons(errors)}This requires the scope {wanted}, to {MEANING[wanted]}; "
            f"the token {has}.",
            f"Use a token with {wanted}: create one in Settings, Tokens, or with "
            "`assay token create`.",
            errors=errors,
        )
        self.scope, self.scopes = wanted, list(own)

    @property
    def facts(self) -> dict[str, Any]:
        """The required scope, and those of the token."""
        return {"scope": self.scope, "scopes": self.scopes}


class TokenCannotCreateTokens(Forbidden):
    """A leaked token could survive in tokens that it created."""

    code, title = "token_cannot_create_tokens", "A token cannot create tokens"

    def __init__(self) -> None:
        """Name the alternatives."""
        super().__init__(remedy="Log in with name and password, or use `assay token create`.")


class TokenIsLimited(Forbidden):
    """What the token would do is not within its limits, or does not count against them."""

    code, title = "token_is_limited", "The token's limits do not allow this"

    def __init__(self, permission: "Permission", limits: Sequence[str]) -> None:
        """Name the action and the limits."""
        super().__init__(
            f"The token has {', '.join(limits)}, and such a token cannot {permission.phrase}: "
            f"{permission.why}.",
            "Use a token without limits, or do it in the browser.",
        )


class NotLaunchedByToken(Forbidden):
    """The token may change only what it launched."""

    code, title = "not_launched_by_token", "The token did not launch this campaign"

    def __init__(self, permission: "Permission") -> None:
        """Name the action."""
        super().__init__(
            "The token may launch only on targets with certain labels, and so it may "
            f"{permission.phrase} only if it launched the campaign, which it did not.",
            "Use another token, or do it in the browser.",
        )


def _reasons(errors: Sequence[FieldError]) -> str:
    return "".join(f"{error}. " for error in errors)


@dataclass(frozen=True)
class Permission:
    """Who may do one action to one kind of object.

    A token needs `scope` (null: any token may), and its user the role of it, or `least_role`.
    `only_person` is what a
    token gets where only the user of a browser may. A token with a limit of `not_with` may not,
    because of `why`; one with target labels, if `launched`, only to campaigns that it launched.
    """

    name: str
    scope: Scope | None
    least_role: Role = "viewer"
    launched: bool = False
    not_with: tuple[str, ...] = ()
    why: str = ""
    only_person: Callable[[], Problem] | None = None

    @property
    def role(self) -> Role:
        """The lowest role that may."""
        return (
            self.least_role if self.scope is None else higher(self.least_role, ROLE_OF[self.scope])
        )

    @property
    def object(self) -> str:
        """The kind of object, in words."""
        return self.name.partition(".")[0].replace("_", " ")

    @property
    def action(self) -> str:
        """The action, in words."""
        return self.name.partition(".")[2].replace("_", " ")

    @property
    def phrase(self) -> str:
        """Action and object, as in a sentence."""
        return f"{self.action} a {self.object}"


def _views_are_personal() -> Problem:
    return NotLoggedIn("Saved views belong to a person.", "Log in with name and password.")


def _no_session() -> Problem:
    return NotLoggedIn("A token has no session.", "Log in with name and password.")


_OF_CAMPAIGN: Mapping[str, Any] = {"launched": True}
_FIRES: Mapping[str, Any] = {
    "not_with": LIMITS,
    "why": "what a schedule launches does not count against them",
}
_FOREIGN: Mapping[str, Any] = {
    "not_with": (TARGET_LABELS,),
    "why": "schedules are those of others, on any target",
}
_VIEW: Mapping[str, Any] = {"only_person": _views_are_personal}
_SESSION: Mapping[str, Any] = {"only_person": _no_session}
_Entry = tuple[Scope | None, Mapping[str, Any]]


def _all(scope: Scope | None, *actions: str, **rules: Any) -> dict[str, _Entry]:
    """Return entries with the same rule, by action."""
    return dict.fromkeys(actions, (scope, rules))


_OBJECTS: Mapping[str, Mapping[str, _Entry]] = {
    "appliance": _all("read", "read"),
    "session": _all(None, "read", "end", **_SESSION),
    "caller": _all(None, "read"),
    "view": _all("read", "read", "create", "change", "delete", **_VIEW),
    "user": _all("admin", "read", "create", "change", "delete"),
    "audit_log": _all("admin", "read"),
    "token": _all(None, "delete", why="a token with scopes or limits deletes only itself")
    | _all(None, "create", only_person=TokenCannotCreateTokens)
    | _all("read", "read"),
    "token_of_others": _all("read", "read", least_role="admin") | _all("admin", "delete"),
    "credential": _all("hosts", "read") | _all("admin", "create", "change", "delete"),
    "host_authority": _all("read", "read") | _all("admin", "create", "change", "delete"),
    "host": _all("read", "read")
    | _all("hosts", "create", "change", "delete", "check", "match", "approve_the_key_of"),
    "local_host": _all("admin", "create", "change", "delete", "match"),
    "target": _all("read", "read") | _all("hosts", "create", "change", "delete", "check", "match"),
    "local_target": _all("admin", "create", "change", "delete", "match"),
    "array": _all("read", "read")
    | _all("hosts", "create", "change", "delete", "match")
    | _all("edit", "annotate"),
    "profile": _all("read", "read")
    | _all("edit", "create")
    | _all("edit", "change", "delete", **_FIRES),
    "tool": _all("read", "read")
    | _all("hosts", "check")
    | _all("admin", "create", "change", "delete"),
    "campaign": _all("read", "read", "estimate")
    | _all("launch", "launch")
    | _all("launch", "cancel", **_OF_CAMPAIGN)
    | _all("edit", "change", "annotate", "waive_criteria_of", **_OF_CAMPAIGN)
    | _all("edit", "share", "delete", "restore", **_OF_CAMPAIGN),
    "run": _all("read", "read") | _all("edit", "annotate", "waive_criteria_of", **_OF_CAMPAIGN),
    "schedule": _all("read", "read")
    | _all("launch", "launch")
    | _all("launch", "create", "change", "resume", **_FIRES)
    | _all("launch", "pause", "delete", **_FOREIGN),
    "webhook": _all("edit", "read", "create", "change", "delete", "test"),
    "webhook_to_private_addresses": _all("admin", "create", "change"),
    "retention_rule": _all("read", "read") | _all("admin", "change", "apply"),
    "file": _all("hosts", "apply", "export"),
}

TABLE: Mapping[str, Permission] = {
    name: Permission(name, scope, **rules)
    for noun, actions in _OBJECTS.items()
    for action, (scope, rules) in actions.items()
    for name in [f"{noun}.{action}"]
}
"""Every permission by `object.action`."""


def require(
    who: Identity,
    name: str,
    *,
    launched: Callable[[], bool] | None = None,
    errors: Sequence[FieldError] = (),
) -> None:
    """Raise a Problem unless the caller may do the action `name`.

    `launched` tells whether the caller's token launched the campaign that the action is done to;
    `errors` name the fields of the request that require the permission. Raises NotLoggedIn or
    TokenCannotCreateTokens for a token, NotAllowed, ScopeMissing, TokenIsLimited or
    NotLaunchedByToken.
    """
    wanted = TABLE[name]
    if wanted.only_person is not None and who.session_id is None:
        raise wanted.only_person()
    if not includes(who.role, wanted.role):
        raise NotAllowed(who.role, wanted.role, errors)
    if who.token_id is None:
        return
    if wanted.scope is not None and wanted.scope not in who.scopes:
        raise ScopeMissing(who.scopes, wanted.scope, errors)
    if limits := [one for one in wanted.not_with if one in who.limits]:
        raise TokenIsLimited(wanted, limits)
    is_narrow = wanted.launched and TARGET_LABELS in who.limits
    if is_narrow and launched is not None and not launched():
        raise NotLaunchedByToken(wanted)


def allows(who: Identity, name: str) -> bool:
    """Return whether the caller may do the action `name` to any object."""
    try:
        require(who, name)
    except Problem:
        return False
    return True
