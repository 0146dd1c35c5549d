"""People: their names, pictures, preferences, and the projects that they are members of."""
