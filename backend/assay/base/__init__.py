"""What everything else stands on: settings, errors with remedy, words, field types, messages."""
