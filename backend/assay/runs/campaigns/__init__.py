"""Profiles launched on targets."""
