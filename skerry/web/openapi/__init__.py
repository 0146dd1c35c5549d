"""The description of the interface (OpenAPI 3.1), made from the routing table and the declarations."""
