"""By what the server knows this program, if not by its certificate or its user."""

from __future__ import annotations

import os
from typing import Optional, Sequence

from ._endpoint import Endpoint
from .errors import BadToken, Refused

#: The bytes that a token may have.
MOST_BYTES = 256


class Token:
    """A token. It shows itself to nobody but the server."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "<a token>"


class TokenSource:
    """Where a program's token comes from, and whether it may go over plain TCP to other machines."""

    __slots__ = ("_given", "_path", "_may_be_plain")

    def __init__(self, given: Optional[str], path: Optional[str], may_be_plain: bool) -> None:
        for value in (given, path):
            if value is not None and not isinstance(value, (str, os.PathLike)):
                # The words of an error must not tell a token.
                raise TypeError("token and token_file are texts")
        self._given = None if given is None else Token(given)
        self._path = path
        self._may_be_plain = may_be_plain

    def read(self, endpoints: Sequence[Endpoint]) -> Optional[Token]:
        """The token; `None` without one. Raises `BadToken` where it cannot be used, or would be read on its way."""
        token = self._find()
        for endpoint in endpoints:
            if not token or self._may_be_plain or endpoint.is_private:
                continue
            raise BadToken(
                f"a token does not go over plain TCP to {endpoint}, where others can read it: connect to "
                f"tls:{endpoint}, or say plain_token if something else encrypts the way"
            )
        return token

    def _find(self) -> Optional[Token]:
        if self._given:
            return _checked(self._given.text, "that the program gives")
        text = os.environ.get("BATON_TOKEN")
        if text is not None:
            return _checked(text, "in BATON_TOKEN")
        path = os.environ.get("BATON_TOKEN_FILE") if self._path is None else self._path
        if path is None:
            return None
        if not path:
            raise BadToken("the name of the token's file (BATON_TOKEN_FILE) is empty; name a file, or unset it")
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1024)
        except (OSError, ValueError) as error:
            why = (isinstance(error, OSError) and error.strerror) or "it is no path"
            raise BadToken(f"the file of the token, {path}, cannot be read: {why}") from None
        return _checked(data.rstrip(b"\r\n").decode("latin-1"), f"in {path}")


def ending(refusal: Refused, token: Optional[Token]) -> Optional[Refused]:
    """The error that a client ends with because of this one: the server would not take it the next time either. `None`
    where it would."""
    if refusal.code == "auth_failed":
        return refusal
    if refusal.code == "auth_required" and token is None:
        how = "give a token: the variable BATON_TOKEN, a file (BATON_TOKEN_FILE, --token-file), or token in the program"
        return Refused(refusal.code, f"{refusal.message}; {how}")
    return None


def _checked(text: str, where: str) -> Token:
    if not text:
        raise BadToken(f"the token {where} is empty; baton token NAME makes one")
    if not all("!" <= character <= "~" for character in text):
        raise BadToken(f"the token {where} has white space, or characters that are not ASCII; take them out")
    if len(text) > MOST_BYTES:
        raise BadToken(f"the token {where} has more than {MOST_BYTES} bytes; baton token NAME makes a right one")
    return Token(text)
