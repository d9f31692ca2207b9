"""JSON-RPC as the guard reads and writes it: strictly, so that judge and tool read the same."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Optional, Tuple, Union

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
#: The code of what the chain did not permit, where there is no result that can say so.
REFUSED = -32000

#: What a message may have. Readers that do not tell capitals apart would take "Method" for "method".
MEMBERS = {"jsonrpc", "id", "method", "params", "result", "error"}

#: Some readers end lines at these, too. To them a text with one would be a second message, which nobody was asked about.
LINE_ENDS = re.compile("[\u0085\u2028\u2029]")

Id = Union[str, int]


class Malformed(Exception):
    """The line is no message. `code` and `id` are those of the answer."""

    def __init__(self, code: int, message: str, id: Optional[Id] = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = id


def read(text: bytes) -> Any:
    """The value of a JSON text that all readers read alike. Raises `Malformed`."""
    try:
        value = json.loads(
            text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_number
        )
        # What cannot be spelled in UTF-8, halves of surrogate pairs, is found here.
        spelled(value)
        return value
    except (ValueError, RecursionError) as error:
        raise Malformed(PARSE_ERROR, f"not a JSON text that everybody reads alike: {error}") from None


def parse(line: bytes) -> Dict[str, Any]:
    """The message in a line. Raises `Malformed`."""
    message = read(line)
    if not isinstance(message, dict):
        raise Malformed(INVALID_REQUEST, "a message is one object; batches are not taken")
    id = message.get("id")
    if "id" in message and (not isinstance(id, (str, int)) or isinstance(id, bool)):
        raise Malformed(INVALID_REQUEST, "an id is a text or a whole number")
    strange = sorted(set(message) - MEMBERS)
    if strange:
        raise Malformed(INVALID_REQUEST, f"a message has no member {strange[0]!r}", id)
    if message.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'a message has "jsonrpc":"2.0"', id)
    if ("method" in message) == ("result" in message or "error" in message):
        raise Malformed(INVALID_REQUEST, "a message has a method, or else a result or an error", id)
    if "method" in message and not isinstance(message["method"], str):
        raise Malformed(INVALID_REQUEST, "a method is a text", id)
    return message


def spelled(message: Any) -> bytes:
    """The message anew, as a line. Raises `ValueError` where it cannot be written."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8") + b"\n"


def answer(id: Optional[Id], result: Any) -> bytes:
    """The line that answers a request."""
    return spelled({"jsonrpc": "2.0", "id": id, "result": result})


def error(id: Optional[Id], code: int, message: str) -> bytes:
    """The line that refuses a request, or one that has no id, which is answered with null."""
    return spelled({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})


def _once(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:40]} is too large")
    return number
