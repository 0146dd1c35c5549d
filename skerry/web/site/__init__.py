"""The web site: the parts that pages share, on the same dispatcher as the API."""
