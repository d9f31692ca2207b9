"""Which traces a subscriber wants, as a line."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ._contract import STATUSES
from ._names import check_name, check_pattern
from ._request_line import RequestLine, Time, checked_milliseconds
from .errors import BadValue

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
    if chain is not None:
        check_name(chain, "the name of a chain")
    if topic is not None:
        check_pattern(topic)
    if status is not None and status not in STATUSES:
        raise BadValue(f"status: {status!r} is none of {', '.join(STATUSES)}")
    if per_second is not None and (type(per_second) is not int or per_second < 1):
        raise BadValue(f"per_second: {per_second!r} is not a whole number above 0")
    where: Dict[str, Any] = {
        "chain": chain,
        "topic": topic,
        "status": status,
        "slower_than_ms": None if slower_than is None else checked_milliseconds(slower_than, "slower_than"),
        "from": sender,
    }
    given = {name: value for name, value in where.items() if value is not None}
    line = RequestLine("subscribe").add("topics", [TOPIC]).add_given("where", given or None)
    return line.add_given("per_second", per_second)
