"""`python -m assay.documents.openapi` prints the OpenAPI document, the source of the client."""

import json
import sys

from assay.api.app import app


def document() -> str:
    """Return the OpenAPI document; deterministic, with fields in the order of their models."""
    return json.dumps(app.openapi(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
