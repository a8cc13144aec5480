"""Idempotency keys: a request that is repeated with its key is executed once."""
