"""Objects of the API as JSON documents, by id or name."""

import pytest
from assay.client import Assay, ChangedError, NotFoundError


def test_a_webhook_is_created_found_by_name_changed_and_deleted(assay: Assay) -> None:
    made = assay.webhooks.create(
        {"name": "ci / main", "url": "https://ci.example.com/", "events": ["campaign.ended.v1"]}
    )
    assert made["secret"].startswith("whsec_")
    found = assay.webhooks.get("ci / main")
    assert (found["id"], "secret" in found) == (made["id"], False)
    changed = assay.webhooks.change("ci / main", {"enabled": False}, etag=found["etag"])
    assert changed["enabled"] is False
    with pytest.raises(ChangedError):
        assay.webhooks.delete("ci / main", etag=found["etag"])
    assay.webhooks.delete("ci / main")
    assert list(assay.webhooks.list()) == []
    with pytest.raises(NotFoundError, match="There is no webhook 'ci / main'"):
        assay.webhooks.get("ci / main")


@pytest.mark.parametrize("name", ["a%20b", "50%41", "100%", "a/b%2", "%2e%2e"])
def test_a_name_with_percent_signs_is_decoded_once(assay: Assay, name: str) -> None:
    url = "https://ci.example.com/"
    made = assay.webhooks.create({"name": name, "url": url, "events": ["campaign.ended.v1"]})
    assert assay.webhooks.get(name)["id"] == made["id"]
