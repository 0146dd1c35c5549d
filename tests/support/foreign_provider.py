"""An OpenID Connect provider that others wrote, as a process of its own: it signs in whoever asks."""

import subprocess
import sys
from contextlib import contextmanager, suppress

import httpx

from skerry.oidc_settings import ProviderSettings
from tests.support.processes import PATIENCE, free_port, until


@contextmanager
def running():
    """Start the provider, and yield its address when it answers."""
    base = f"http://127.0.0.1:{(port := free_port())}"
    # It is not our code that its warnings are about.
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until(lambda: _answers(base), "the provider")
            yield base
        finally:
            process.kill()


def _answers(base):
    with suppress(httpx.TransportError):
        return httpx.get(f"{base}/.well-known/openid-configuration", timeout=PATIENCE).is_success
    return False


def known(base, sub, **claims):
    """Let the provider know somebody."""
    httpx.put(f"{base}/users/{sub}", json=claims, timeout=PATIENCE).raise_for_status()


def settings(base, **more):
    """Return the settings of the provider."""
    return ProviderSettings("corp", base, "skerry", "hidden", "Corp", **more)
