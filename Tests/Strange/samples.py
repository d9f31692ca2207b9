"""One line of each kind that a server says, with every member that a client may read (contract, sections 3 to 15)."""

#: Where a request's own number goes.
ID = object()

TRACE = [
    {"chain": "main", "handler": "spam", "outcome": "failed", "wait_us": 3, "service_us": 40, "rewrote": True, "again": True,
     "message": "no ink", "span": "53995c3f42cd8ad8", "offered_us": 4},
    {"chain": "main", "mount": "desk", "skipped": "topic"},
    {"chain": "main", "handler": "desk", "hidden": True},
]
FAILURES = [{"by": "spam", "chain": "main", "cause": "failed", "message": "no ink"}]
RESULT = {
    "op": "result", "id": ID, "status": "handled", "by": "porter", "payload": {"door": 3}, "message": "said", "code": 403,
    "cause": "failed", "results": [{"by": "porter", "payload": 1}], "hops": 2, "walk": 7, "again": True, "delivered": 4,
    "failures": FAILURES, "more_failures": True, "truncated": True, "version": 2, "key_wait_us": 5, "trace": TRACE,
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "stored": "k3f9-1", "try": 2, "dead": False,
}
UNHANDLED = {**RESULT, "status": "failed"}
OFFER = {
    "op": "offer", "id": 900_001, "walk": 7, "chain": "main", "handler": "porter", "topic": "door.open", "payload": {"door": 3},
    "meta": {"a": 1}, "key": "k", "timeout_ms": 30000, "from": "cli", "again": True, "shadow": False, "for": "broadcast",
    "stored": "k3f9-1", "try": 2, "resent": "k3f9-0", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-53995c3f42cd8ad8-01",
}
EVENT = {
    "op": "event", "topic": "door.opened", "payload": {"door": 3}, "meta": 1, "from": "cli", "seq": 5, "retained": False,
}
WELCOME = {
    "op": "welcome", "id": ID, "server": "baton", "version": "0.0.0", "protocol": 1,
    "start": "00112233445566778899aabbccddeeff", "connection": 1, "max_line": 1048576, "max_open_messages": 4096,
    "max_open_bytes": 67108864, "timeout_ms": 100, "remembered_ms": 3600000, "identity": "ann", "may": ["everything"],
}
INSERTED = {
    "op": "ok", "id": ID, "chain": "main", "handler": "porter", "rank": 1.5, "position": 1, "links": 1, "version": 1,
    "declared": True, "ignored": ["at", "window"],
}
DONE = {"op": "ok", "id": ID, "delivered": 2, "cancelled": True, "connection": 3, "stored": "k3f9-2"}
SUBSCRIBED = {"op": "ok", "id": ID, "epoch": "e1", "seq": 4}
ERROR = {"op": "error", "id": ID, "code": "no_such_handler", "message": "there is none", "by": "ann",
         "errors": [{"line": 1, "column": 2, "message": "what is that"}]}

SAMPLE = {"ago_ms": 10000, "messages": 5, "handled": 4, "continue": 1, "reject": 1, "failed": 1, "timeout": 1, "disconnect": 1,
          "overload": 1, "breaker": 1, "p99_us": 900}
# Two of the same ten seconds have a sum.
HISTORY = [SAMPLE, SAMPLE]
LINK = {
    "handler": "porter", "rank": 1.5, "position": 1, "accepts": ["door.*"], "declared": True, "required": True,
    "on_failure": {"failed": "stop"}, "hold_ms": 5, "timeout_ms": 100, "share": True, "shadow": True, "connections": 1, "open": 2,
    "window": 8, "waiting": 3, "oldest_ms": 12, "handled": 4, "continue": 5, "reject": 6, "failed": 7, "timeout": 8, "disconnect": 9,
    "overload": 1, "breaker": 2, "agreed": 3, "disagreed": 4, "p50_us": 5, "p99_us": 6, "p50_us_1m": 7, "p99_us_1m": 8,
    "state": "open", "last_failure": {"cause": "failed", "message": "no ink", "walk": 5, "ago_ms": 1000}, "history": HISTORY,
}
MOUNT = {"mount": "desk", "rank": 2, "position": 2, "accepts": [">"], "declared": True}
CHAIN = {
    "chain": "main", "version": 2, "keyed": 3, "keyed_oldest_ms": 4,
    "stored": {"messages": 6, "delayed": 1, "waiting": 2, "due": 3, "under_way": 4, "dead": 5}, "links": [LINK, MOUNT],
}
SERVER = {
    "version": "0.0.0", "uptime_ms": 1, "connections": 2, "subscriptions": 3, "links": 4, "open": 5, "per_second": 6,
    "messages": 7, "open_bytes": 8, "unsent_bytes": 9, "unfinished_bytes": 1, "missed": 2, "memory_bytes": 3, "file_limit": 4096,
    "draining": True, "store": {"messages": 1, "bytes": 2, "dead": 3, "remembered": 4, "values": 5, "events": 6},
    "limits": {"max_total_bytes": 5, "max_links": 6}, "limits_lowered_by": "memory",
    "paused": [{"connection": 5, "name": "cli", "why": "unsent", "for_ms": 6, "open": 7, "unsent_bytes": 8}], "history": HISTORY,
}
OPEN = {"walk": 1, "topic": "door.open", "chain": "main", "state": "offered", "age_ms": 5, "from": "cli", "key": "k",
        "handler": "porter", "stored": "k3f9-1", "try": 2}
CONNECTION = {"connection": 5, "name": "cli", "identity": "ann", "address": "127.0.0.1:5", "door": "ws", "since_ms": 1, "links": 2,
              "subscriptions": 3, "open": 4, "unsent_bytes": 5, "missed": 6, "paused": "unsent"}
CLOSED = {"connection": 6, "name": "cli", "reason": "lost", "ago_ms": 5}
CHANGE = {"what": "replaced", "chain": "main", "handler": "porter", "as": "guard", "version": 3, "by": "ann", "ago_ms": 5,
          "connection": 7, "name": "cli", "changed": ["chains"]}
CHAINS = {"op": "chains", "id": ID, "chains": [CHAIN], "server": SERVER, "messages": [OPEN], "connections": [CONNECTION],
          "closed": [CLOSED], "changes": [CHANGE], "more": False}
WALK = {
    "walk": 7, "chain": "main", "topic": "door.open", "from": "cli", "key": "k", "status": "failed", "by": "porter",
    "cause": "failed", "message": "no ink", "code": 403, "hops": 2, "again": True, "total_us": 50, "partial": True, "version": 2,
    "key_wait_us": 3, "trace": TRACE, "failures": FAILURES, "truncated": True, "ago_ms": 5, "stored": "k3f9-1", "try": 2,
}
FINDING = {"level": "wrong", "what": "absent", "chain": "main", "handler": "porter", "connection": 5, "name": "cli",
           "limit": "max_links", "since_ms": 5, "why": "nobody serves it", "next": "start it"}
STEP = {"chain": "main", "handler": "porter", "would": "wait", "reason": "window", "on_failure": "stop", "hidden": False}
DEAD = {"stored": "k3f9-1", "topic": "order.paid", "chain": "orders", "key": "k", "tries": 3, "ago_ms": 5, "payload": 1, "meta": 2,
        "unreadable": False, "hidden": False, "cause": "damaged",
        "result": {"status": "failed", "by": "bill", "cause": "failed", "message": "no ink", "code": "c", "hops": 2, "walk": 7,
                   "failures": FAILURES}}
STORED = {"op": "stored", "id": ID, "stored": "k3f9-1", "chain": "orders", "state": "waiting", "tries": 3, "cause": "failed",
          "uncounted": True, "undeclared": True, "next_try_ms": 500}

#: What a server may say to each request.
REPLIES = {
    "hello": WELCOME,
    "insert": INSERTED,
    "replace": INSERTED,
    "move": INSERTED,
    "remove": DONE,
    "send": RESULT,
    "notify": DONE,
    "broadcast": DONE,
    "subscribe": SUBSCRIBED,
    "accepted": {"op": "accepted", "id": ID, "stored": "k3f9-1", "known": True},
    "inspect": CHAINS,
    "explain": {"op": "explained", "id": ID, "topic": "door.open", "chain": "main", "version": 2, "links": [STEP], "more": False,
                "truncated": True},
    "walks": {"op": "walks", "id": ID, "walks": [WALK], "more": False},
    "findings": {"op": "findings", "id": ID, "findings": [FINDING], "more": True},
    "dead": {"op": "dead", "id": ID, "dead": [DEAD], "more": False, "until": "k3f9-1"},
    "stored": STORED,
    "resend": DONE,
    "discard": DONE,
    "close": DONE,
    "cancel": DONE,
    "mount": INSERTED,
    "unmount": DONE,
    "unsubscribe": {"op": "ok", "id": ID},
    "reload": {"op": "ok", "id": ID, "changed": ["chains"], "restart": ["listen"]},
    "ping": {"op": "pong", "id": ID},
    "error": ERROR,
}

#: What a server says by itself.
NEWS = [
    OFFER,
    {**OFFER, "op": "notice"},
    EVENT,
    {**EVENT, "retained": True},
    {"op": "missed", "count": 3},
    {"op": "missed", "count": 3, "gone": True, "at_most": 4},
    {"op": "left_out", "count": 3},
    {"op": "lapsed", "id": 900_001, "chain": "main", "handler": "porter", "why": "cancelled"},
    {"op": "moved", "chain": "main", "handler": "porter", "rank": 2.5},
    {"op": "replaced", "chain": "main", "handler": "guard", "by": "ann"},
    {"op": "removed", "chain": "main", "handler": "guard", "by": "ann"},
    {"op": "draining", "deadline_ms": 25000},
    {"op": "ping", "id": 5},
    {"op": "pong", "id": 5},
    {"op": "error", "offer": 900_001, "code": "bad_member", "message": "the verdict is wrong"},
    {"op": "error", "code": "busy", "message": "much to do", "by": "ann"},
    {"op": "result", "id": 900_002, "status": "handled", "hops": 1, "walk": 8},
    {"op": "accepted", "id": 900_003, "stored": "k3f9-1"},
    {"op": "unheard_of", "id": 900_004, "what": 1},
]
