"""Profiles: named, versioned lists of tests."""
