"""The command ``sk``: a tracker from a terminal.

What is slow to load, such as httpx and the keyring, is imported where a command needs it.
"""
