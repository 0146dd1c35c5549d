"""What spammers wrote: taken out of the tables, put back, and deleted."""
