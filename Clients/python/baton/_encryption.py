"""What an encrypted connection needs, and what is wrong with it."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import os
import re
import ssl
from typing import List, Optional, Sequence, Tuple, Type, Union

from ._endpoint import Endpoint
from .errors import BadTLS

#: The public keys that may be pinned: the one in use, and the next one.
MOST_PINS = 2

#: What helps, by what OpenSSL says, and what the server does with an alert. What comes first counts.
HELP = (
    ("alert certificate required", "give a client certificate: certificate and key (--tls-certificate, --tls-key)"),
    ("alert unknown ca", "the server does not know the authority of the client certificate"),
    ("alert .*certificate", "the server does not take the client certificate"),
    ("alert no application protocol", "what answers there is no port of Baton for TLS"),
    ("protocol version|unsupported protocol", "the server does not speak TLS 1.3"),
    ("wrong version number", "what answers there does not speak TLS: leave tls: out, or connect to the port for TLS"),
    ("mismatch", "connect to a name or an address that the certificate is for"),
    ("expired", "its operator has to renew it, unless the clock of this machine is wrong"),
    ("not yet valid", "the clock of this machine may be wrong"),
    ("issuer|self.signed|first certificate", "name the file of its authority with ca (--tls-ca)"),
)


def words(error: ssl.SSLError) -> str:
    """What is wrong, and what helps."""
    if isinstance(error, _NotPinned):
        return _NotPinned.words
    if isinstance(error, ssl.SSLCertVerificationError):
        what = f"the server's certificate does not count: {error.verify_message.rstrip('.')}"
    else:
        what = f"TLS failed: {_reason(error)}"
    return next((f"{what}; {help}" for sign, help in HELP if re.search(sign, what.lower())), what)


class Encryption:
    """The files and the pins that a program names."""

    def __init__(
        self, ca: Optional[str], certificate: Optional[str], key: Optional[str], pins: Union[str, Sequence[str]]
    ) -> None:
        self._ca = ca
        self._certificate = certificate
        self._key = key
        self._pins = (pins,) if isinstance(pins, str) else tuple(pins)

    def context(self, endpoints: Sequence[Endpoint]) -> Optional[ssl.SSLContext]:
        """What connections to those of these places use that are encrypted; `None` if none is. Reads the files. Raises
        `BadTLS` where they are not right, or are named for nothing."""
        plain = next((endpoint for endpoint in endpoints if not endpoint.is_encrypted), None)
        if plain and (self._files or self._pins):
            raise BadTLS(
                f"{plain} is not encrypted, and ca, certificate, key and pins are for places that are: write tls:HOST:PORT"
            )
        if not any(endpoint.is_encrypted for endpoint in endpoints):
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["baton"])
        pins = _digests(self._pins)
        if pins:
            context.sslobject_class = _pinned(pins)
        self._show(context)
        self._trust(context)
        return context

    def renewed(self, endpoints: Sequence[Endpoint], context: Optional[ssl.SSLContext]) -> Optional[ssl.SSLContext]:
        """The same for a connection after a loss: certificates are renewed while programs run. Where the files are not
        right just now, they count as they were."""
        if context and (self._files or self._authorities is not None):
            with contextlib.suppress(BadTLS):
                return self.context(endpoints)
        return context

    @property
    def _files(self) -> List[str]:
        return [path for path in (self._ca, self._certificate, self._key) if path is not None]

    @property
    def _authorities(self) -> Optional[str]:
        """Their file. The variable is for all programs, also those whose place is not encrypted."""
        return self._ca if self._ca is not None else os.environ.get("BATON_TLS_CA") or None

    def _trust(self, context: ssl.SSLContext) -> None:
        """Reads the authorities."""
        authorities = self._authorities
        if authorities is None:
            context.load_default_certs()
            return
        try:
            context.load_verify_locations(authorities)
        except (OSError, ValueError) as error:
            raise BadTLS(f"cannot read the authorities {authorities}: {_why(error)}") from None

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


def _pinned(pins: List[bytes]) -> Type[ssl.SSLObject]:
    """Shakes hands, and looks then whether the server has one of these public keys."""

    class Pinned(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            key = public_key(self.getpeercert(True) or b"")
            if not key or hashlib.sha256(key).digest() not in pins:
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


def public_key(certificate: bytes) -> bytes:
    """The SubjectPublicKeyInfo in a certificate (DER), which `ssl` does not tell. Empty if there is none."""
    try:
        at = _element(certificate, _element(certificate, 0)[0])[0]
        # The version may be left out; then come serial, algorithm, issuer, validity and subject.
        for _ in range(6 if certificate[at] == 0xA0 else 5):
            at = _element(certificate, at)[1]
        return certificate[at : _element(certificate, at)[1]]
    except IndexError:
        return b""


def _element(data: bytes, at: int) -> Tuple[int, int]:
    """Where the content of an element begins, and where it ends. Raises `IndexError` beyond the data."""
    count = data[at + 1]
    begin = at + 2
    if count >= 0x80:
        begin += count & 0x7F
        count = int.from_bytes(data[at + 2 : begin], "big")
    if begin + count > len(data):
        raise IndexError(at)
    return begin, begin + count


def _why(error: Exception) -> str:
    """Why a file cannot be used."""
    if isinstance(error, ssl.SSLError):
        return _reason(error)
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or str(error)).replace("_", " ").lower()
