"""The web site: what pages have in common, on top of the same dispatcher as the interface."""
