"""Jira: the answers of its search as JSON, and its export as CSV.

What is read of an issue is kept as an ``Issue``, whatever it came from, until all people, versions and states
are known; then it becomes a ticket.
"""
