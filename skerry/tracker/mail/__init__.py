"""What mail does and may do: the rules, without formats and transports."""
