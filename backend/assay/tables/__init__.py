"""All tables, and how they are reached: engine, sessions, bulk statements, ownership, schema."""
