"""The rules of mail, independent of formats and transports."""
