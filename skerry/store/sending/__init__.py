"""Hooks, deliveries, feeds, leases and what waits, as rows."""
