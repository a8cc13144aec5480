"""Connectors to hosts: one interface, implemented for SSH and for the local machine."""
