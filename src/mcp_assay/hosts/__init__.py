"""Formats of agent hosts' configuration files: bytes in, entries with line numbers out."""
