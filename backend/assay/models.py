"""Import all tables, so that migrations and tests see the whole schema."""

from assay.accounts import models as accounts
from assay.arrays import models as arrays
from assay.authorities import models as authorities
from assay.campaigns import models as campaigns
from assay.credentials import models as credentials
from assay.db.database import Base
from assay.history import models as history
from assay.hosts import models as hosts
from assay.idempotency import models as idempotency
from assay.labels import models as labels
from assay.notes import models as notes
from assay.profiles import models as profiles
from assay.retention import models as retention
from assay.runs import models as runs
from assay.samples import models as samples
from assay.schedules import models as schedules
from assay.sharing import models as sharing
from assay.targets import models as targets
from assay.tokens import models as tokens
from assay.tools import models as tools
from assay.verdicts import models as verdicts
from assay.views import models as views
from assay.webhooks import models as webhooks

__all__ = [
    "Base",
    "accounts",
    "arrays",
    "authorities",
    "campaigns",
    "credentials",
    "history",
    "hosts",
    "idempotency",
    "labels",
    "notes",
    "profiles",
    "retention",
    "runs",
    "samples",
    "schedules",
    "sharing",
    "targets",
    "tokens",
    "tools",
    "verdicts",
    "views",
    "webhooks",
]
