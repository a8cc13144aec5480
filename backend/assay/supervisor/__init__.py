"""`assay up`: one process that starts the others, keeps them alive and ends them in order."""
