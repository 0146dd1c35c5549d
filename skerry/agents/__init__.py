"""Tools for agents: what a model may do with this tracker, by the Model Context Protocol.

The same tools are served at ``/mcp`` and over standard input and output; they reach the tracker through
``Tracker``.
"""
