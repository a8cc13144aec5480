"""Hiding what identifies the machines in a report: names, paths, addresses and serial numbers.

Hosts and paths of the report get aliases, `Host 1` and `Path 1`, so that the reader can still tell
them apart. Texts are searched for them, since errors, evidence and notes repeat them, and for what
looks like an address, a path or an identifier. In texts that people wrote, the names of all other
hosts and arrays' serial numbers are hidden as well, and a name inside of a longer word.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.history.reports.content import Content
from assay.tables.arrays import Array
from assay.tables.hosts import Host

HIDDEN = "[hidden]"

_IDENTITIES = {"array_serial", "fs_source", "source_address", "sink_address"}
"""Conditions that identify a machine as a whole."""

_PEOPLE = {"address", "created_by", "actor"}
"""Fields that are hidden as a whole."""

_PLACES = {"host", "path", "hostname"}

_BY_PEOPLE = {
    *("name", "title", "notes", "labels", "reference", "references"),
    *("reason", "error", "message"),
}
"""Fields with texts that people or other programs wrote: they may name any machine."""

_CODES = {"state", "outcome", "judged", "kind", "dimension", "criterion", "level", "code", "of"}
"""Fields that the page reads."""

_BUILDS = {"probe", "build", "version", "edition", "rules", "criteria_rules"}
"""Versions and hashes of Assay itself."""

_TIMES = {"created_at", "started_at", "ended_at", "expires_at", "taken_at", "at"}

NOTHING = r"(?!)"
"""A pattern that matches nothing."""

SHORT = 4
"""A name of fewer characters is hidden only where it is a word: it is part of too many others."""

_OF_PATHS = r"[^\s\"'`,;()\[\]<>|]"
"""A character of a path in a text."""

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",  # UUIDs
        r"\b(?:0x|wwn-|naa\.|eui\.)*[0-9a-f]{16,}\b",  # WWNs, machine ids
        r"(?<![\w:])[0-9a-f]{2}(?::[0-9a-f]{2}){5,7}(?![\w:])",  # MAC addresses
        r"(?<![\w.-])(?:[a-z0-9_-]+\.){2,}[a-z]{2,}(?![\w-])",  # qualified host names
        rf"(?<![\w/.])//?(?!/){_OF_PATHS}+",  # paths
    )
)
_OPTION = re.compile(r"\b(\w*(?:addr|user|username|domain|cred|credentials|secret)=)[^,\s]+")
_ADDRESS = re.compile(
    r"(?<![\w.:])\[?([0-9a-f:.]*[:.][0-9a-f:.]*[0-9a-f:])\]?(?!\w)(?!-[a-z])", re.IGNORECASE
)
_TOKEN = re.compile(r"[\w][\w.-]*")


@dataclass(frozen=True)
class KnownNames:
    """Lower-case names of all hosts, their addresses, and serial numbers of arrays."""

    names: frozenset[str]


def known_names(session: Session) -> KnownNames:
    """Return what identifies machines of this installation, also those without a run here."""
    found: set[str] = set()
    for name, address in session.execute(select(Host.name, Host.address)):
        found |= {name.lower(), *([address.lower()] if address else [])}
    found |= {serial.lower() for serial in session.scalars(select(Array.serial)) if serial}
    return KnownNames(frozenset(found))


def redacted(content: Content, known: KnownNames) -> Content:
    """Return a report's content without what identifies its machines and people."""
    people = {content["campaign"]["created_by"].lower()}
    people |= {
        row["waiver"]["actor"].lower()
        for row in _rows(content["verdict"])
        if row["waiver"] is not None
    }
    return _Redaction(_aliases(content), KnownNames(known.names | people)).of(content)


def _rows(verdict: Content | None) -> Iterable[Content]:
    """Return the rows of a verdict."""
    if verdict is None:
        return []
    return [*verdict["unjudged"], *(row for run in verdict["runs"] for row in run["rows"])]


def _aliases(content: Content) -> dict[str, str]:
    """Return the aliases of the report's hosts, paths and serial numbers, by lower-case name."""
    hosts, paths, others = dict[str, str](), dict[str, str](), dict[str, str]()

    def host(name: str | None, alias: str | None = None) -> str:
        if not name:
            return ""
        given = hosts.setdefault(name.lower(), alias or f"Host {len(set(hosts.values())) + 1}")
        with suppress(ValueError):
            ip_address(name)
            return given
        hosts.setdefault(name.partition(".")[0].lower(), given)
        return given

    def path(name: str | None) -> None:
        if name and name != "/":
            paths.setdefault(name.rstrip("/").lower(), f"Path {len(paths) + 1}")

    for seen in content["hosts"]:
        alias = host(seen["host"])
        host(seen["address"], alias)
        host(seen["hostname"], alias)
    for run in content["runs"]:
        for part, then in zip(run["participants"], run["measured_at"], strict=False):
            host(then["host"], host(part["host"]))
        for place in (*run["participants"], *run["measured_at"]):
            path(place["path"])
        if back := run["read_back_by"]:
            host(back["host"]["name"])
            path(back["target"]["path"])
        for one in run["conditions"]:
            if one["of"] in _IDENTITIES:
                told = (value.lower() for value in one["value"].split(", "))
                others |= {value: HIDDEN for value in told if _is_serial(one["of"], value)}
    return others | paths | hosts


def _is_serial(of: str, value: str) -> bool:
    """Return whether a condition tells machines apart, as `tmpfs` does not."""
    named = value != "unknown" and len(value) >= SHORT
    return named and (of != "fs_source" or "/" in value or ":" in value)


class _Redaction:
    """Hides names in the strings of a JSON document."""

    def __init__(self, aliases: Mapping[str, str], known: KnownNames) -> None:
        self._aliases, self._known = aliases, known
        paths = [name for name in aliases if name.startswith("/")]
        names = [name for name in aliases if name not in paths and _is_telling(name)]
        self._paths = _either(paths, r"(?<![\w/.])", rf"(?![\w-]|\.\w)(?:/{_OF_PATHS}*)?")
        self._words = _either(names, r"(?<![a-z0-9])", r"(?![a-z0-9])")
        self._parts = _either([name for name in aliases if len(name) >= SHORT])
        self._others = _either(name for name in known.names if _TOKEN.fullmatch(name) is None)

    def of(self, value: Any, field: str = "", *, by_people: bool = False) -> Any:
        """Return a value without names; `field` is what it is called."""
        if field in _PEOPLE:
            return None
        by_people = by_people or field in _BY_PEOPLE
        if isinstance(value, Mapping):
            return self._row(cast("Mapping[str, Any]", value), by_people=by_people)
        if isinstance(value, list | tuple):
            several = cast("Sequence[Any]", value)
            return [self.of(one, field, by_people=by_people) for one in several]
        if not isinstance(value, str) or field in _CODES | _TIMES | _BUILDS:
            return value
        known = self._aliases.get(value.rstrip("/").lower()) if field in _PLACES else None
        return known or self._text(value, by_people=by_people)

    def _row(self, row: Mapping[str, Any], *, by_people: bool) -> Mapping[str, Any]:
        """Return a document without names; that of a condition says `of` what it is."""
        if row.get("of") in _IDENTITIES:
            return {**row, "value": HIDDEN}
        if row.get("of") in _BUILDS:
            return row
        return {name: self.of(one, name, by_people=by_people) for name, one in row.items()}

    def _text(self, text: str, *, by_people: bool) -> str:
        text = self._paths.sub(self._alias, text)
        text = self._words.sub(self._alias, text)
        if by_people:
            text = self._parts.sub(self._alias, text)
            text = self._others.sub(HIDDEN, text)
            text = _TOKEN.sub(self._token, text)
        text = _ADDRESS.sub(_address, text)
        text = _OPTION.sub(rf"\1{HIDDEN}", text)
        for pattern in _PATTERNS:
            text = pattern.sub(HIDDEN, text)
        return text

    def _alias(self, found: re.Match[str]) -> str:
        return self._aliases[found[1].lower()]

    def _token(self, found: re.Match[str]) -> str:
        word = found[0].rstrip(".-")
        return HIDDEN + found[0][len(word) :] if word.lower() in self._known.names else found[0]


def _is_telling(name: str) -> bool:
    """Return whether a name can be looked for in a text: a number is no name there."""
    return len(name) > 1 and any(character.isalpha() for character in name)


def _either(names: Iterable[str], before: str = "", after: str = "") -> re.Pattern[str]:
    """Return a pattern of these names, as its first group; the longest one counts."""
    each = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(f"{before}({each}){after}" if each else NOTHING, re.IGNORECASE)


def _address(found: re.Match[str]) -> str:
    """Return the replacement of what may be an IP address; a version and a time are none."""
    text = found[1]
    for one in (text, text.rpartition(":")[0]):  # perhaps with a port
        with suppress(ValueError):
            ip_address(one)
            return HIDDEN
    return found[0]
