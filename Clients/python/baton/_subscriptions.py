"""The subscribers of a client."""

from __future__ import annotations

import asyncio
import functools
from typing import Iterable, List, Optional, Tuple

from ._patterns import matches
from ._plan import Subscriber, log
from ._request_line import RequestLine
from ._request import Accepted
from ._requests import Requests
from ._server_line import ServerLine
from ._threads import Threads, is_async
from ._within import following
from .errors import BatonError, ConnectionLost, Refused
from .event import Gone, Wish
from .subscription import Listener, Subscription


#: How long a request waits that was `busy`, in seconds: at first, and at most.
FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.5


class Subscriptions:
    """All subscribers of a client: those of the plan, each of which has a task, and those that iterate. It asks again
    for kept events that did not come (contract, section 14).

    Kept events come in the order of their numbers. Once the client has asked for them on a connection, it asks with the
    patterns of all subscribers, each time: otherwise the server gives those of some patterns later than those of others.
    """

    def __init__(self, requests: Requests, threads: Threads) -> None:
        self._requests = requests
        self._threads = threads
        self._listeners: List[Listener] = []
        self._tasks: List[asyncio.Task[None]] = []
        #: What the numbers of kept events belong to; `None` where the server keeps none.
        self.epoch: Optional[str] = None
        #: `values` or `events`: what the server was asked for last on this connection. It gives that piece by piece.
        self._asked: Optional[str] = None
        #: The number of the latest kept event that has come on this connection.
        self._cursor = 0
        #: Kept events, and what is gone, since some were lost, until the server gives them all again; `None`: none were.
        self._held: Optional[List[ServerLine]] = None
        #: Whether some are gone that stood before the next one, and it is not known which.
        self._is_gone_before = False
        #: Who is to get values, and who gets them now.
        self._wanting_values: List[Listener] = []
        self._getting_values: List[Listener] = []
        self._asking: Optional[asyncio.Task[None]] = None

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._listeners)

    def start(self, subscribers: Iterable[Tuple[Tuple[str, ...], Wish, Subscriber]]) -> None:
        """Begins to serve the subscribers of the plan."""
        for patterns, wish, subscriber in subscribers:
            listener = Listener(patterns, wish)
            self._listeners.append(listener)
            self._tasks.append(asyncio.ensure_future(self._serve(listener, subscriber)))

    def events(self, patterns: Tuple[str, ...], wish: Wish) -> Subscription:
        """A subscription that begins when its events are asked for."""
        return Subscription(patterns, lambda patterns: self.subscribe(patterns, wish), self.unsubscribe)

    async def subscribe(
        self, patterns: Tuple[str, ...], wish: Wish = Wish(), line: Optional[RequestLine] = None
    ) -> Listener:
        """Adds a subscriber, which gets events once the server has accepted it. Raises `BatonError`."""
        listener = Listener(patterns, wish, line)
        is_wanted = True
        pause = FIRST_PAUSE
        try:
            while True:
                beginning, begun = self._beginning(listener)

                def accepted(line: ServerLine, begun: Accepted = begun) -> None:
                    if is_wanted:
                        begun(line)

                try:
                    await self._requests.ask(beginning, accepted)
                    break
                except Refused as error:
                    # Something else that is kept is still coming.
                    if error.code != "busy":
                        raise
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
        except BaseException:
            # The server may accept it later.
            is_wanted = False
            self.unsubscribe(listener)
            raise
        return listener

    def unsubscribe(self, listener: Listener) -> None:
        """Removes a subscriber, and unsubscribes the patterns that no other one wants."""
        if listener not in self._listeners:
            return
        self._listeners.remove(listener)
        self._wanting_values = [other for other in self._wanting_values if other is not listener]
        listener.end()
        wanted = {pattern for other in self._listeners for pattern in other.patterns}
        unwanted = [pattern for pattern in listener.patterns if pattern not in wanted]
        if unwanted:
            self._requests.tell(RequestLine("unsubscribe").add("topics", unwanted).add("reply", False))

    def _beginning(self, listener: Listener) -> Tuple[RequestLine, Accepted]:
        """The line with which a new subscriber begins, and what is to be done when it is accepted."""
        wish, epoch = listener.wish, self.epoch
        if wish.after is not None and wish.epoch is not None:
            after, asked = wish.after, wish.epoch

            def begun_after(line: ServerLine) -> None:
                is_known = self._accept_events(line, after, asked)
                self._listeners.append(listener)
                if is_known:
                    listener.move(after)
                else:
                    listener.lose_kept(Gone())

            return self._line(after, asked, listener.patterns), begun_after
        if self._asked == "events" and not listener.is_for_traces and epoch is not None:
            cursor = self._cursor

            def begun_among(line: ServerLine) -> None:
                self._accept_events(line, cursor, epoch)
                self._listeners.append(listener)
                listener.move(line.integer("seq") or 0)
                if wish.retained:
                    self._wanting_values.append(listener)
                    self._begin_asking()

            return self._line(cursor, epoch, listener.patterns), begun_among

        def begun(line: ServerLine) -> None:
            self._listeners.append(listener)
            self._accept(line, listener)
            if wish.retained:
                self._asked, self._getting_values = "values", [listener]

        if wish.retained:
            return RequestLine("subscribe").add("topics", listener.patterns).add("retained", True), begun
        return listener.line, begun

    # What is kept.

    def lines(self) -> List[Tuple[RequestLine, Accepted]]:
        """The lines that subscribe again on a new connection, each with what is to be done when it is accepted."""
        self._asked = self._held = None
        self._is_gone_before = False
        self._getting_values = []
        self._wanting_values = [listener for listener in self._listeners if listener.wish.retained]
        if self._wanting_values:
            self._begin_asking()
        epoch, after = self.epoch, self._first_missing
        if epoch is not None and after is not None:
            known, first = epoch, after

            def accepted(line: ServerLine) -> None:
                self._accept_events(line, first, known, is_new=True)

            return [(self._line(first, known), accepted)]
        return [(listener.line, functools.partial(self._accept, listener=listener)) for listener in self._listeners]

    @property
    def _first_missing(self) -> Optional[int]:
        """After which number somebody misses events who wants them; `None` if nobody does."""
        return min((listener.position for listener in self._listeners if listener.recovers), default=None)

    @property
    def _is_behind(self) -> bool:
        """Whether somebody misses events that lie before those that the server gives."""
        after = self._first_missing
        return after is not None and after < self._cursor

    def _line(self, after: int, epoch: str, more: Iterable[str] = ()) -> RequestLine:
        """Asks for all kept events after a number."""
        patterns = {pattern for listener in self._listeners for pattern in listener.patterns} | set(more)
        line = RequestLine("subscribe").add("topics", sorted(patterns))
        return line.add("after", after).add("epoch", epoch)

    def _accept(self, line: ServerLine, listener: Listener) -> None:
        """The server has accepted a subscriber who asks for no kept events."""
        self.epoch = line.text("epoch") or self.epoch
        seq = line.integer("seq") or 0
        # While kept events are given, only they say how far the giving has come.
        if self._asked != "events":
            self._cursor = max(self._cursor, seq)
        listener.move(seq)

    def _accept_events(self, line: ServerLine, after: int, epoch: str, is_new: bool = False) -> bool:
        """The server gives kept events from now on. Returns whether the number meant something to it."""
        self._asked, self._is_gone_before = "events", False
        seq, now = line.integer("seq") or 0, line.text("epoch")
        is_known = now == epoch and after <= seq
        self._cursor = after if is_known else 0
        for listener in self._listeners:
            if is_new and not listener.recovers:
                listener.move(seq)
            elif now != self.epoch:
                listener.move(0)
            elif listener.position >= self._cursor:
                listener.asked_again()
        self.epoch = now
        # Those that were held come again. It was a new subscriber that asked where what was lost does not come.
        if self._held is not None:
            self._held = [] if self._is_behind else None
        # The server says so, too, but only once: the connection may be lost before.
        if not is_known:
            self._lose_kept(Gone())
        return is_known

    def _begin_asking(self) -> None:
        if self._asking is None or self._asking.done():
            self._asking = asyncio.ensure_future(self._ask_for_kept())

    async def _ask_for_kept(self) -> None:
        """Asks for the events that did not come, and for values that somebody wants: one after the other, because the
        server gives one at a time."""
        pause = FIRST_PAUSE
        while True:
            asking = self._next_asking()
            if asking is None:
                return
            try:
                await self._requests.ask(*asking)
                pause = FIRST_PAUSE
            except ConnectionLost:
                continue
            except BatonError as error:
                if error.code != "busy":
                    self._release()
                    self._wanting_values = []
                    return
                # As long as it gives events, none of them is lost: the others were. Earlier ones are asked for again.
                if self._asked == "events" and not self._is_behind:
                    self._release()
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _next_asking(self) -> Optional[Tuple[RequestLine, Accepted]]:
        if self._held is not None:
            epoch, after = self.epoch, self._first_missing
            if epoch is not None and after is not None:
                known, first = epoch, after

                def accepted(line: ServerLine) -> None:
                    self._accept_events(line, first, known)

                return self._line(first, known), accepted
            self._release()
        wanting = list(self._wanting_values)
        if not wanting:
            return None

        def begun(line: ServerLine) -> None:
            self._wanting_values = [listener for listener in self._wanting_values if listener not in wanting]
            self._asked, self._getting_values = "values", wanting

        patterns = {pattern for listener in wanting for pattern in listener.patterns}
        return RequestLine("subscribe").add("topics", sorted(patterns)).add("retained", True), begun

    def _release(self) -> None:
        """The events that were held are given: none before them was lost."""
        lines, self._held = self._held or [], None
        for line in lines:
            if line.flag("gone"):
                self.lose(line)
            else:
                self.deliver(line)

    # What comes.

    def deliver(self, line: ServerLine) -> None:
        """Hands an event to each subscriber with a pattern that matches it."""
        is_value = line.flag("retained")
        seq = None if is_value else line.integer("seq")
        if seq is not None:
            if self._held is not None:
                self._held.append(line)
                return
            self._note_gone(seq)
        topic = line.text("topic") or ""
        for listener in self._listeners:
            if is_value and listener not in self._getting_values:
                continue
            if seq is not None:
                if seq <= listener.position:
                    continue
                listener.move(seq)
            if any(matches(topic, pattern) for pattern in listener.patterns):
                listener.put(line)
        self._cursor = max(self._cursor, seq or 0)

    def lose(self, line: ServerLine) -> None:
        """The server has dropped events, because they were not read; or events are gone that it kept."""
        if line.flag("gone"):
            if self._held is not None:
                self._held.append(line)
            else:
                self._lose_kept(Gone(line.integer("count"), line.integer("at_most")))
            return
        is_recovered = self.epoch is not None and self._first_missing is not None
        for listener in self._listeners:
            listener.lose(line.integer("count") or 0, is_recovered and listener.recovers)
        if is_recovered and self._held is None:
            self._held = []
            self._begin_asking()

    def _lose_kept(self, gone: Gone) -> None:
        """Kept events are gone that stood behind the cursor. Who is there has got all before it."""
        for listener in self._listeners:
            if not listener.hears_of_gone or listener.position > self._cursor:
                continue
            if listener.position < self._cursor:
                listener.move(self._cursor)
            listener.lose_kept(gone)
        self._is_gone_before = True

    def _note_gone(self, seq: int) -> None:
        """Who had come further than what is given now has lost events, too, if the hole is that large."""
        if not self._is_gone_before:
            return
        self._is_gone_before = False
        for listener in self._listeners:
            if listener.hears_of_gone and self._cursor < listener.position < seq - 1:
                listener.lose_kept(Gone(at_most=seq - 1 - listener.position))

    def leave_out(self, count: int) -> None:
        """The server has left out traces, as it was asked to."""
        for listener in self._listeners:
            listener.leave_out(count)

    def end(self) -> None:
        """The client has ended. The events that wait may still be taken."""
        if self._asking:
            self._asking.cancel()
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener.end()

    async def finished(self) -> None:
        """Waits until the subscribers of the plan have taken the events that wait for them."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cancel(self) -> None:
        """Ends the subscribers of the plan at once."""
        for task in self._tasks:
            task.cancel()

    async def _serve(self, listener: Listener, subscriber: Subscriber) -> None:
        takes_time = is_async(subscriber)
        while True:
            event = await listener.next()
            if event is None:
                return
            following(event.within, event.traceparent)
            try:
                if takes_time:
                    await subscriber(event)  # type: ignore[misc]
                    continue
                _, error = await self._threads.run(subscriber, event)
                if error:
                    raise error
            except (Exception, SystemExit) as error:
                patterns = ", ".join(listener.patterns)
                log.error("the subscriber of %s raised at %s", patterns, event._title, exc_info=error)
