"""The rows of tickets: lists, pages, names, texts and changes of many at once."""
