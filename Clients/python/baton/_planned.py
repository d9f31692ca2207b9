"""The client's plan: what is said before anything happens."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Tuple, TypeVar, Union

from ._encoding import Time, seconds
from ._endpoint import Endpoint
from ._link import Link
from ._plan import Handler, Plan, Subscriber
from ._request_line import RequestLine

AnyHandler = TypeVar("AnyHandler", bound=Handler)
AnySubscriber = TypeVar("AnySubscriber", bound=Subscriber)


class Planned:
    """What has a plan: a name, handlers and subscribers."""

    def __init__(
        self,
        at: Optional[str] = None,
        *,
        name: Optional[str] = None,
        heartbeat: Time = 15.0,
        patience: Time = 30.0,
        report: Optional[Callable[[str], Any]] = None,
    ) -> None:
        # What cannot be said should be found here, and not when the server is to be told.
        _checked(RequestLine("hello").add_given("name", name).add_time("heartbeat_ms", heartbeat))
        self._plan = Plan(Endpoint(at), name, seconds(heartbeat), seconds(patience), report, [], [])

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
        """Makes a function a handler of the topics that match the patterns; of all where there are none. What it
        returns is its verdict; raising is `failed`.

        An `async def` is cancelled when the offer has lapsed or the connection is lost. A `def` runs in a thread.

        `name` is the link's name in `chain`; left out, the function's. `at` is `"front"` or `"back"`; `before` and
        `after` name another link; `rank` is a number: at most one of the four, and a handler that comes back takes its
        old place. An offer may take `timeout` seconds; left out, a fair share of the message's time. `window` offers
        may be open at once. `on_failure` is `"continue"` (the next link is asked), `"stop"` (the sender is told), or
        one of the two for each cause: `{"timeout": "stop"}`. With `share` several programs serve the link. Its place is
        kept for `hold` seconds while nobody serves it, and never given up with `required`. A `shadow` only gets copies.
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
        """Makes a function a subscriber: it is called with one event after the other. A `def` runs in a thread."""
        check_patterns(patterns)
        _checked(RequestLine("subscribe").add("topics", patterns))

        def put_in(function: AnySubscriber) -> AnySubscriber:
            self._plan.subscribers.append((patterns, function))
            return function

        return put_in


def _checked(line: RequestLine) -> None:
    """Finds what cannot be said where it is written, and not when the server is to be told. Raises `BadValue`."""
    assert line.begun


def check_patterns(patterns: Tuple[str, ...]) -> None:
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise TypeError('patterns are texts: @client.handler("door.*"), or @client.handler() for all topics')
