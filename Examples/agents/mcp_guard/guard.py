"""Stands between an agent and a tool server: passes on what is harmless, asks about what is not, and refuses the rest.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, Dict, Set

import baton

from . import jsonrpc
from .question import Permitted, Question, Refused, ask
from .streams import Input, Output, lines

#: Methods of the agent that run nothing: they are passed on. So are those below PASSED_BELOW, and notifications.
PASSED = {"initialize", "ping", "prompts/get", "completion/complete", "logging/setLevel"}
#: What a call may have. An unknown member might be read by the tool, and not by who judges.
CALL = {"name", "arguments", "_meta", "task"}
RESOURCE = {"uri", "_meta"}
#: So many calls may be open at once; one more is refused.
MOST_OPEN = 256
#: How often an agent that asked for it hears that its call waits, in seconds.
PROGRESS_EVERY = 10.0


class Guard:
    """One agent and one tool server, until one of them ends."""

    def __init__(
        self, client: baton.Client, server: str, chain: str, wait: float, process: asyncio.subprocess.Process
    ) -> None:
        self._client = client
        self._server = server
        self._chain = chain
        self._wait = wait
        self._process = process
        self._output = Output(1)
        self._asked: Dict[Any, asyncio.Task[None]] = {}
        #: Those that are asked, and those whose cancellation is on its way.
        self._tasks: Set[asyncio.Task[None]] = set()
        #: The ids of requests that the server has not answered.
        self._passed: Set[Any] = set()
        self._written = asyncio.Lock()

    # From the agent to the server.

    async def from_agent(self, source: Input) -> None:
        """Reads until the agent ends."""
        async for line in lines(source.pieces()):
            if line is None:
                await self._output.own(jsonrpc.error(None, jsonrpc.PARSE_ERROR, "the line is too long"))
                continue
            try:
                await self._take(jsonrpc.parse(line))
            except jsonrpc.Malformed as error:
                await self._output.own(jsonrpc.error(error.id, error.code, str(error)))

    async def end_asking(self) -> None:
        """Cancels what is asked: the agent or the server has gone."""
        tasks = list(self._tasks)
        self._asked.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, message: Dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            await self._pass_on(message)
        elif "id" not in message:
            await self._take_notification(method, message)
        elif message["id"] in self._asked or message["id"] in self._passed:
            raise jsonrpc.Malformed(jsonrpc.INVALID_REQUEST, "this id is that of an open request", message["id"])
        elif len(self._asked) + len(self._passed) >= MOST_OPEN:
            await self._refuse(message, Refused("too many", f"{MOST_OPEN} requests are open; wait for one of them."))
        elif method in ("tools/call", "resources/read", "resources/subscribe"):
            self._begin(message, self._question(method, message))
        elif method in PASSED or method.endswith("/list") or method.startswith("tasks/"):
            self._passed.add(message["id"])
            await self._pass_on(message)
        else:
            raise jsonrpc.Malformed(jsonrpc.METHOD_NOT_FOUND, f"the guard does not let {method!r} pass", message["id"])

    async def _take_notification(self, method: str, message: Dict[str, Any]) -> None:
        if not method.startswith("notifications/"):
            log(f"{ascii(method)[:80]} has no id, and was not run")
            return
        if method == "notifications/cancelled":
            params = message.get("params")
            id = params.get("requestId") if isinstance(params, dict) else None
            if not isinstance(id, (str, int)) or isinstance(id, bool):
                return
            if id in self._asked:
                self._asked.pop(id).cancel()
                return
            # Servers do not answer what was cancelled.
            self._passed.discard(id)
        await self._pass_on(message)

    def _question(self, method: str, message: Dict[str, Any]) -> Question:
        id, params = message["id"], message.get("params")
        known = CALL if method == "tools/call" else RESOURCE
        if not isinstance(params, dict):
            raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, "params is an object", id)
        strange = sorted(set(params) - known)
        if strange:
            raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, f"the guard does not know the member {strange[0]!r}", id)
        if method == "tools/call":
            tool, arguments = params.get("name"), params.get("arguments", {})
            if not isinstance(tool, str) or not isinstance(arguments, dict):
                raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, "a call has a name, and arguments in an object", id)
            return Question.tool(self._server, tool, arguments, id)
        if not isinstance(params.get("uri"), str):
            raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, "a resource has a uri", id)
        return Question.resource(self._server, method.partition("/")[2], params["uri"], id)

    def _begin(self, message: Dict[str, Any], question: Question) -> None:
        id = message["id"]
        task = self._asked[id] = asyncio.create_task(self._decide(message, question))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _decide(self, message: Dict[str, Any], question: Question) -> None:
        """Asks about one call, and runs or refuses it. A cancellation leaves it unanswered, and not run."""
        id, start = message["id"], time.monotonic()
        progress = asyncio.create_task(self._tell_progress(message))
        try:
            decision = await ask(self._client, question, self._chain, self._wait)
        except asyncio.CancelledError:
            log(f"{question.topic}: cancelled after {time.monotonic() - start:.1f} s; not run")
            raise
        finally:
            progress.cancel()
        if self._asked.get(id) is not asyncio.current_task():
            # It was cancelled while the decision came in.
            return
        # It is decided: from here on a cancellation is the server's.
        del self._asked[id]
        if isinstance(decision, Permitted):
            if decision.rewritten:
                message["params"]["arguments"] = decision.arguments
            self._passed.add(id)
            await asyncio.shield(self._pass_on(message))
            noted = "permitted, rewritten" if decision.rewritten else "permitted"
        else:
            await asyncio.shield(self._refuse(message, decision))
            noted = decision.noted
        log(f"{question.topic}: {noted} after {time.monotonic() - start:.1f} s")

    async def _tell_progress(self, message: Dict[str, Any]) -> None:
        meta = message["params"].get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not isinstance(token, (str, int)) or isinstance(token, bool):
            return
        told = 0
        while True:
            await asyncio.sleep(PROGRESS_EVERY)
            told += 1
            params = {"progressToken": token, "progress": told, "message": "waiting for approval"}
            line = jsonrpc.spelled({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            # A line that has begun is written to its end.
            await asyncio.shield(self._output.own(line))

    async def _refuse(self, message: Dict[str, Any], refused: Refused) -> None:
        if message["method"] == "tools/call":
            result = {"content": [{"type": "text", "text": refused.text}], "isError": True}
            await self._output.own(jsonrpc.answer(message["id"], result))
        else:
            await self._output.own(jsonrpc.error(message["id"], jsonrpc.REFUSED, refused.text))

    async def _pass_on(self, message: Dict[str, Any]) -> None:
        """Writes the message anew. A server that has gone is told by its end."""
        stream = self._process.stdin
        assert stream is not None
        async with self._written:
            try:
                stream.write(jsonrpc.spelled(message))
                await stream.drain()
            except (ConnectionError, RuntimeError):
                pass

    # From the server to the agent.

    async def from_server(self) -> None:
        """Passes all on, untouched. It reads along only to learn which requests are answered."""
        stream = self._process.stdout
        assert stream is not None
        line = bytearray()
        while piece := await stream.read(1 << 16):
            *ends, rest = piece.split(b"\n")
            for end in ends:
                line += end
                self._note_answer(bytes(line))
                line.clear()
            line += rest
            await self._output.server(piece)

    def _note_answer(self, line: bytes) -> None:
        try:
            message = json.loads(line)
            if isinstance(message, dict) and "method" not in message:
                self._passed.discard(message.get("id"))
        except (ValueError, RecursionError, TypeError):
            pass

    async def tell_lost(self) -> None:
        """Answers what is open when the server has gone."""
        asked = list(self._asked)
        await self.end_asking()
        for id in [*self._passed, *asked]:
            await self._output.own(jsonrpc.error(id, jsonrpc.INTERNAL_ERROR, "the tool server has ended"))


def log(line: str) -> None:
    """A decision, without arguments: they may hold secrets."""
    print(time.strftime("%H:%M:%S"), "mcp-guard:", line, file=sys.stderr, flush=True)
