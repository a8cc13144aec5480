"""What many runs show: history, comparison, search, exports, reports, overview, retention."""
