"""What tests run on: hosts, targets and arrays, and how hosts are reached."""
