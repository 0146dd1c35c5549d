"""Stored counts, and the recount that checks them."""
