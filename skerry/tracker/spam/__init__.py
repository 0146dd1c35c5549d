"""Removals of spammers with everything that they wrote."""
