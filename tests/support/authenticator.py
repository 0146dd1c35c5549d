"""An authenticator in software: it keeps one passkey, and says what a test wants, also what is wrong."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, BACKED_UP, ATTESTED = 0x01, 0x04, 0x18, 0x40


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(f"{text}==")


@dataclass
class Authenticator:
    """A passkey for a host; everything in it can be replaced before an answer."""

    host: str
    origin: str = ""
    flags: int = PRESENT | VERIFIED
    counter: int = 0
    handle: bytes = b""
    credential: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    said: dict = field(default_factory=dict)

    def make(self, options, **more):
        """Return the answer to options for a new passkey, as a browser's script sends it."""
        asked = json.loads(options)
        self.handle = decoded(asked["user"]["id"])
        data = self._data(self.flags | ATTESTED) + self._attested()
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        made = {"attestationObject": encoded(attestation), "transports": ["internal", "hybrid"]}
        return self._answer(self._client_data("webauthn.create", asked), made, more)

    def use(self, asked, **more):
        """Return the answer to options for signing in, as a browser's script sends it."""
        self.counter += bool(self.counter)
        data, client = self._data(self.flags), self._client_data("webauthn.get", asked)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        used = {
            "authenticatorData": encoded(data),
            "signature": encoded(signature),
            "userHandle": encoded(self.handle),
        }
        return self._answer(client, used, more)

    def _client_data(self, kind, asked):
        origin = self.origin or f"https://{self.host}"
        said = {"type": kind, "challenge": asked["challenge"], "origin": origin, **self.said}
        return json.dumps(said).encode()

    def _data(self, flags):
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + self.counter.to_bytes(4, "big")

    def _attested(self):
        point = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        size = len(self.credential).to_bytes(2, "big")
        return bytes(16) + size + self.credential + cbor2.dumps(public)

    def _answer(self, client, response, more):
        name = encoded(self.credential)
        response = {"clientDataJSON": encoded(client), **response, **more}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})
