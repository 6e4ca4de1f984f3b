"""Atomic multicast for Python."""
