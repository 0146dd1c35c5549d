"""Texts of other trackers as Markdown: Jira's markup, Trac's WikiFormatting, Redmine's Textile and Markdown.

Each takes time in proportion to the length of the text, and loses no words: what has no counterpart stays as
it is written. Characters that mean something only in Markdown are escaped, so that nothing reads differently.
"""
