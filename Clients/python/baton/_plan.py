"""The plan of a client: what its program says before anything happens."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from typing import Any, Awaitable, Callable, List, Literal, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from ._encryption import Encryption
from ._endpoint import Endpoint
from ._link import LinkSettings, OnFailure, check_patterns
from ._names import check_name
from ._places import read_places
from ._request_line import Time, checked_milliseconds, seconds
from ._text import shown
from ._token import TokenSource
from .calls import Calls
from .errors import BadValue
from .event import Event, Wish
from .message import Message
from .verdict import Verdict

#: A function that takes an offer: an `async def`, or a `def`, which runs in a thread.
Handler = Callable[[Message], Union[Verdict, Awaitable[Verdict]]]

#: A function that takes an event: an `async def`, or a `def`, which runs in a thread.
Subscriber = Callable[[Event], Union[None, Awaitable[None]]]

AnyHandler = TypeVar("AnyHandler", bound=Handler)
AnySubscriber = TypeVar("AnySubscriber", bound=Subscriber)

#: How long an attempt to connect may take, in seconds: all addresses of a name, the handshake, and the server's `welcome`.
ATTEMPT = 10.0

#: How long after the time of a message its call ends, in seconds: its result may be on its way.
GRACE = 2.0

#: How long after its connection was lost a durable message may be sent again that was accepted, in seconds, if the server
#: does not say for how long it remembers names. If it does, half of that counts.
AGAIN = 1800.0

#: Errors that handlers and subscribers raise are logged here.
log = logging.getLogger("baton")


@dataclasses.dataclass
class Plan:
    """The name of a client, its handlers and its subscribers. Times are in seconds."""

    endpoints: List[Endpoint]
    name: Optional[str]
    token: TokenSource
    encryption: Encryption
    heartbeat: float
    patience: float
    expose_errors: bool
    reporter: Optional[Callable[[str], Any]]
    max_waiting_bytes: int
    #: How long after the time of a message its call ends.
    grace: float
    #: How long after its loss an accepted message may be sent again.
    again: float
    handlers: List[Tuple[LinkSettings, Handler]]
    subscribers: List[Tuple[Tuple[str, ...], Wish, Subscriber]]
    #: How long an attempt to connect may take.
    attempt: float = ATTEMPT
    #: What its reports begin with.
    prefix: str = ""
    #: What the handlers of this plan may call, from their threads.
    calls: Callable[[asyncio.AbstractEventLoop], Optional[Calls]] = lambda loop: None

    def for_traces(self) -> Plan:
        """The plan of another connection of the same program, for traces that it has chosen."""
        return dataclasses.replace(self, handlers=[], subscribers=[], prefix="traces: ")

    def report(self, line: str, level: int = logging.INFO) -> None:
        """Tells people about connections that come and go."""
        line = shown(self.prefix + line)
        if self.reporter is None:
            log.log(level, "%s", line)
            return
        try:
            self.reporter(line)
        except Exception:
            log.exception("report raised, when it was told: %s", line)


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
        max_waiting_bytes: int = 8 << 20,
        expose_errors: bool = True,
        report: Optional[Callable[[str], Any]] = None,
    ) -> None:
        if name is not None:
            check_name(name, "the name of a program")
        checked_milliseconds(heartbeat, "heartbeat", least=100)
        times = seconds(heartbeat), seconds(patience)
        if type(max_waiting_bytes) is not int or max_waiting_bytes < 0:
            raise BadValue(f"max_waiting_bytes: {max_waiting_bytes!r} is not a number of bytes")
        source = TokenSource(token, token_file, plain_token)
        encryption = Encryption(ca, certificate, key, pins)
        self._plan = Plan(read_places(at), name, source, encryption, *times, expose_errors, report, max_waiting_bytes, GRACE, AGAIN, [], [])

    def handler(
        self,
        *patterns: str,
        name: Optional[str] = None,
        chain: str = "main",
        guard: bool = False,
        at: Optional[Literal["front", "back"]] = None,
        before: Optional[str] = None,
        after: Optional[str] = None,
        rank: Optional[float] = None,
        timeout: Optional[Time] = None,
        window: Optional[int] = None,
        on_failure: Optional[OnFailure] = None,
        share: Optional[bool] = None,
        hold: Optional[Time] = None,
        required: Optional[bool] = None,
        shadow: Optional[bool] = None,
        percent: Optional[int] = None,
        when: Optional[Mapping[str, Any]] = None,
    ) -> Callable[[AnyHandler], AnyHandler]:
        """Makes a function the handler of the topics that match one of the patterns; without patterns, of all topics.
        The function returns its verdict. If it raises, the error is logged with its stack, and the
        verdict is `failed` with the first line of the error (see `expose_errors`).

        An `async def` is cancelled when the offer lapses or the connection is lost. A `def` runs in a thread.

        `name` is the name of the link in `chain`; the default is the name of the function. Take `guard` for a handler
        that no message may pass unseen: its place is `required`, a failure of it stops the message, and it stands in
        front, unless a place is said. Without it, messages go on to the next link when the handler fails or is away.

        At most one of `at`, `before`, `after` and `rank` says where the link goes: `at` is `"front"` or `"back"`,
        `before` and `after` name another link, `rank` is a number. A handler that comes back takes its old place. An
        offer may take `timeout` seconds; the default is a fair share of the time of the message. `window` offers may be
        open at once. `on_failure` is `"continue"` (the next link is asked), `"stop"` (the sender is told), or one of
        them for each cause: `{"timeout": "stop"}`. With `share`, several programs serve the link. The server keeps the
        place for `hold` seconds while nobody serves it, and with `required` for ever. A `shadow` only gets copies.
        With `percent` the link is for a part of the messages, by their keys: 5 for five of a hundred. With `when` it is for
        those that fit a condition: `{"payload": {"tool": ["shell"]}}`; `Message.doubtful` says if that is not known.

        A client that is connected already adds handlers with `add`.
        """
        check_patterns(patterns)
        self._refuse_if_connected("handlers are added with client.add(function, …)")

        def put_in(function: AnyHandler) -> AnyHandler:
            self._refuse_if_connected("handlers are added with client.add(function, …)")
            settings = LinkSettings(
                name=str(name or getattr(function, "__name__", "")),
                chain=chain,
                accepts=patterns or (">",),
                guard=guard,
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
                percent=percent,
                when=when,
            )
            self._plan.handlers.append((settings, function))
            return function

        return put_in

    def subscriber(
        self, *patterns: str, retained: bool = False, recover: bool = True
    ) -> Callable[[AnySubscriber], AnySubscriber]:
        """Makes a function a subscriber: it is called with one event at a time. A `def` runs in a thread. `retained` and
        `recover` are those of `subscribe`."""
        check_patterns(patterns)
        wish = Wish(retained, recover)
        self._refuse_if_connected("subscribe with async for event in client.subscribe(…)")

        def put_in(function: AnySubscriber) -> AnySubscriber:
            self._plan.subscribers.append((patterns, wish, function))
            return function

        return put_in

    def _refuse_if_connected(self, instead: str) -> None:
        """Raises `RuntimeError` where the plan is under way: what is planned now would never be done."""
        if self._is_under_way:
            raise RuntimeError(f"the client is connected already: {instead}")

    @property
    def _is_under_way(self) -> bool:
        return False
