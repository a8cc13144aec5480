"""Errors of the API are exceptions with code, field, value and remedy."""

from typing import Any

import pytest
from assay.client import (
    AccessError,
    Assay,
    ChangedError,
    ConflictError,
    InvalidError,
    NotFoundError,
)
from assay.client.errors import api_error
from testing.api import Appliance


def test_an_invalid_field_has_value_and_remedy(assay: Assay) -> None:
    with pytest.raises(InvalidError) as refused:
        assay.hosts.register({"name": "web-1", "connection": "local", "port": 0})
    error = refused.value
    assert (error.status, error.code, error.field, error.value) == (422, "invalid", "port", 0)
    assert error.remedy == "Give 1 or more."
    assert "port: must be at least 1" in str(error)
    assert "port is 0. Give 1 or more." in str(error)


def test_a_misspelled_name_is_answered_with_the_nearest(assay: Assay, appliance: Appliance) -> None:
    appliance.target(appliance.host("web-1"), "/mnt/disk")
    with pytest.raises(NotFoundError, match="'web-1/mnt/disc'") as missing:
        assay.targets.get("web-1/mnt/disc")
    assert missing.value.remedy == "Did you mean `web-1/mnt/disk`?"
    with pytest.raises(InvalidError) as refused:
        list(assay.targets.list(target="web-1/mnt/disc"))
    assert (refused.value.field, refused.value.value) == ("target", "web-1/mnt/disc")


def test_what_a_token_may_not_do_is_told_apart_from_no_login(
    address: str, appliance: Appliance
) -> None:
    with Assay(address, "assay_wrong") as stranger, pytest.raises(AccessError) as refused:
        stranger.hosts.get(1)
    assert refused.value.status == 401
    with Assay(address, appliance.viewer.token) as viewer, pytest.raises(AccessError) as refused:
        viewer.arrays.create({"name": "vault"})
    assert (refused.value.status, refused.value.code) == (403, "not_allowed")


def test_a_conflict_has_the_id_of_what_is_in_the_way(assay: Assay) -> None:
    first = assay.arrays.create({"name": "vault"})
    with pytest.raises(ConflictError) as refused:
        assay.arrays.create({"name": "vault"})
    assert (refused.value.code, refused.value.existing_id) == ("name_taken", first.id)
    assert refused.value.field == "name"


def test_a_change_that_would_overwrite_another_fails(assay: Assay) -> None:
    array = assay.arrays.create({"name": "vault"})
    changed = assay.arrays.change(array.id, {"vendor": "Acme"}, etag=array.etag)
    with pytest.raises(ChangedError) as refused:
        assay.arrays.change(array.id, {"vendor": "Other"}, etag=array.etag)
    assert refused.value.facts["etag"] == changed.etag


def test_what_there_is_not_is_not_found(assay: Assay) -> None:
    for request in (assay.hosts.get, assay.campaigns.get, assay.runs.result):
        with pytest.raises(NotFoundError, match="999"):
            request(999)


@pytest.mark.parametrize(
    ("members", "text", "remedy"),
    [
        ({"detail": "Rack 1. left is busy."}, "Busy: Rack 1. left is busy.", None),
        (
            {"detail": "Rack 1. left is busy.", "remedy": "Wait."},
            "Busy: Rack 1. left is busy. Wait.",
            "Wait.",
        ),
        ({"detail": "Busy", "remedy": "Wait."}, "Busy: Wait.", "Wait."),
        ({"detail": "Busy"}, "Busy", None),
        (
            {
                "detail": "a: is b",
                "errors": [{"field": "a", "message": "is b", "remedy": "Give c."}],
            },
            "Busy: a: is b\n  a. Give c.",
            "Give c.",
        ),
    ],
)
def test_an_error_reads_as_title_reason_and_remedy(
    members: dict[str, Any], text: str, remedy: str | None
) -> None:
    document = {"type": "/problems/busy", "title": "Busy", "status": 409, "code": "busy"}
    error = api_error(409, document | members, "", None)
    assert (str(error), error.remedy) == (text, remedy)
