"""Comparison of what the hosts wrote with the database: nothing lost, nothing duplicated."""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from assay.runs.attempts import COUNTED
from assay.runs.samples.blocks import Course
from assay.runs.samples.raw import raw_log
from assay.runs.samples.stored import Samples
from assay.tables.database import reading
from assay.tables.hosts import Host as HostRow
from assay.tables.runs import Attempt, Participant, Reservation, Run
from assay.tables.samples import SampleBlock
from fleet.host import Host
from sqlalchemy import func, select


def differences(hosts: Mapping[str, Host]) -> list[str]:
    """Return every difference between the database and what was written; empty if there is none."""
    found: list[str] = []
    with reading() as session:
        for participant, name, state in session.execute(
            select(Participant, HostRow.name, Run.state)
            .join(HostRow, HostRow.id == Participant.host_id)
            .join(Run, Run.id == Participant.run_id)
        ):
            host = hosts[name]
            log = b"".join(data for _, data in raw_log(session, participant.id))
            attempts = session.scalars(
                select(Attempt).where(Attempt.participant_id == participant.id)
            ).all()
            courses = [Samples(session, attempt).course(0) for attempt in attempts]
            rolled = [Samples(session, attempt).course(1) for attempt in attempts]
            sealed = session.scalar(
                select(func.sum(SampleBlock.count)).where(SampleBlock.run_id == participant.run_id)
            )
            expected: dict[str, tuple[Any, Any]] = {
                "the run's state": (state, "done"),
                "events": (participant.next_seq, len(host.written_at)),
                "bytes of the log": (participant.offset, len(host.spool)),
                "the log's checksum": (zlib.crc32(log), zlib.crc32(host.spool)),
                "samples": (_total(courses, "count"), len(host.samples)),
                "samples in blocks": (int(sealed or 0), len(host.samples)),
                "bytes claimed": (_total(courses, "bytes"), host.bytes_claimed),
                "samples in roll-ups": (_total(rolled, "count"), len(host.samples)),
                "attempts that do not count": (
                    [one.status for one in attempts if one.status not in COUNTED],
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


def _total(courses: Sequence[Course], name: str) -> int:
    return sum(value or 0 for course in courses for value in course[name])
