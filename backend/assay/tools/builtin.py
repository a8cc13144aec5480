"""The built-in tools, stored in the database at every start."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from assay.db.clock import now
from assay.kinds.programs import ToolDefinition
from assay.tools.definitions import daemons, fdt, kafka, loggers, ssh
from assay.tools.models import Tool
from assay.tools.schemas import stored

AUTHOR = "assay"

BUILTINS: tuple[ToolDefinition, ...] = (
    ssh.RSYNC,
    daemons.RSYNC,
    ssh.SCP,
    ssh.SFTP,
    ssh.TAR,
    ssh.CAT,
    daemons.IPERF3,
    fdt.FDT,
    kafka.KAFKA,
    loggers.RSYSLOG,
    loggers.FLUENTD,
)


def install(session: Session) -> None:
    """Store the built-in tools in the database; does nothing if they are stored."""
    known = {one.name: one for one in session.scalars(select(Tool))}
    for builtin in BUILTINS:
        row, definition = known.get(builtin.name), stored(builtin)
        if row is None:
            session.add(
                Tool(name=builtin.name, builtin=True, definition=definition, changed_by=AUTHOR)
            )
        elif row.builtin and row.definition != definition:
            row.definition, row.changed_at = definition, now(session)
