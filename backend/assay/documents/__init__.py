"""Generated documents: `python -m assay.documents.NAME` writes one."""
