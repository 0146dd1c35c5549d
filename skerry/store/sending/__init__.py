"""Rows of hooks, deliveries, feeds, leases and backlogs."""
