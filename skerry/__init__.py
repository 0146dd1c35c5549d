"""Skerry: a self-hosted issue tracker with a REST interface in XML and JSON."""
