"""The overview: active and queued runs, problems and recent results."""
