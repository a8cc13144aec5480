"""`python -m assay.openapi` prints the API's description, from which the client is generated."""

import json
import sys

from assay.app import app


def document() -> str:
    """The OpenAPI document, the same text for the same code."""
    return json.dumps(app.openapi(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
