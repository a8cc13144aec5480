"""Tidy exports of many runs: one row per trial, per sample, or per compared figure."""
