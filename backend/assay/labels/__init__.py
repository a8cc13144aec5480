"""Labels of hosts, targets, arrays, campaigns and runs."""
