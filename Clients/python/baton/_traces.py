"""Which traces a subscriber wants, as a line."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ._request_line import RequestLine, Time, milliseconds

#: The server tells of each walk that has ended under this topic.
TOPIC = "$baton.trace"


def subscribing(
    chain: Optional[str],
    topic: Optional[str],
    status: Optional[str],
    slower_than: Optional[Time],
    sender: Optional[str],
    per_second: Optional[int],
) -> RequestLine:
    """The line that subscribes. Raises `BadValue` for what cannot be sent."""
    where: Dict[str, Any] = {
        "chain": chain,
        "topic": topic,
        "status": status,
        "slower_than_ms": None if slower_than is None else milliseconds(slower_than),
        "from": sender,
    }
    given = {name: value for name, value in where.items() if value is not None}
    line = RequestLine("subscribe").add("topics", [TOPIC]).add_given("where", given or None)
    return line.add_given("per_second", per_second)
