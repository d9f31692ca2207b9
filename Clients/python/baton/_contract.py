"""Numbers and words of the contract. Made by Scripts/contract of Clients/contract.json. Do not change it here."""

from __future__ import annotations

from typing import Dict, Literal, Tuple, get_args

#: What may become of a message.
Status = Literal["handled", "unhandled", "published", "rejected", "failed", "timeout", "cancelled"]

STATUSES: Tuple[str, ...] = get_args(Status)

#: Why a link failed a message.
LinkCause = Literal["timeout", "disconnect", "failed", "overload", "breaker"]

CAUSES: Tuple[str, ...] = get_args(LinkCause)

#: Why a message is `failed`: at a link, or because the disk of the server has lost the bytes of a durable one.
Cause = Literal["timeout", "disconnect", "failed", "overload", "breaker", "damaged"]

#: The largest number that a member may be, or the most bytes that its text may have.
MOST_OF: Dict[str, int] = {
    "timeout_ms": 86_400_000,
    "key": 255,
    "rank": 1_000_000_000,
    "window": 65_536,
    "hold_ms": 86_400_000,
    "percent": 100,
    "within": 1_000,
    "message": 1_024,
    "code": 1_024,
    "token": 256,
    "heartbeat_ms": 86_400_000,
    "limit": 1_000,
    "per_second": 100_000,
    "check": 1_048_576,
    "epoch": 64,
    "once": 128,
    "tries": 1_000,
    "retry_ms": 600_000,
    "expires_ms": 604_800_000,
    "delay_ms": 604_800_000,
    "since_ms": 31_536_000_000,
}

#: How many bytes a message counts beside its line.
MESSAGE_BYTES = 1_024
