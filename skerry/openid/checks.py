"""Checks of providers for operators."""

import asyncio

from skerry.oidc_settings import ProviderSettings
from skerry.openid.failures import ProviderDown
from skerry.openid.providers import Provider


def keys(settings: ProviderSettings) -> int:
    """Return how many usable keys a provider has; raises ProviderDown if nobody can sign in with it."""

    async def ask() -> int:
        return len(await Provider(settings).keys())

    count = asyncio.run(ask())
    if not count:
        raise ProviderDown("It lists no key with which it could sign")
    return count
