"""Search by words over hosts, arrays, targets, profiles, campaigns and runs."""
