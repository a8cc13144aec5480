"""The table of nouns, against what client and command line have."""

from typing import Any, get_type_hints

import pytest
from assay.base.nouns import NOUNS, Noun, Verb
from assay.cli.lazy import COMMANDS
from assay.client.appliance import RESOURCES
from pydantic import BaseModel

REQUESTS: dict[Verb, str] = {
    "show": "get",
    "create": "create",
    "change": "change",
    "label": "label",
    "note": "write_notes",
    "match": "decide",
    "delete": "delete",
}

BY_HAND: dict[str, set[str]] = {
    "create": {"array", "authority", "credential", "profile", "schedule", "tool", "webhook"},
    "get": {"campaign", "schedule", "tool"},
    "change": {"campaign"},
    "delete": {"campaign"},
}
"""Requests whose commands take or print something else than those of other nouns."""


@pytest.mark.parametrize("noun", NOUNS.values(), ids=NOUNS.keys())
def test_what_the_client_requests_of_a_noun_is_a_verb(noun: Noun) -> None:
    assert noun.group in COMMANDS
    verbs = {REQUESTS[verb] for verb in noun.verbs}
    known = {name for name in REQUESTS.values() if hasattr(RESOURCES[noun.group], name)}
    by_hand = {name for name, nouns in BY_HAND.items() if noun.group in nouns}
    assert verbs | by_hand == known
    assert not verbs & by_hand


@pytest.mark.parametrize("noun", NOUNS.values(), ids=NOUNS.keys())
def test_each_column_is_a_field(noun: Noun) -> None:
    listed: Any = get_type_hints(RESOURCES[noun.group].list)["return"]
    (item,) = listed.__args__
    for title, path in noun.fields.items():
        field = path.partition(".")[0]
        assert not field or field in item.model_fields, title
    for name in noun.wide:
        assert name in noun.fields
    assert issubclass(item, BaseModel)
