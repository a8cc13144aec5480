"""Which queued run may start: capacity, admission, reservations, wake-ups."""
