"""Task queue, change notifications and actions after a commit."""
