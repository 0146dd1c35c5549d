"""Delivery of events to hooks: payloads, signatures, the HTTP transport and the retry schedule."""
