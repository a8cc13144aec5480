"""The built-in tools, a file for each family of programs.

Each moves its input without a setting that makes it slower or faster than its users would have it:
no compression, no delta, the default cipher. Tools that log in from the source at the sink use the
host key that Assay has approved, and a key that the source has; Assay never gives one away.
"""
