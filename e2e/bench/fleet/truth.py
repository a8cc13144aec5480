"""What the hosts wrote, held against what the database has: nothing lost, nothing doubled."""

import zlib
from collections.abc import Mapping
from typing import Any

from assay.db.database import reading
from assay.hosts.models import Host as HostRow
from assay.recording.record import raw_log
from assay.runs.attempts import COUNTED
from assay.runs.models import Attempt, Participant, Reservation, Run
from assay.samples.models import rollups, samples
from fleet.host import Host
from sqlalchemy import func, select


def differences(hosts: Mapping[str, Host]) -> list[str]:
    """Every way in which the database differs from what was written; empty when it is right."""
    found: list[str] = []
    with reading() as session:
        for participant, name, state in session.execute(
            select(Participant, HostRow.name, Run.state)
            .join(HostRow, HostRow.id == Participant.host_id)
            .join(Run, Run.id == Participant.run_id)
        ):
            host = hosts[name]
            log = b"".join(data for _, data in raw_log(session, participant.id))
            of_it = samples.c.participant_id == participant.id
            stored = session.execute(
                select(func.count(), func.max(samples.c.seq), func.sum(samples.c.bytes)).where(
                    of_it
                )
            ).one()
            attempts = select(Attempt.status).where(Attempt.participant_id == participant.id)
            rolled = session.scalar(
                select(func.sum(rollups.c.count))
                .join(Attempt, Attempt.id == rollups.c.attempt_id)
                .where(Attempt.participant_id == participant.id, rollups.c.level == 1)
            )
            expected: dict[str, tuple[Any, Any]] = {
                "the run's state": (state, "done"),
                "events": (participant.next_seq, len(host.written_at)),
                "bytes of the log": (participant.offset, len(host.spool)),
                "the log's checksum": (zlib.crc32(log), zlib.crc32(host.spool)),
                "samples": (stored[0], len(host.samples)),
                "the last sample": (stored[1], host.samples[-1]),
                "bytes claimed": (int(stored[2] or 0), host.bytes_claimed),
                "samples in roll-ups": (int(rolled or 0), len(host.samples)),
                "attempts that do not count": (
                    [s for s in session.scalars(attempts) if s not in COUNTED],
                    [],
                ),
                "starts of a probe": (host.starts, 1),
            }
            found += [
                f"{name}: {what}: {there!r}, expected {right!r}"
                for what, (there, right) in expected.items()
                if there != right
            ]
        left = session.scalar(select(func.count()).select_from(Reservation))
    return found + ([f"{left} reservations are left"] if left else [])
