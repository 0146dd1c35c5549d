"""Counts that are kept beside the rows, and the recount that checks them."""
