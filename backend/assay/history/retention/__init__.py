"""Retention: rules that remove old raw logs, samples and campaigns, and the space they use."""
