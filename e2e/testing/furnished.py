"""An appliance in use: one object of each noun, so that every id of the API exists."""

import json
from typing import Any

from assay.api.accounts.authentication import COOKIE, CSRF_HEADER
from assay.api.app import PREFIX
from assay.documents import openapi as api_document
from assay.inventory.hosts.lifecycle import DELETING
from assay.runs import lifecycle
from assay.runs.recording.ingest import ingest
from assay.runs.verdicts import examples
from assay.runs.verdicts.stored import store_ended
from assay.tables.arrays import Array, DeletedArray
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from assay.tables.hosts import Host, Inventory
from assay.tables.profiles import Profile
from assay.tables.targets import Target

from testing.api import FOUND, INVENTORY, Appliance, Caller, login_key
from testing.seeds import seed_run
from testing.spools import SECOND, Spool

METHODS = ("get", "post", "put", "patch", "delete")
DOCUMENT: dict[str, Any] = json.loads(api_document.document())
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path.removeprefix(PREFIX)}": operation
    for path, methods in sorted(DOCUMENT["paths"].items())
    for method, operation in sorted(methods.items())
    if method in METHODS
}
"""Every operation of the OpenAPI document, by method and path, objects before their parents."""

PASSWORD = "battery staple"
USERS = {"viewer": "viewer", "operator": "operator", "grace": "operator", "admin": "admin"}
"""Names and roles."""


class Furnished:
    """Users of each role, and their objects, including a campaign that ran.

    `pipeline` is the operator's token, and `ids` are those of existing objects, as named in paths.
    """

    def __init__(self, appliance: Appliance) -> None:
        self.appliance = appliance
        self.http = appliance.http
        users = {
            name: appliance.admin.post(
                "/users", {"name": name, "password": PASSWORD, "role": role}
            ).json()["id"]
            for name, role in USERS.items()
        }
        _, csrf = self.log_in("operator")
        made = self.http.post(
            f"{PREFIX}/tokens",
            json={"name": "pipeline", "role": "operator"},
            headers={CSRF_HEADER: csrf},
        ).json()
        self.http.cookies.clear()
        self.pipeline = Caller(appliance.http, made["token"])
        copied = appliance.operator.post(
            f"/profiles/{appliance.profile()}/copy", {"name": "My matrix of two blocks"}
        )
        self.ids: dict[str, int] = {}
        self.ids |= {
            "user_id": users["grace"],
            "token_id": made["id"],
            "credential_id": appliance.credential(),
            "profile_id": copied.json()["id"],
            "tool_id": self._tool(),
            "authority_id": self._authority(),
            "view_id": self._view(),
            **_measured(copied.json()["id"]),
            **self._webhook(),
        }
        self.ids["schedule_id"] = self._schedule()
        shares = self.path("POST /campaigns/{campaign_id}/shares")
        shared = appliance.operator.post(shares, {"expires_in_days": 1})
        self.ids["share_id"] = shared.json()["id"]

    def _tool(self) -> int:
        """Define a tool; return its id."""
        body = self.body("POST /tools") | {"name": "own-tool"}
        return self.appliance.admin.post("/tools", body).json()["id"]

    def _authority(self) -> int:
        """Trust a host authority; return its id."""
        body = self.body("POST /host-authorities") | {"name": "another fleet"}
        return self.appliance.admin.post("/host-authorities", body).json()["id"]

    def _view(self) -> int:
        """Save a view of the administrator; return its id."""
        _, csrf = self.log_in("admin")
        saved = self.http.post(
            f"{PREFIX}/views",
            json={"list": "hosts", "name": "Vaults", "search": {"q": "vault"}},
            headers={CSRF_HEADER: csrf},
        )
        self.http.cookies.clear()
        return saved.json()["id"]

    def _webhook(self) -> dict[str, int]:
        """Create a webhook and store a test event for it; return the ids of both."""
        body = self.body("POST /webhooks") | {"name": "Chat"}
        webhook_id = self.appliance.operator.post("/webhooks", body).json()["id"]
        sent = self.appliance.operator.post(f"/webhooks/{webhook_id}/test")
        return {"webhook_id": webhook_id, "delivery_id": sent.json()["id"]}

    def _schedule(self) -> int:
        """Schedule the campaign; return the schedule's id."""
        body = self.body("POST /schedules") | {"name": "own schedule"}
        made = self.appliance.operator.post("/schedules", body)
        assert made.status_code == 201, made.text
        return made.json()["id"]

    def log_in(self, name: str) -> tuple[str, str]:
        """Return a browser's cookie, and its CSRF token for writes."""
        login = {"name": name, "password": PASSWORD}
        self.http.cookies.clear()
        opened = self.http.post(f"{PREFIX}/session", json=login)
        assert opened.status_code == 201, opened.text
        return self.http.cookies[COOKIE], opened.json()["csrf"]

    def path(self, operation: str) -> str:
        """Return the operation's path, with existing ids."""
        return operation.partition(" ")[2].format(**self.ids)

    def body(self, operation: str) -> Any:
        """Return the documented example of the operation's body, with existing ids."""
        described = OPERATIONS[operation].get("requestBody")
        if described is None:
            return None
        schema = described["content"]["application/json"]["schema"]
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return self._with_ids(schema["examples"][0])

    def _with_ids(self, example: dict[str, Any]) -> dict[str, Any]:
        """Return an example with existing ids, also in the plan that it has."""
        body = dict(example)
        for name, of in self.ids.items():
            body |= dict.fromkeys((one for one in body if one.endswith(name)), of)
            if f"{name}s" in body:
                body[f"{name}s"] = [of]
        return body | ({"plan": self._with_ids(body["plan"])} if "plan" in body else {})


def _measured(profile_id: int) -> dict[str, int]:
    """Create a campaign whose one run has ended and failed its criterion; return all ids."""
    with writing() as session:
        run, participant, trials = seed_run(session, (65536, 262144), repeats=2)
        campaign = session.get_one(Campaign, run.campaign_id)
        seeded = session.get_one(Profile, campaign.profile_id)
        profile = session.get_one(Profile, profile_id)
        campaign.profile_id = profile_id
        campaign.profile_snapshot = {
            name: getattr(profile, name) for name in ("slug", "name", "version", "body")
        }
        campaign.parameters = {
            "profile_id": profile_id,
            "target_ids": [participant.target_id],
            "overrides": {},
        }
        session.flush()
        session.delete(seeded)
        target = session.get_one(Target, participant.target_id)
        target.facts = FOUND
        host = session.get_one(Host, participant.host_id)
        array = session.get_one(Array, participant.array_id)
        host.address, host.user = "host-1.example", "assay"
        host.credential_id = login_key(session)
        host.machine_id, array.serial = "3d1219c7c4c5404aaa1f6d2a48adfda4", "AC-20471"
        earlier, earlier_host = _registered_before(target), _host_before(host)
        earlier_array = _array_before(array)
        session.add_all([earlier, earlier_host, earlier_array])
        session.flush()
        session.get_one(Inventory, participant.inventory_id).body = INVENTORY
        spool = Spool().hello()
        for trial in trials:
            spool.trial(trial.position).sample(trial.position, bytes=10**7, ops=10, dt_ns=SECOND)
            spool.result(trial.position)
        ingest(session, participant.id, 1, 0, spool.end().data)
        for state in (lifecycle.FINISHING, lifecycle.DONE):
            lifecycle.enter(run, state)
        campaign.criteria = [examples.CRITERION]
        ids = {
            "host_id": participant.host_id,
            "target_id": target.id,
            "earlier_id": earlier.id,
            "earlier_host_id": earlier_host.id,
            "earlier_array_id": earlier_array.id,
            "campaign_id": run.campaign_id,
            "run_id": run.id,
            "trial_id": trials[0].id,
            "array_id": target.array_id or 0,
        }
    store_ended(ids["run_id"])
    return ids


def _registered_before(target: Target) -> Target:
    """Return a target of the same file system that was deleted before."""
    return Target(
        host_id=target.host_id,
        name="earlier",
        path="/mnt/earlier",
        fs_type=target.fs_type,
        fs_source=target.fs_source,
        fs_uuid=target.fs_uuid,
        facts=target.facts,
        retired_at=target.created_at,
    )


def _host_before(host: Host) -> Host:
    """Return an entry of the same machine that was deleted before."""
    return Host(
        name=f"{host.name} (deleted)",
        connection="ssh",
        state=DELETING,
        machine_id=host.machine_id,
        retired_at=host.created_at,
    )


def _array_before(array: Array) -> DeletedArray:
    """Return an array with the same serial number that was deleted before."""
    times = {"created_at": array.created_at, "deleted_at": array.created_at}
    return DeletedArray(id=900, name=array.name, serial=array.serial, **times)
