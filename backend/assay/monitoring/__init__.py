"""What other systems watch: metrics for Prometheus, and logs as JSON."""
