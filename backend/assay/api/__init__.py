"""The REST API: the application, its endpoints, and what serves browsers and pipelines."""
