"""The check of a host for a tool: its check command, as a run would use it."""

import shlex
from typing import Any

from assay.db.database import reading
from assay.hosts.models import Check, Host
from assay.kinds.programs import ToolDefinition

from assay_worker.checks.progress import CheckProgress
from assay_worker.driver.login_files import SSH_CONFIG, login_files
from assay_worker.driver.orders import addresses, command, logs_in
from assay_worker.hosts import LOCAL, access_to, probe_on
from assay_worker.loop import in_thread

TIMEOUT_S = 45.0
LONGEST_MESSAGE = 1000


async def check_program(check: Check, progress: CheckProgress) -> dict[str, Any]:
    """Return whether the host has what a tool needs, and why not; raises HostError."""
    request = check.request
    definition = ToolDefinition.model_validate(request["definition"])
    source, sink = await in_thread(_hosts, request["source_host_id"], request["sink_host_id"])
    way = await in_thread(access_to, check.host_id)
    await progress.step("login")
    async with probe_on(way) as probe:
        await progress.step("command")
        directory = f"{probe.runs}/tool-check-{check.id}"
        here = shlex.quote(directory)
        values = {
            **addresses(
                request["source_address"] or _address(source),
                request["sink_address"] or _address(sink),
            ),
            "ssh_config": f"{directory}/{SSH_CONFIG}",
        }
        text = command(definition, f"{request['side']}_check", values)
        if text is None:
            return {"found": True, "message": None}
        login = "true"
        if logs_in(definition):
            login = login_files(sink, str(values["sink_address"]), directory)
        script = (
            f"mkdir -p {here} && trap 'rm -rf '{shlex.quote(here)} EXIT && {login} && {{ {text}\n}}"
        )
        # by standard input: a tool's commands may be longer than a command line
        finished = await probe.connection.run(
            ["/bin/sh", "-c", 'eval "$(cat)"'], script.encode(), timeout_s=TIMEOUT_S
        )
    said = finished.complaint or finished.stdout.decode(errors="replace").strip()
    good = finished.exit_code == 0
    message = said or f"The check ended with exit code {finished.exit_code} and printed nothing."
    return {"found": good, "message": None if good else message[-LONGEST_MESSAGE:]}


def _hosts(source_id: int, sink_id: int) -> tuple[Host, Host]:
    with reading() as session:
        return session.get_one(Host, source_id), session.get_one(Host, sink_id)


def _address(host: Host) -> str:
    return "127.0.0.1" if host.connection == LOCAL else host.address or ""
