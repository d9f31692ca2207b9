"""Tests of handlers, without a server.

    import asyncio
    import baton.testing

    verdict = asyncio.run(baton.testing.offer(porter, "door.open", "Ann"))
    assert verdict == baton.handled("Come in, Ann.")
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable, Optional

from ._offers import body, verdict
from ._parsing import members
from ._plan import Handler
from ._request_line import RequestLine
from ._server_line import ServerLine
from ._threads import Threads
from .errors import BatonError
from .message import Message
from .payload import NOTHING, Json
from .verdict import Verdict, failed


async def offer(
    handler: Handler,
    topic: str,
    payload: Any = NOTHING,
    *,
    meta: Any = NOTHING,
    key: Optional[str] = None,
    sender: str = "test",
    chain: str = "main",
    timeout: float = 30.0,
    again: bool = False,
    stored: Optional[str] = None,
    try_: Optional[int] = None,
    resent: Optional[str] = None,
    shadow: bool = False,
    for_broadcast: bool = False,
    notice: bool = False,
    working: Optional[Callable[[Message], Any]] = None,
) -> Verdict:
    """Offers a message to a handler, as a server would, and returns its verdict. The payloads go through JSON both ways.
    What goes wrong in the handler is `failed`, with the words that the sender would get. `working` is called when the
    handler asks for more time. With `stored` it is an offer of a durable message; `try_` is 1 then, unless it is given.
    `message.client` raises `RuntimeError`: give a handler that sends a client of its own."""
    name = getattr(handler, "__name__", "handler")
    line = RequestLine("notice" if notice else "offer")
    if not notice:
        line.add("id", 1).add_time("timeout_ms", timeout).add_flag("again", again).add_flag("shadow", shadow)
    line.add("walk", 1).add("chain", chain).add("handler", name).add("topic", topic).add("from", sender)
    line.add("payload", payload).add("meta", meta).add_given("key", key)
    if stored is not None:
        line.add("stored", stored).add("try", 1 if try_ is None else try_).add_given("resent", resent)
    line.add_given("for", "broadcast" if for_broadcast else None)
    message = Message(ServerLine(line.ended().decode().rstrip("\n")), working or (lambda message: None))
    threads = Threads(asyncio.get_running_loop())
    try:
        answer = await verdict(body(handler, threads), message)
    finally:
        threads.stop()
    try:
        written = members(answer.line(1).decode())
    except BatonError as error:
        return failed(error.message)
    if "payload" in written and not isinstance(answer.payload, Json):
        return Verdict(answer.op, json.loads(written["payload"]), answer.message, answer.code)
    return answer
