"""How an import reads an archive that somebody else wrote, and makes rows of it."""
