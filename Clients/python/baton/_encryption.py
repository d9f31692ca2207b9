"""What an encrypted connection needs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import ssl
from typing import List, Optional, Sequence, Tuple, Union

from ._endpoint import Endpoint
from .errors import BadTLS

#: The public keys that may be pinned: the one in use, and the next one.
MOST_PINS = 2

#: What helps, by what OpenSSL and the alerts of TLS say. What comes first counts.
HELP = (
    ("mismatch", "connect to a name or an address that the certificate is for"),
    ("expired", "its operator has to renew it, unless the clock of this machine is wrong"),
    ("not yet valid", "the clock of this machine may be wrong"),
    ("alert certificate required", "give a client certificate: certificate and key (--tls-certificate, --tls-key)"),
    ("alert unknown ca", "the server does not know the authority of the client certificate"),
    ("alert bad certificate", "the server does not take the client certificate"),
    ("alert no application protocol", "what answers there is no port of Baton for TLS"),
    ("wrong version number", "what answers there does not speak TLS: leave tls: out, or connect to the port for TLS"),
    ("protocol version", "the server does not speak TLS 1.3"),
    ("unsupported protocol", "the server does not speak TLS 1.3"),
    ("certificate", "name the file of its authority with ca (--tls-ca)"),
)


def words(error: ssl.SSLError) -> str:
    """What is wrong, and what helps."""
    if isinstance(error, ssl.SSLCertVerificationError):
        what = f"the server's certificate does not count: {error.verify_message.rstrip('.')}"
    elif isinstance(error, _NotPinned):
        return _NotPinned.words
    else:
        what = f"TLS failed: {(error.reason or str(error)).replace('_', ' ').lower()}"
    return next((f"{what}; {help}" for sign, help in HELP if sign in what.lower()), what)


class Encryption:
    """The files and the pins that a program names."""

    def __init__(
        self, ca: Optional[str], certificate: Optional[str], key: Optional[str], pins: Union[str, Sequence[str]]
    ) -> None:
        self._ca = ca
        self._certificate = certificate
        self._key = key
        self._pins = (pins,) if isinstance(pins, str) else tuple(pins)

    def context(self, endpoint: Endpoint) -> Optional[ssl.SSLContext]:
        """What connections to this place use; `None` if it is not encrypted. Reads the files. Raises `BadTLS` where
        they are not right, or are named for nothing."""
        if not endpoint.is_encrypted:
            if self._ca or self._certificate or self._key or self._pins:
                raise BadTLS(
                    f"{endpoint} is not encrypted, and ca, certificate, key and pins are for places that are: write "
                    "tls:HOST:PORT"
                )
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["baton"])
        self._trust(context)
        self._show(context)
        pins = _digests(self._pins)
        if pins:
            context.sslobject_class = _pinned(pins)
        return context

    def _trust(self, context: ssl.SSLContext) -> None:
        if self._ca is None:
            context.load_default_certs()
            return
        try:
            context.load_verify_locations(self._ca)
        except (OSError, ValueError) as error:
            raise BadTLS(f"cannot read the authorities {self._ca}: {_why(error)}") from None

    def _show(self, context: ssl.SSLContext) -> None:
        """Reads the client certificate."""
        if self._certificate is None:
            if self._key is not None:
                raise BadTLS(f"the private key {self._key} needs its certificate: certificate (--tls-certificate)")
            return
        if self._key is None:
            raise BadTLS(f"the certificate {self._certificate} needs its private key: key (--tls-key)")
        try:
            # Without a password for a key that has one, it would be asked for at the terminal.
            context.load_cert_chain(self._certificate, self._key, password="")
        except (OSError, ValueError) as error:
            both = f"the certificate {self._certificate} with the private key {self._key}"
            how = "both must be PEM, the key without a passphrase, and belong together"
            raise BadTLS(f"cannot use {both} ({how}): {_why(error)}") from None


class _NotPinned(ssl.SSLError):
    """The server has another public key."""

    words = (
        "the server's public key is none of those that are pinned; if its operator has changed the key, pin the new one "
        "(pins, --tls-pin)"
    )


def _pinned(pins: List[bytes]) -> type:
    """Shakes hands, and looks then whether the server has one of these public keys."""

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            if hashlib.sha256(_public_key(self.getpeercert(True) or b"")).digest() not in pins:
                raise _NotPinned(_NotPinned.words)

    return Pinned


def _digests(pins: Tuple[str, ...]) -> List[bytes]:
    if len(pins) > MOST_PINS:
        raise BadTLS(f"{len(pins)} public keys are pinned; {MOST_PINS} are the most")
    digests = []
    for pin in pins:
        try:
            digest = base64.b64decode(pin, validate=True)
        except (binascii.Error, ValueError, TypeError):
            digest = b""
        if len(digest) != hashlib.sha256().digest_size:
            raise BadTLS(f"{pin!r} is no pin: the base64 of the SHA-256 of a public key has 44 characters")
        digests.append(digest)
    return digests


def _public_key(certificate: bytes) -> bytes:
    """The SubjectPublicKeyInfo in a certificate that OpenSSL has read (DER)."""
    _, at, _ = _element(certificate, 0)
    _, at, _ = _element(certificate, at)
    # The version may be left out; then come serial, algorithm, issuer, validity and subject.
    tag, _, end = _element(certificate, at)
    for _ in range(6 if tag == 0xA0 else 5):
        _, _, at = _element(certificate, at)
    return certificate[at : _element(certificate, at)[2]]


def _element(data: bytes, at: int) -> Tuple[int, int, int]:
    """The tag of an element, where its content begins, and where it ends."""
    tag, count = data[at], data[at + 1]
    at += 2
    if count >= 0x80:
        length = count & 0x7F
        count = int.from_bytes(data[at : at + length], "big")
        at += length
    return tag, at, at + count


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error) or "it is no PEM").replace("_", " ").lower()
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
