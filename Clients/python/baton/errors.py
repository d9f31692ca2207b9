"""What can go wrong between this program and the server. Results of messages are no errors, see `result`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple, Type

if TYPE_CHECKING:
    from .result import Result


class BatonError(Exception):
    """An error with a `code` for programs and a `message`, one sentence, for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _made_again, (type(self), dict(self.__dict__))


def _made_again(kind: Type[BatonError], members: Dict[str, Any]) -> BatonError:
    """A copy, also in another process. Everybody who is told of the same loss raises one of his own."""
    error = kind.__new__(kind)
    error.__dict__.update(members)
    return error


class Unreachable(BatonError):
    """No connection could be made, or none was there for as long as `patience` allows: code `unreachable`."""

    def __init__(self, message: str) -> None:
        super().__init__("unreachable", message)


class ConnectionLost(BatonError):
    """The connection was lost with the request open; whether it was carried out is not known: `connection_lost`."""

    def __init__(self, message: str) -> None:
        super().__init__("connection_lost", message)


class Closed(BatonError):
    """The client was closed by this program, or is not connected yet: code `closed`."""

    def __init__(self, message: str = "the client is closed") -> None:
        super().__init__("closed", message)


class Refused(BatonError):
    """The server refuses a request, or would refuse it: the code is the protocol's."""

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class BadValue(BatonError):
    """A value that cannot be said in JSON, or a text that is none: code `bad_value`."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_value", message)


class NotHandled(BatonError):
    """A message has a `result`, but another than was asked for: code `not_handled`."""

    def __init__(self, result: Result) -> None:
        said = f": {result.message}" if result.message else ""
        super().__init__("not_handled", f"the message is {result.status}{said}")
        self.result = result
