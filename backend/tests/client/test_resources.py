"""Lists whose objects are given by id or name, with the types of the API."""

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from assay.api.accounts.schemas import UserOut
from assay.api.webhooks.schemas import NewWebhook, WebhookChange, WebhookIn, WebhookOut
from assay.client import Assay, ChangedError, NotFoundError
from assay.client import appliance as connection
from assay.client.access import ShareLinks, Tokens
from assay.client.appliance import RESOURCES
from assay.inventory.credentials.schemas import CredentialOut
from assay.runs.schedules.schemas import ScheduleIn, ScheduleOut
from testing.api import Appliance
from testing.furnished import OPERATIONS, Furnished

PIPELINE = WebhookIn(name="ci / main", url="https://ci.example.com/", events=["campaign.ended.v1"])

LISTS = (*RESOURCES.values(), ShareLinks)

RENAMED = {"since": "from", "until": "to"}

CREATE = {"hosts": "register", "targets": "register", "campaigns": "launch"}
"""How an object is made, if it is not created."""


@pytest.fixture
def admin(address: str, appliance: Appliance) -> Iterator[Assay]:
    """A connection of an administrator."""
    with Assay(address, appliance.admin.token) as assay:
        yield assay


def test_a_webhook_is_created_found_by_name_changed_and_deleted(assay: Assay) -> None:
    made = assay.webhooks.create(PIPELINE)
    assert isinstance(made, NewWebhook)
    assert made.secret.startswith("whsec_")
    found = assay.webhooks.get("ci / main")
    assert type(found) is WebhookOut
    assert found.id == made.id
    changed = assay.webhooks.change("ci / main", WebhookChange(enabled=False), etag=found.etag)
    assert (changed.enabled, changed.events) == (False, ["campaign.ended.v1"])
    with pytest.raises(ChangedError):
        assay.webhooks.delete("ci / main", etag=found.etag)
    assert list(assay.webhooks.list(enabled=True)) == []
    (sent,) = [assay.webhooks.test(made.id)]
    assert [one.id for one in assay.webhooks.deliveries("ci / main", state="pending")] == [sent.id]
    assert assay.webhooks.delivery(made.id, sent.id).event == "webhook.test.v1"
    replaced = assay.webhooks.replace_secret(made.id, previous_valid_hours=0)
    assert replaced.secret != made.secret
    assay.webhooks.delete("ci / main")
    assert list(assay.webhooks.list()) == []
    with pytest.raises(NotFoundError, match="There is no webhook 'ci / main'"):
        assay.webhooks.get("ci / main")


@pytest.mark.parametrize("name", ["a%20b", "50%41", "100%", "a/b%2", "%2e%2e"])
def test_a_name_with_percent_signs_is_decoded_once(assay: Assay, name: str) -> None:
    url = "https://ci.example.com/"
    made = assay.webhooks.create({"name": name, "url": url, "events": ["campaign.ended.v1"]})
    assert assay.webhooks.get(name).id == made.id


def test_a_schedule_is_previewed_created_and_run(assay: Assay, appliance: Appliance) -> None:
    body = Furnished(appliance).body("POST /schedules") | {"name": "nightly"}
    made = assay.schedules.create(ScheduleIn.model_validate(body))
    assert type(made) is ScheduleOut
    times = assay.schedules.preview({"cron": made.cron, "zone": made.zone}).fire_times
    assert [one.at for one in times] == [one.at for one in made.next]
    assert assay.schedules.pause("nightly").state == "paused"
    assert [one.name for one in assay.schedules.list(state="paused")] == ["nightly"]
    assert assay.schedules.resume("nightly").state == "active"
    launched = assay.schedules.run("nightly")
    (firing,) = assay.schedules.firings("nightly")
    assert firing.campaign is not None
    assert firing.campaign.id == launched.id
    assert [one.id for one in assay.campaigns.list(schedule="nightly")] == [launched.id]


def test_users_credentials_and_tools_have_types(admin: Assay) -> None:
    made = admin.users.create(
        {"name": "grace", "role": "viewer", "password": "correct horse battery"}
    )
    assert type(made) is UserOut
    assert admin.users.change("grace", {"role": "operator"}, etag=made.etag).role == "operator"
    assert [one.name for one in admin.users.list(role=["operator", "admin"])] == ["grace"]
    key = admin.credentials.create({"name": "lab key", "kind": "generated"})
    assert type(key) is CredentialOut
    assert [one.id for one in admin.credentials.list(kind="generated")] == [key.id]
    builtin = next(admin.tools.list(q="rsync"))
    own = builtin.definition.model_copy(update={"name": "own-rsync"})
    created = admin.tools.create(own)
    assert not created.builtin
    titled = own.model_copy(update={"title": "Our rsync"})
    changed = admin.tools.replace("own-rsync", titled, etag=created.etag)
    assert changed.definition.title == "Our rsync"


def test_history_notes_and_what_runs_compare_with_have_types(
    admin: Assay, appliance: Appliance
) -> None:
    ids = Furnished(appliance).ids
    history = admin.arrays.history(ids["array_id"], limit=10)
    assert [point.run_id for point in history.points] == [ids["run_id"]]
    assert admin.arrays.write_notes(ids["array_id"], "Fan replaced").text == "Fan replaced"
    assert admin.runs.write_notes(ids["run_id"], "Slow fan").changed_by is not None
    assert admin.runs.notes(ids["run_id"]).text == "Slow fan"
    assert admin.matches(array_id=ids["array_id"]).items == []
    decided = admin.targets.decide(ids["target_id"], ids["earlier_id"], same=False)
    assert (decided.earlier_id, decided.same) == (ids["earlier_id"], False)
    admin.targets.undo_decision(ids["target_id"], ids["earlier_id"])
    assert admin.runs.suggestions(ids["run_id"]).previous is None
    assert admin.runs.trial(ids["trial_id"]).attempts
    (hit,) = admin.search("own schedule").groups
    assert (hit.type, hit.hits[0].id) == ("schedule", ids["schedule_id"])
    assert next(admin.audit(actor="operator", sort="id")).action == "session.opened"
    assert admin.overview().latest[0].run_id == ids["run_id"]
    assert admin.health().database.ok
    assert admin.me().role == "admin"
    assert {one.kind for one in admin.metrics()} >= {"matrix", "sustained"}
    (checked,) = admin.check_criteria({"criteria": ["durable.mean >= 4 MB/s"]}).criteria
    assert checked.mistake is None


@pytest.mark.parametrize("of", LISTS)
def test_the_lists_of_the_client_are_those_of_the_api(of: Any, assay: Assay) -> None:
    made = assay.shares(7) if of is ShareLinks else of(assay)
    template = made.path_of("x").removesuffix("/x").replace("/7/", "/{campaign_id}/")
    operation = OPERATIONS[f"GET {template}"]
    of_pages = {"cursor", "limit", "fields"}
    (where,) = get_args(get_type_hints(of.list)["where"])
    filters = {RENAMED.get(name, name) for name in get_type_hints(where)}
    known = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
    assert filters == known - of_pages
    below = [
        one for one in OPERATIONS if re.fullmatch(rf"\w+ {re.escape(template)}(/{{\w+}})?", one)
    ]
    methods = {"POST": "create", "PATCH": "change", "DELETE": "delete", "PUT": "replace"}
    for method, name in methods.items():
        known = any(one.startswith(f"{method} ") for one in below)
        browsers = of is Tokens and method == "POST"
        made = CREATE.get(template[1:], name) if method == "POST" else name
        assert hasattr(of, made) == (known and not browsers), (of, name)


def test_no_request_of_the_client_returns_an_untyped_document(assay: Assay) -> None:
    lists: set[type[object]] = {type(one) for one in vars(assay).values() if hasattr(one, "list")}
    assert len(lists) >= 13
    for of in (*lists, connection.Assay):
        for name, method in vars(of).items():
            if inspect.isfunction(method) and not name.startswith("_"):
                returned = get_type_hints(method)["return"]
                assert not {Any, dict} & {returned, *parts_of(returned)}, (of, name)


def parts_of(hint: Any) -> set[Any]:
    """Return the types of which a generic one is made."""
    below = [part for one in get_args(hint) for part in (one, *parts_of(one))]
    return {get_origin(hint), *below}
