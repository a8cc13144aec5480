"""`python -m assay.supervisor` is `assay up`."""

import sys

from assay.supervisor.up import up

sys.exit(up())
