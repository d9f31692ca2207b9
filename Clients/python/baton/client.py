"""The client: its plan, and what it can do once it is connected."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Dict, List, Literal, Mapping, Optional, Tuple, Type, Union, overload

from ._draining import Draining
from ._durable import durable_members, refuse_without_durable
from ._link import LinkSettings, OnFailure, check_patterns
from ._names import check_name, topic_json
from ._offers import body
from ._pages import pages
from ._plan import Handler, Plan, Planned
from ._request_line import RequestLine, Time, checked_milliseconds
from ._server_line import ServerLine
from ._serving import serve
from ._session import Session
from ._traceparent import handed_on
from ._traces import TOPIC, subscribing
from ._within import within
from .accepted import Accepted, result_of
from .calls import Calls
from .errors import BadValue, Closed
from .event import Wish
from .payload import NOTHING, encode, encoded_line
from .result import Mode, Result, Status
from .served_link import Link
from .stored import DeadLetter, Stored, dead_letter, dead_letters, discard, resend, stored
from .subscription import Listener, Subscription

#: Ops that get no reply: nobody could wait for one.
_UNANSWERED = ("handled", "continue", "reject", "failed", "working", "pong")


class Client(Planned):
    """A program as Baton sees it: its name, its handlers and its subscribers. Nothing happens until `run`, `serve` or
    `connect`. From then on it can send, broadcast and subscribe.

    `at` is `HOST:PORT`, `[IPV6]:PORT`, `tls:HOST:PORT` or `unix:PATH`; the default is the environment variable
    `BATON_SERVER`, or `127.0.0.1:22866`. Several places have commas between them: the client begins with one of them by chance,
    and goes to the next one at once where a server cannot be reached, is lost, shuts down, has no room, or does not lead
    (`not_leading`). Other programs see `name`.

    A server that asks who is there knows the program by its `token`; without one, by that of the environment variable
    `BATON_TOKEN`; without that, by the one in `token_file`, or in the file that `BATON_TOKEN_FILE` names. A token does
    not go over plain TCP to other machines, unless `plain_token` says that something else encrypts the way.

    With `tls:HOST:PORT` the connection is encrypted (TLS 1.3), and the server has to have a certificate for this host.
    The system's authorities count, or those in the file `ca`, or in the one that `BATON_TLS_CA` names. `certificate` and `key` are files with what the server
    knows this program by. `pins` are public keys, at most two, of which the server must have one, too: each is the
    base64 of the SHA-256 of its SubjectPublicKeyInfo. All files are PEM. `connect`, `serve` and `run` read them; each
    connection after a loss takes them as they are then.

    After `heartbeat` seconds of silence the server pings this program;
    the least is 0.1. A request waits for a connection for at most `patience` seconds, from its call. Requests that wait
    to be written take at most `max_waiting_bytes` together; one more raises `BacklogFull`. `report` is called with lines for
    people about connections that come and go. By default they go to the logger `baton`; Python shows the warnings of
    it. Without `expose_errors` a handler that raises has `failed`, and no more is said: the texts of errors may
    hold paths and passwords. Times are seconds or a `timedelta`. Raises `Unreachable` if `at` is not a place, `BadValue` if a time is wrong.
    """

    _session: Optional[Session] = None
    _draining: Draining

    @classmethod
    def of(cls, plan: Plan) -> Client:
        """A client with a plan that is made already."""
        client = cls.__new__(cls)
        client._plan = plan
        return client

    # Serving and connecting.

    def run(self) -> None:
        """Connects, and serves on a loop of its own until SIGTERM or SIGINT. Then it drains and returns; a second
        signal closes at once. It also returns when other clients have taken the last of its handlers and it has no subscriber.
        It waits for a server that is not there yet. Raises `Refused` if the server refuses the name or a handler, or, at
        any time, who this program is (`auth_failed`, `auth_required`); `BadToken` if the token cannot be used, `BadTLS`
        if the files or pins for encryption cannot."""
        if _a_loop_runs():
            raise RuntimeError("a loop runs here already: await client.serve() instead of client.run()")
        asyncio.run(self.serve(signals=True))

    async def serve(self, *, signals: bool = False) -> None:
        """The same on a loop that runs already. The first cancellation drains, the second one closes. It leaves signals
        to the owner of the loop, unless `signals` is true."""
        await serve(self._new_session(), self._draining, signals)

    async def connect(self) -> Client:
        """Connects, inserts the handlers and subscribes. A connection that is lost later is made again, with the same
        handlers and subscriptions. Raises `Unreachable` if the first connection cannot be made, `Refused` if the server
        refuses the token, the name or a handler, `BadToken` if the token cannot be used, `BadTLS` if the files or pins for
        encryption cannot."""
        if self._session:
            self._session.requests.process.check()
        if self._session is None or self._session.is_over:
            await self._new_session().open(is_patient=False)
        else:
            await self._session.opening()
        return self

    async def __aenter__(self) -> Client:
        return await self.connect()

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if error is None:
            await self.drain()
        else:
            await self.close()

    # Who it is.

    @property
    def identity(self) -> Optional[str]:
        """Who this program is to the server, as of its last connection; `None` where the server asks nobody, or does
        not know it."""
        return self._session.welcome.text("identity") if self._session and self._session.welcome else None

    @property
    def epoch(self) -> Optional[str]:
        """What the numbers of kept events belong to: another one after each start of the server. `None` where it keeps
        none, or before the first subscriber."""
        return self._session.subscriptions.epoch if self._session else None

    @property
    def may(self) -> Optional[List[str]]:
        """The rights of this program, as the configuration file says them; `None` where the server asks nobody, or does not
        know it."""
        return self._session.welcome.texts("may") if self._session and self._session.welcome else None

    @property
    def server_start(self) -> Optional[str]:
        """What tells this start of the server from all others, 32 hex digits, as of the last connection: numbers of
        messages (`walk`) begin anew when it changes. `None` where the server does not tell it."""
        return self._session.welcome.text("start") if self._session and self._session.welcome else None

    # Messages.

    async def send(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        chain: str = "main",
        mode: Mode = "first",
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
        durable: bool = False,
        once: Optional[str] = None,
        tries: Optional[int] = None,
        retry: Optional[Time] = None,
        expires: Optional[Time] = None,
        delay: Optional[Time] = None,
    ) -> Result:
        """Sends a message and waits for its result, whatever it is.

        A payload is any value that `json` can write, or a `Json`; `None` is the null of JSON. `mode` is `"first"` (the
        message goes to the first handler that takes it) or `"all"` (to every link, in order). Messages with the same
        `key` walk one at a time. The message ends after `timeout` seconds; the default is that of the server, 30. With
        `trace` the result tells the way, hop by hop.

        The message waits while there is no connection, as long as `patience` allows, while the server does not read,
        and while as many messages are open as the server allows. If the server does not take it in (`busy`), it is sent
        again. Raises `Refused`, `Unreachable`, `BacklogFull`, `Closed` or `BadValue`. Raises `ConnectionLost` if the
        connection is lost while the message is open: it may have been handled. Raises `NoAnswer` when two seconds more
        than its time have passed since the call. Whoever cancels the call (`task.cancel()`, `asyncio.timeout`) cancels
        the message on the server, too.

        A `durable` message is kept by the server, on disk, until it has an end: see `send_durable`, which says what `once`,
        `tries`, `retry`, `expires` and `delay` are. Its result may come days later."""
        if durable:
            accepted = await self.send_durable(
                topic, payload, meta=meta, chain=chain, mode=mode, key=key, timeout=timeout, trace=trace, once=once,
                tries=tries, retry=retry, expires=expires, delay=delay,
            )  # fmt: skip
            return await accepted.result()
        if once is not None or tries is not None or retry is not None or expires is not None or delay is not None:
            refuse_without_durable(once=once, tries=tries, retry=retry, expires=expires, delay=delay)
        text, seconds = _message(topic, payload, handed_on(meta), chain, mode, key, timeout, trace)
        requests = self._now.requests
        return Result(await requests.reply(requests.begin(encoded_line(text), seconds, True, key)))

    async def send_durable(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        chain: str = "main",
        mode: Mode = "first",
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
        once: Optional[str] = None,
        tries: Optional[int] = None,
        retry: Optional[Time] = None,
        expires: Optional[Time] = None,
        delay: Optional[Time] = None,
    ) -> Accepted[Awaitable[Result]]:
        """Sends a message that the server keeps, and waits until it is on disk. From then on it ends exactly once,
        whatever happens to the server, to this program or to the connection. `await accepted.result()` waits for its
        result.

        The server tries it until a handler takes it: `tries` times, the second time after `retry` seconds, then after
        twice as long each time, at most ten minutes, and not after `expires` seconds. The first attempt comes after `delay`
        seconds. `timeout` is the time of one try. What is not said is as the server has it. After the last attempt it is a dead letter.

        `once` is the name of the message, at most 128 bytes: the same message again under the same name is not taken in
        again. The library makes one where none is given. If the connection is lost, it sends the message again under this
        name. Raises as `send` does, but no `ConnectionLost` here; `Refused` with `no_store`, `not_declared` (the chain is not
        in the configuration file), `store_failed`, `store_full` and `once_mismatch`, after which it is not kept; `NoAnswer` when
        `accepted` has not come in time: it may be kept."""
        # Under the same name the server takes no other meta.
        said = handed_on(meta) if once is None else meta
        text, _ = _message(topic, payload, said, chain, mode, key, timeout, trace)
        once, more = durable_members(once, tries, retry, expires, delay)
        requests = self._now.requests
        request, line = await requests.keep(encoded_line(text + more), key)
        return Accepted(line, once, result_of(lambda: requests.result(request)))

    async def stored(self, name: Optional[str] = None, *, once: Optional[str] = None) -> Stored:
        """Where a durable message is: by its name on the server, or by the name that this identity gave it. Raises `Refused` with `no_such_message` if it has ended, or another program sent it
        and this one may not see its chain."""
        return await stored(self._now.requests.ask, name, once)

    def dead(
        self, chain: str = "main", *, after: Optional[str] = None, limit: Optional[int] = None
    ) -> AsyncIterator[DeadLetter]:
        """The dead letters of a chain, the oldest first: `async for letter in client.dead("orders"): ...`. It begins behind
        the one that `after` names. They come in pages of `limit`, at most 100; the next one is asked for when the loop
        wants it. What is not there when the loop begins is left out, so a loop that sends each of them again ends. They
        have no payloads: see `dead_letter`. Raises as `request` does."""
        check_name(chain, "the name of a chain")
        return dead_letters(self._now.requests.ask, chain, after, limit)

    async def dead_letter(self, name: str) -> DeadLetter:
        """One dead letter, with its payload. Raises `Refused` with `no_such_message` where there is none."""
        return await dead_letter(self._now.requests.ask, name)

    async def resend(self, name: str, payload: Any = NOTHING) -> str:
        """Makes a new message of a dead letter, perhaps with another payload, and returns its name. Raises as `request`
        does."""
        return await resend(self._now.requests.ask, name, payload)

    async def discard(self, name: str) -> None:
        """Ends a dead letter. Raises as `request` does."""
        await discard(self._now.requests.ask, name)

    async def notify(self, topic: str, payload: Any = NOTHING, *, meta: Any = NOTHING, chain: str = "main") -> int:
        """Tells every link at once and waits for no verdicts. Returns how many were told. Raises as `send` does."""
        check_name(chain, "the name of a chain")
        line = RequestLine("send").add_raw("topic", topic_json(topic)).add("payload", payload).add("meta", handed_on(meta))
        line.add("chain", chain).add("mode", "notify").add_given("within", within.get() or None)
        reply = await self._now.requests.ask(line)
        return reply.integer("delivered") or 0

    # Broadcasts.

    @overload
    async def broadcast(
        self, topic: str, payload: Any = ..., *, meta: Any = ..., echo: bool = ..., retain: bool = ..., via: None = ...
    ) -> int: ...

    @overload
    async def broadcast(
        self,
        topic: str,
        payload: Any = ...,
        *,
        meta: Any = ...,
        echo: bool = ...,
        retain: bool = ...,
        via: str,
        key: Optional[str] = ...,
        timeout: Optional[Time] = ...,
        trace: bool = ...,
    ) -> Result: ...

    async def broadcast(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        echo: bool = True,
        retain: bool = False,
        via: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
    ) -> Union[int, Result]:
        """Broadcasts to all subscribers. Returns the number of connections for which the event was queued. Without
        `echo` this client does not get it. With `retain` the payload becomes the value of its topic, which later
        subscribers may get; without a payload the value is taken away. With `via` the broadcast walks that chain first, and is published after its
        last link; then the result is returned, and `key`, `timeout` and `trace` are as with `send`. Raises as `send`
        does."""
        if via is None and (key is not None or timeout is not None or trace):
            raise BadValue("key, timeout and trace are for broadcasts that walk a chain first: say via=")
        line = RequestLine("broadcast").add_raw("topic", topic_json(topic)).add("payload", payload)
        line.add("meta", handed_on(meta))
        line.add_flag("echo", echo, usual=True).add_flag("retain", retain).add_given("via", via)
        line.add_given("within", within.get() or None)
        requests = self._now.requests
        if via is None:
            return (await requests.ask(line)).integer("delivered") or 0
        check_name(via, "via: the name of a chain")
        milliseconds = None if timeout is None else checked_milliseconds(timeout, "timeout")
        line.add_given("key", key).add_given("timeout_ms", milliseconds).add_flag("trace", trace)
        seconds = None if milliseconds is None else milliseconds / 1000
        return Result(await requests.reply(requests.begin(line.begun, seconds, True, key)))

    def subscribe(
        self,
        *patterns: str,
        retained: bool = False,
        recover: bool = True,
        after: Optional[int] = None,
        epoch: Optional[str] = None,
    ) -> Subscription:
        """The events of the topics that match one of the patterns. It begins when it is awaited, entered with
        `async with`, or first asked for an event with `async for`, and raises then as `send` does.

        With `retained` the values of the topics come first (`event.retained`), again after each lost connection. With
        `after` and `epoch`, always together and without `retained`, kept events after that number come first
        (`event.seq`, `client.epoch`). Kept events that did not come, because the connection was lost or read too slowly,
        are asked for again; what the server has not any more is told (`event.gone`). `recover=False` switches that
        off."""
        check_patterns(patterns)
        wish = Wish(retained, recover, after, epoch)
        wish.check()
        if not patterns:
            raise BadValue("say what to subscribe to: a pattern, such as door.* or >")
        return self._now.subscriptions.events(patterns, wish)

    def traces(
        self,
        *,
        chain: Optional[str] = None,
        topic: Optional[str] = None,
        status: Optional[Status] = None,
        slower_than: Optional[Time] = None,
        sender: Optional[str] = None,
        per_second: Optional[int] = None,
    ) -> Subscription:
        """The traces of walks that have ended, as events of the topic `$baton.trace`: those of messages that were sent
        to `chain`, by `sender`, with a `topic` that matches this pattern, that ended with `status`, and whose walk took
        longer than `slower_than` seconds. What is not given holds for all. At most `per_second` come in a second, and
        `event.left_out` says how many were left out before. They come on a connection of their own, which is made again
        when it is lost, and closed with the subscription or the client. It begins and raises as `subscribe` does."""
        session = self._now
        line = subscribing(chain, topic, status, slower_than, sender, per_second)
        others: List[Session] = []

        async def begin(patterns: Tuple[str, ...]) -> Listener:
            other = session.open_for_traces()
            others.append(other)
            try:
                return await other.subscriptions.subscribe(patterns, line=line)
            except BaseException:
                session.close_for_traces(other)
                raise

        return Subscription((TOPIC,), begin, lambda _: session.close_for_traces(others[0]))

    # Handlers that come and go.

    async def add(
        self,
        function: Handler,
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
    ) -> Link:
        """Adds a handler while the client is connected: `link = await client.add(porter, "door.*")`. What is said is as
        with `handler`. It comes back with the others after a loss. Without a connection it waits as long as `patience`
        allows. Raises as `send` does, and `NotAGuard` where the configuration file says less than a guard needs; the
        function is no handler of this client then."""
        session = self._now
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
        return await session.links.add(settings, body(function, session.threads))

    @property
    def links(self) -> List[Link]:
        """The handlers of a connected client: those of its plan, and those that were added; without those that were
        removed, or that another client has replaced."""
        return self._session.links.served if self._session else []

    # Anything else.

    async def request(self, op: str, **members: Any) -> Dict[str, Any]:
        """Sends any request with its members, and returns the reply: `await client.request("inspect", chain="main")`.
        Raises as `send` does, and `BadValue` for an op that gets no reply."""
        return (await self.request_line(op, **members)).members

    def pages(self, op: str, **members: Any) -> AsyncIterator[Dict[str, Any]]:
        """The replies to a request that is answered in pages, from the first to the last:
        `async for page in client.pages("inspect"): ...`. The next page is asked for when the loop wants it. Raises as
        `request` does."""
        return pages(self.request, op, members)

    async def request_line(self, op: str, **members: Any) -> ServerLine:
        """The same, but returns the whole line of the server, with its members."""
        if op in _UNANSWERED:
            raise BadValue(f'"{op}" gets no reply: it is not a request')
        line = RequestLine(op)
        for name, value in members.items():
            if name in ("op", "id", "reply"):
                raise BadValue(f'"{name}" is set by the client, which needs it to find the reply')
            line.add(name, value)
        return await self._now.requests.ask(line)

    # The end.

    async def drain(self) -> None:
        """Removes the links, finishes what is open, and closes. A handler that calls it would wait for itself. In a process
        that was forked it does nothing, and so does `close`: the connection is another's."""
        if self._session and self._session.requests.process.is_here:
            await asyncio.shield(self._draining.begin())

    async def close(self) -> None:
        """Closes at once. Open requests raise `Closed`."""
        if self._session and self._session.requests.process.is_here:
            self._session.close()
            # The loop closes the socket in its next turn.
            await asyncio.sleep(0)

    async def closed(self) -> None:
        """Waits until the client has ended."""
        if self._session:
            self._session.requests.process.check()
            await self._draining.over()

    @property
    def _is_under_way(self) -> bool:
        return self._session is not None and not self._session.is_over

    @property
    def _now(self) -> Session:
        if self._session is None:
            raise Closed("the client is not connected: run it, serve it, or connect it first")
        self._session.requests.process.check()
        return self._session

    def _new_session(self) -> Session:
        if self._session:
            self._session.requests.process.check()
        if self._is_under_way:
            raise Closed("the client is connected already")
        plan = self._plan
        plan.calls = lambda loop: Calls(self, loop)
        self._session = Session(plan, plan.token.read(plan.endpoints), plan.encryption.context(plan.endpoints))
        self._draining = Draining(self._session)
        return self._session


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _message(
    topic: str,
    payload: Any,
    meta: Any,
    chain: str,
    mode: str,
    key: Optional[str],
    timeout: Optional[Time],
    trace: bool,
) -> Tuple[str, Optional[float]]:
    """The text of a message without its end, and its time in seconds, if it has one. Raises `BadValue` and `Refused`."""
    if mode != "first" and mode != "all":
        instead = "; a notice has no result: use notify(…)" if mode == "notify" else ""
        raise BadValue(f'mode: {mode!r} is neither "first" nor "all"{instead}')
    text = f'{{"op":"send","topic":{topic_json(topic)}'
    if payload is not NOTHING:
        text += f',"payload":{encode(payload)}'
    if meta is not NOTHING:
        text += f',"meta":{encode(meta)}'
    if chain != "main":
        check_name(chain, "the name of a chain")
        text += f',"chain":"{chain}"'
    if mode == "all":
        text += ',"mode":"all"'
    if key is not None:
        text += f',"key":{encode(key)}'
    seconds = None
    if timeout is not None:
        milliseconds = checked_milliseconds(timeout, "timeout")
        text += f',"timeout_ms":{milliseconds}'
        seconds = milliseconds / 1000
    if trace:
        text += ',"trace":true'
    number = within.get()
    if number:
        text += f',"within":{number}'
    return text, seconds
