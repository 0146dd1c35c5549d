"""Mail: texts, formats, and the transports for outgoing and incoming mail."""
