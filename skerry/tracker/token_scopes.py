"""The scopes of tokens: what a token can be limited to."""

from skerry.errors import Invalid

TICKETS_READ = "tickets:read"
TICKETS_WRITE = "tickets:write"
HOOKS_WRITE = "hooks:write"
SCOPES = (TICKETS_READ, TICKETS_WRITE, HOOKS_WRITE)


def in_order(scopes: str) -> str:
    """Return scopes in the usual form; raises Invalid for an unknown one."""
    words = scopes.replace(",", " ").split()
    if unknown := next((word for word in words if word not in SCOPES), ""):
        raise Invalid(f"Scopes must be some of {', '.join(SCOPES)}, not {unknown[:40]}")
    return " ".join(scope for scope in SCOPES if scope in words)
