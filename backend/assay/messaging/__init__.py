"""The queue, change notifications, and what is sent after a commit."""
