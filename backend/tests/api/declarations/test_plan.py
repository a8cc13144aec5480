"""What the plan of a file says about an obstacle."""

from collections.abc import Callable

import pytest
from assay.api.declarations.plan import in_entry, sentences
from assay.api.endpoints.arrays import ArrayInUse
from assay.base.errors import Conflict, NotFound, Problem
from assay.base.field_errors import FieldError
from assay.inventory.hosts.jump_hosts import JumpHostInUse
from assay.inventory.hosts.schemas import HostName
from testing.api import Appliance, problem

from .applying import applied, apply

NAMES = ["web-1", "Rack 1. left", "Rack 1. left. top", "Rack 1.", "Why? Because. It is: so"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("made", "message", "remedy"),
    [
        (
            lambda name: JumpHostInUse([HostName(id=1, name=name)]),
            "It is the jump host of '{name}'",
            "Change or delete these hosts first; one that is being deleted is gone in a moment.",
        ),
        (
            lambda name: ArrayInUse([f"{name}:/mnt/a"]),
            "{name}:/mnt/a belong to it",
            "Assign another array or none, or delete them.",
        ),
        (
            lambda name: NotFound("host", name, f"Did you mean `{name}`?"),
            "There is no host '{name}'",
            "Did you mean `{name}`?",
        ),
        (lambda name: Conflict(f"{name} is busy."), "{name} is busy", "Change the file."),
    ],
    ids=["jump-host", "array", "unknown", "without-remedy"],
)
def test_a_problem_of_an_entry_has_reason_and_remedy_whole(
    name: str, made: Callable[[str], Problem], message: str, remedy: str
) -> None:
    message, remedy = message.format(name=name), remedy.format(name=name)
    (error,) = in_entry("hosts.0", made(name))
    assert error == FieldError("hosts.0", message, remedy)
    assert sentences(error) == f"`0`: {message}. {remedy}"


@pytest.mark.parametrize("name", NAMES)
def test_what_prevents_a_removal_is_told_whole(appliance: Appliance, name: str) -> None:
    applied(appliance, "name: lab\narrays: [{name: vault}]")
    (array,) = appliance.viewer.get("/arrays").json()["items"]
    target = appliance.target(appliance.host(name), "/mnt/a")
    change = appliance.operator.patch(f"/targets/{target}", {"array_id": array["id"]})
    assert change.status_code == 200, change.text
    reason, remedy = f"{name}:/mnt/a belong to it", "Assign another array or none, or delete them."
    refused = problem(appliance.admin.delete(f"/arrays/{array['id']}"), 409, "array_in_use")
    assert (refused["detail"], refused["remedy"]) == (f"{reason}.", remedy)
    plan = problem(apply(appliance.admin, "name: lab", prune=True), 409, "file_refused")
    (error,) = plan["errors"]
    assert error["message"] == f"array 'vault' cannot be removed: {reason}"
    assert error["remedy"] == remedy
