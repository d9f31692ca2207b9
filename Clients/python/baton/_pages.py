"""The replies to a request that is answered in pages: each says where the next one begins."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Dict


async def pages(
    ask: Callable[..., Awaitable[Dict[str, Any]]], op: str, members: Dict[str, Any]
) -> AsyncIterator[Dict[str, Any]]:
    """Asks for one page after the other. `ask` sends a request and returns its reply."""
    while True:
        reply = await ask(op, **members)
        yield reply
        after = reply.get("after")
        # A page that leads to itself has no next one.
        if reply.get("more") is not True or type(after) not in (str, int) or after == members.get("after"):
            return
        members = {**members, "after": after}
