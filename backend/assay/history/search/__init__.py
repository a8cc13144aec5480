"""Search by words over hosts, arrays, targets, profiles, campaigns, runs and schedules."""
