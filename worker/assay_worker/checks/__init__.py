"""Answers to the questions that the API asks about hosts and directories."""
