"""The report of a campaign: one HTML file that needs nothing else."""
