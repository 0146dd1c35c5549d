"""The content of each page, loaded through the use cases; one module for each resource."""
