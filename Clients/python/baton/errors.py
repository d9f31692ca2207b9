"""What can go wrong between this program and the server. The result of a message is not an error: see `result`."""

from __future__ import annotations

from typing import Any, Dict, Literal, Tuple, Type

from ._text import shown


class BatonError(Exception):
    """An error with a `code` for programs and a `message` for people. Nothing in them acts on a terminal or in a log,
    whoever has said it."""

    def __init__(self, code: str, message: str) -> None:
        self.code = shown(code)
        self.message = shown(message)
        super().__init__(self.code, self.message)

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _made_again, (type(self), dict(self.__dict__))


def _made_again(kind: Type[BatonError], members: Dict[str, Any]) -> BatonError:
    """A copy, also in another process. All who wait for the same connection raise a copy of their own."""
    error = kind.__new__(kind)
    error.__dict__.update(members)
    return error


class Unreachable(BatonError):
    """No connection could be made, or there was none for as long as `patience` allows: code `unreachable`."""

    def __init__(self, message: str) -> None:
        super().__init__("unreachable", message)


class NoAnswer(BatonError):
    """The deadline of the call is over, and no answer has come: code `no_answer`. `sent` is `"no"` where the request was
    never written, and `"maybe"` where the server may have carried it out."""

    def __init__(self, message: str, sent: Literal["no", "maybe"]) -> None:
        super().__init__("no_answer", message)
        self.sent: Literal["no", "maybe"] = sent


class BacklogFull(BatonError):
    """The requests that wait to be written take as many bytes as they may (`max_waiting_bytes`): code
    `backlog_full`."""

    def __init__(self, message: str) -> None:
        super().__init__("backlog_full", message)


class NotAGuard(BatonError):
    """The configuration file says less than a guard needs, so the handler does not serve: code `not_a_guard`."""

    def __init__(self, message: str) -> None:
        super().__init__("not_a_guard", message)


class ConnectionLost(BatonError):
    """The connection was lost with the request open. The server may have carried it out: code `connection_lost`."""

    def __init__(self, message: str) -> None:
        super().__init__("connection_lost", message)


class Closed(BatonError):
    """The client was closed by this program, or is not connected yet: code `closed`."""

    def __init__(self, message: str = "the client is closed") -> None:
        super().__init__("closed", message)


class Refused(BatonError):
    """The server refuses a request, or would refuse it: the code is one of the protocol."""

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class BadToken(BatonError):
    """The token cannot be used, or would be read by others on its way: code `bad_token`. The token is never told."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_token", message)


class BadTLS(BatonError):
    """The files or the pins for encryption are not right: code `bad_tls`."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_tls", message)


class BadValue(BatonError):
    """A value that cannot be written as JSON, or a text that is not JSON: code `bad_value`."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_value", message)
