"""The route table: every path with its permission and use case."""
