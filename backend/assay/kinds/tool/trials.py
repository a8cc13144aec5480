"""The figures of a trial of a tool test, from the attempts of its source and its sink."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.analysis import flags
from assay.analysis.flags import Flag, ordered
from assay.analysis.served_by import ServedBy
from assay.analysis.statuses import COUNTED, of_trial
from assay.kinds.cells import RatedTrial
from assay.kinds.evidence import Findings, bytes_per_s, find
from assay.kinds.programs import ToolDefinition
from assay.kinds.run_record import AttemptBeside, AttemptRecord, HostLoad, RunRecord, TrialRecord
from assay.kinds.tool.parameters import ToolParameters
from assay.kinds.transfer.cells import named
from assay.kinds.transfer.comparison import GB
from assay.kinds.transfer.streams import Card, card_of, detail_of

SOURCE, SINK = 0, 1
"""The participants by their position in a run."""

_MOST_DIGITS = 18
"""Of a number of bytes that a tool reports."""

QUIET_SHARE = 0.25
"""If a host used more of its CPUs before a transfer, its CPU time says nothing about the tool."""


@dataclass(frozen=True)
class Arrived:
    """What was found at the sink after the final sync, compared with the input byte by byte.

    Counts are of files or of records. `intact` ones are complete and identical. A `wrong` record is
    a line that is none of the input's. `unexpected` files have names that are not in the input;
    `unexpected_name` is one of them.
    """

    intact: int
    intact_bytes: int
    missing: int
    incomplete: int
    wrong: int
    duplicate: int
    unexpected: int
    unexpected_name: str | None
    elsewhere_bytes: int | None

    @property
    def lost(self) -> int:
        """What did not arrive, or not as it was."""
        return self.missing + self.incomplete


@dataclass(frozen=True)
class ToolEnd:
    """What one end did during a transfer.

    `busy_s` is the CPU time of the whole host from the start to the end of the transfer, at the
    sink with the final sync, `idle_s` the part of it that the host would have used anyway, by its
    use just before, which was that of `idle_cores`. `own_s` is the time of the processes that Assay
    started there; those that a tool starts by a login of its own are not among them.
    """

    load: HostLoad | None
    card: Card | None
    card_rx_bytes: int | None
    card_tx_bytes: int | None
    cpus: int
    busy_s: float
    idle_s: float
    idle_cores: float
    own_s: float
    device_bytes: int | None

    @property
    def cpu_s(self) -> float | None:
        """CPU seconds of the transfer: those of the host, without what it uses anyway.

        None if the host was so busy before that they cannot be told from what it does otherwise.
        """
        if self.idle_cores > QUIET_SHARE * self.cpus:
            return None
        return max(0.0, self.busy_s - self.idle_s)


@dataclass(frozen=True)
class CommandEnd:
    """How the source's command ended: its exit code or signal, and the end of what it printed."""

    exit_code: int | None
    signal: int | None
    ns: int
    output: str
    errors: str


@dataclass(frozen=True, kw_only=True)
class ToolTrial(RatedTrial):
    """One transfer by a tool. Rates are in bytes per second.

    They count what arrived intact, or what the tool reports if its data is its own. The application
    rate is up to the end of the transfer: the exit of the source's command, or the last growth at
    the sink if that is later. The durable rate is with the time of the final sync, which begins
    `handover_ns` after the end of the transfer; that pause is in neither rate.
    """

    length_bytes: int
    bytes: int
    transfer_ns: int | None
    sync_ns: int | None
    handover_ns: int | None
    cpu_s_per_gb: float | None
    arrived: Arrived | None
    served_by: ServedBy | None
    source: ToolEnd | None
    sink: ToolEnd | None
    command: CommandEnd | None

    @property
    def is_whole(self) -> bool:
        """Whether all of the input arrived as it was, as far as that is known."""
        found = self.arrived
        return found is None or not (found.lost or found.wrong or found.duplicate)


def measured(run: RunRecord, trial: TrialRecord, definition: ToolDefinition) -> ToolTrial:
    """Return the figures of a trial in any state."""
    source, sink = trial.deciding
    cell = ToolParameters.model_validate({"kind": "tool", **trial.parameters})
    statuses = [one.status if one else "waiting" for one in (source, sink)]
    status = of_trial(statuses)
    ends = _end(source), _end(sink)
    command = _command(source)
    arrived = _arrived(sink)
    moved = _moved(definition, command, arrived)
    times = _times(source, sink) if status in COUNTED else None
    transfer_ns, sync_ns, handover_ns = times or (None, None, None)
    durable_ns = None if sync_ns is None or transfer_ns is None else transfer_ns + sync_ns
    found = _findings(run, trial, cell, definition)
    return ToolTrial(
        id=trial.id,
        repeat=trial.repeat,
        status=status,
        reason=trial.reason,
        attempts=trial.attempts,
        again=trial.again,
        length_bytes=cell.length_bytes,
        bytes=moved or 0,
        transfer_ns=transfer_ns,
        sync_ns=sync_ns,
        handover_ns=handover_ns,
        application_bytes_per_s=_rate(moved, transfer_ns),
        durable_bytes_per_s=_rate(moved, durable_ns) if cell.length_bytes else None,
        cpu_s_per_gb=_cpu(run, ends, moved) if status in COUNTED else None,
        arrived=arrived,
        served_by=_served_by(found),
        flags=_flags(trial, status, found, moved or 0, (transfer_ns, durable_ns)),
        source=ends[SOURCE],
        sink=ends[SINK],
        command=command,
    )


def _rate(moved: int | None, ns: int | None) -> float | None:
    return bytes_per_s(moved, ns) if moved else None


def _times(
    source: AttemptRecord | None, sink: AttemptRecord | None
) -> tuple[int, int | None, int] | None:
    """Return the duration of the transfer, of the final sync, and of the pause between, in ns.

    Both ends count from the agreed start.
    """
    at_source, at_sink = detail_of(source), detail_of(sink)
    if source is None or sink is None or at_source is None or at_sink is None:
        return None
    exited = source.delay_ns + at_source["command"]["ns"]
    grown = sink.delay_ns + (at_sink["arrived_ns"] or 0)
    ended = max(exited, grown)
    told = at_sink["told_ns"]
    return ended, at_sink["sync_ns"], max(0, sink.delay_ns + told - ended) if told else 0


def _command(source: AttemptRecord | None) -> CommandEnd | None:
    detail = detail_of(source)
    found = detail["command"] if detail else None
    if found is None:
        return None
    return CommandEnd(**{name: one for name, one in found.items() if name != "cpu_ns"})


def _arrived(sink: AttemptRecord | None) -> Arrived | None:
    """Return what was found at the sink; None before its check, and without an input."""
    detail = detail_of(sink)
    found = detail["arrived"] if detail else None
    if detail is None or found is None:
        return None
    return Arrived(**found, elsewhere_bytes=detail["elsewhere_bytes"])


def _moved(
    definition: ToolDefinition, command: CommandEnd | None, arrived: Arrived | None
) -> int | None:
    """Return the bytes that arrived intact, or as many as the tool reports; None if unknown."""
    if arrived is not None:
        return arrived.intact_bytes
    if not definition.reported_bytes or command is None:
        return None
    reported = re.search(definition.reported_bytes, command.output)
    digits: str = (reported and reported.group(1)) or ""
    known = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) if known else None


def _end(attempt: AttemptRecord | None) -> ToolEnd | None:
    detail = detail_of(attempt)
    if attempt is None or detail is None:
        return None
    result = attempt.result or {}
    command = detail["command"]
    share = detail["busy_window_ns"] / detail["idle_window_ns"] if detail["idle_window_ns"] else 0
    return ToolEnd(
        load=attempt.load,
        card=card_of(detail["card"]),
        card_rx_bytes=detail["card_rx_bytes"],
        card_tx_bytes=detail["card_tx_bytes"],
        cpus=detail["cpus"],
        busy_s=detail["busy_ns"] / 1e9,
        idle_s=share * detail["idle_busy_ns"] / 1e9,
        idle_cores=detail["idle_busy_ns"] / max(1, detail["idle_window_ns"]),
        own_s=command["cpu_ns"] / 1e9 if command else 0.0,
        device_bytes=result.get("dev_durable_bytes"),
    )


def _cpu(
    run: RunRecord, ends: tuple[ToolEnd | None, ToolEnd | None], moved: int | None
) -> float | None:
    """Return the CPU seconds per 10^9 bytes of both ends; of one host, if both are there."""
    if not moved or ends[SOURCE] is None or ends[SINK] is None:
        return None
    used = [cpu for one in ends if one and (cpu := one.cpu_s) is not None]
    if len(used) < len(ends):
        return None
    return (max(used) if on_one_host(run) else sum(used)) * GB / moved


def on_one_host(run: RunRecord) -> bool:
    """Return whether both ends are on the same machine."""
    boots = {site.boot_id for site in run.sites}
    return len(boots) == 1 and None not in boots


def _findings(
    run: RunRecord, trial: TrialRecord, cell: ToolParameters, definition: ToolDefinition
) -> dict[int, Findings]:
    """Return who served the disk of each end, and who else used it, by position.

    The source is claimed to have read all of its input, once.
    """
    found: dict[int, Findings] = {}
    source, sink = trial.deciding
    if not cell.length_bytes:
        return found
    claimed = (source and replace(source, bytes=cell.length_bytes), sink)
    for place in (SOURCE, SINK):
        attempt, other = claimed[place], 1 - place
        if attempt is None or attempt.status not in COUNTED or attempt.result is None:
            continue
        operation = "read" if place == SOURCE else "write"
        serves = place == SINK and bool(definition.sink_command)
        readings = _as_own(attempt.result["contention"], operation, attempt.bytes, serves=serves)
        own = replace(attempt, result={**attempt.result, "contention": readings})
        beside = [AttemptBeside(run.sites[other].boot_id, claimed[other])]
        alone = replace(trial, deciding=[own], beside=beside)
        view = replace(run, sites=[run.sites[place]])
        one = find(view, alone, 0, operation=operation, cache="page")
        if one is not None:
            found[place] = one
    return found


def _as_own(
    readings: Mapping[str, int | None] | None, operation: str, moved: int, *, serves: bool
) -> dict[str, int | None] | None:
    """Return the readings of other I/O with that of the tool's processes as the trial's own.

    They moved the claimed bytes. What a program that `serves` the sink wrote beyond them, such as a
    log, cannot be told from the writes of others, and counts as the tool's.
    """
    if readings is None:
        return None
    own, others = f"own_{operation}_bytes", f"others_{operation}_bytes"
    of_others = readings[others] or 0
    tools = max(moved, of_others) if serves else moved
    known = readings[own]
    return {
        **readings,
        own: None if known is None else known + tools,
        others: max(0, of_others - tools),
    }


def _served_by(found: Mapping[int, Findings]) -> ServedBy | None:
    """Return where the durable rate ended: whether the data reached the sink's device."""
    sink = found.get(SINK)
    return sink.durable if sink else None


def _flags(
    trial: TrialRecord,
    status: str,
    found: Mapping[int, Findings],
    moved: int,
    times: tuple[int | None, int | None],
) -> list[Flag]:
    """Return the flags of both ends; `times` are those without and with the final sync."""
    transfer_ns, durable_ns = times
    own: list[Flag] = []
    for place, attempt in enumerate(trial.deciding):
        if attempt is None:
            continue
        role = ("source", "sink")[place]
        readings = flags.Readings(
            status=attempt.status,
            block=1,
            threads=1,
            files=1,
            bytes=moved,
            operations=_ENOUGH,
            app_ns=transfer_ns,
            durable_ns=durable_ns,
            contention=found[place].contention if place in found else None,
            sized_by="length",
            attempts=trial.attempts,
            disturbance=attempt.disturbance,
        )
        if status in COUNTED:
            judged = [
                one for one in flags.judge(readings) if place == SINK or one.code != "too_short"
            ]
        else:
            disturbed = flags.of_disturbance(attempt.status, attempt.disturbance, trial.attempts)
            judged = [disturbed] if disturbed else []
        own += [named(one, role) for one in judged]
    return ordered(own)


_ENOUGH = 1_000
"""A tool's operations are its own: their number says nothing about its rate."""
