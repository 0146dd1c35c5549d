"""Sign-in with OpenID Connect providers: what is asked of them, and what their answers prove."""
