"""The description of the API (OpenAPI 3.1), generated from the route table and the declarations."""
