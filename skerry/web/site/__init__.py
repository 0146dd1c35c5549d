"""The web site: what pages have in common, on the same dispatcher as the interface."""
