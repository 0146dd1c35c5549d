"""The description of the interface (OpenAPI 3.1), which follows from the map and the declarations."""
