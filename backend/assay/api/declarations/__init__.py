"""Qualification files: hosts, targets, arrays and profiles as YAML."""
