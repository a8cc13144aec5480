"""The database: engine, sessions, clock, bulk statements, ownership, schema."""
