"""The content of each page, collected from the use cases; one module for each resource."""
