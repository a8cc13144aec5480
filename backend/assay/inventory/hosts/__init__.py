"""The machines that Assay reaches."""
