"""The plan of a client: what its program says before anything happens."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any, Awaitable, Callable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from ._encryption import Encryption
from ._endpoint import Endpoint
from ._link import Link
from ._request_line import RequestLine, Time, seconds
from ._token import TokenSource
from .event import Event
from .message import Message
from .verdict import Verdict

#: A function that takes an offer: an `async def`, or a `def`, which runs in a thread.
Handler = Callable[[Message], Union[Verdict, Awaitable[Verdict]]]

#: A function that takes an event: an `async def`, or a `def`, which runs in a thread.
Subscriber = Callable[[Event], Union[None, Awaitable[None]]]

AnyHandler = TypeVar("AnyHandler", bound=Handler)
AnySubscriber = TypeVar("AnySubscriber", bound=Subscriber)

#: Errors that handlers and subscribers raise are logged here.
log = logging.getLogger("baton")


@dataclasses.dataclass
class Plan:
    """The name of a client, its handlers and its subscribers. Times are in seconds."""

    endpoint: Endpoint
    name: Optional[str]
    token: TokenSource
    encryption: Encryption
    heartbeat: float
    patience: float
    expose_errors: bool
    reporter: Optional[Callable[[str], Any]]
    handlers: List[Tuple[Link, Handler]]
    subscribers: List[Tuple[Tuple[str, ...], Subscriber]]
    #: What its reports begin with.
    prefix: str = ""

    def for_traces(self) -> Plan:
        """The plan of another connection of the same program, for traces that it has chosen."""
        return dataclasses.replace(self, handlers=[], subscribers=[], prefix="traces: ")

    def report(self, line: str, level: int = logging.INFO) -> None:
        """Tells people about connections that come and go."""
        line = self.prefix + line
        if self.reporter is None:
            log.log(level, "%s", line)
            return
        try:
            self.reporter(line)
        except Exception:
            log.exception("report raised")


class Planned:
    """The part of a client that makes its plan."""

    def __init__(
        self,
        at: Optional[str] = None,
        *,
        name: Optional[str] = None,
        heartbeat: Time = 15.0,
        patience: Time = 30.0,
        token: Optional[str] = None,
        token_file: Optional[str] = None,
        plain_token: bool = False,
        ca: Optional[str] = None,
        certificate: Optional[str] = None,
        key: Optional[str] = None,
        pins: Union[str, Sequence[str]] = (),
        expose_errors: bool = True,
        report: Optional[Callable[[str], Any]] = None,
    ) -> None:
        _checked(RequestLine("hello").add_given("name", name).add_time("heartbeat_ms", heartbeat))
        times = seconds(heartbeat), seconds(patience)
        source = TokenSource(token, token_file, plain_token)
        encryption = Encryption(ca, certificate, key, pins)
        self._plan = Plan(Endpoint(at), name, source, encryption, *times, expose_errors, report, [], [])

    def handler(
        self,
        *patterns: str,
        name: Optional[str] = None,
        chain: str = "main",
        at: Optional[str] = None,
        before: Optional[str] = None,
        after: Optional[str] = None,
        rank: Optional[float] = None,
        timeout: Optional[Time] = None,
        window: Optional[int] = None,
        on_failure: Optional[Union[str, Mapping[str, str]]] = None,
        share: bool = False,
        hold: Optional[Time] = None,
        required: bool = False,
        shadow: bool = False,
    ) -> Callable[[AnyHandler], AnyHandler]:
        """Makes a function the handler of the topics that match one of the patterns; without patterns, of all topics.
        The function returns its verdict. If it raises, the error is logged with its stack, and the
        verdict is `failed` with the first line of the error (see `expose_errors`).

        An `async def` is cancelled when the offer lapses or the connection is lost. A `def` runs in a thread.

        `name` is the name of the link in `chain`; the default is the name of the function. At most one of `at`,
        `before`, `after` and `rank` says where the link goes: `at` is `"front"` or `"back"`, `before` and `after` name
        another link, `rank` is a number. A handler that comes back takes its old place. An offer may take `timeout`
        seconds; the default is a fair share of the time of the message. `window` offers may be open at once.
        `on_failure` is `"continue"` (the next link is asked), `"stop"` (the sender is told), or one of them for each
        cause: `{"timeout": "stop"}`. With `share`, several programs serve the link. The server keeps the place for
        `hold` seconds while nobody serves it, and with `required` for ever. A `shadow` only gets copies.
        """
        check_patterns(patterns)

        def put_in(function: AnyHandler) -> AnyHandler:
            link = Link(
                name=str(name or getattr(function, "__name__", "")),
                chain=chain,
                accepts=patterns or (">",),
                at=at,
                before=before,
                after=after,
                rank=rank,
                timeout=timeout,
                window=window,
                on_failure=on_failure,
                share=share,
                hold=hold,
                required=required,
                shadow=shadow,
            )
            _checked(link.insertion())
            self._plan.handlers.append((link, function))
            return function

        return put_in

    def subscriber(self, *patterns: str) -> Callable[[AnySubscriber], AnySubscriber]:
        """Makes a function a subscriber: it is called with one event at a time. A `def` runs in a thread."""
        check_patterns(patterns)
        _checked(RequestLine("subscribe").add("topics", patterns))

        def put_in(function: AnySubscriber) -> AnySubscriber:
            self._plan.subscribers.append((patterns, function))
            return function

        return put_in


def _checked(line: RequestLine) -> None:
    """Raises `BadValue` for what cannot be sent: here, where the program says it, and not when it is sent."""
    assert line.begun


def check_patterns(patterns: Tuple[str, ...]) -> None:
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise TypeError('patterns are texts: @client.handler("door.*"), or @client.handler() for all topics')
