"""The web site: what pages have in common, on top of the same hallway as the interface."""
