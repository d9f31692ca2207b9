#!/usr/bin/env python3
"""Lets the conformance cases drive this library: commands are lines of JSON on standard input, reports lines of JSON on
standard output. Payloads go through both byte for byte."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from typing import Any, Callable, Coroutine, Dict, List, Optional, Set, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import baton  # noqa: E402
from baton._parsing import members  # noqa: E402

#: What JSON cannot say.
UNENCODABLE = float("nan")


def report(raw: Optional[Dict[str, Optional[str]]] = None, **said: Any) -> None:
    """One line: what is said, left out where it is nothing, and texts that are JSON already."""
    parts = [f"{json.dumps(name)}:{json.dumps(value)}" for name, value in said.items() if value not in (None, [])]
    parts += [f"{json.dumps(name)}:{text}" for name, text in (raw or {}).items() if text is not None]
    sys.stdout.buffer.write(("{" + ",".join(parts) + "}\n").encode())
    sys.stdout.buffer.flush()


def seconds(milliseconds: Optional[float]) -> Optional[float]:
    return None if milliseconds is None else milliseconds / 1000


class Shim:
    """One client, and the calls of its handlers that wait for a command."""

    def __init__(self) -> None:
        self.client = baton.Client()
        self.calls = 0
        self.commands: Dict[int, asyncio.Queue[Dict[str, Any]]] = {}
        self.subscriptions: Dict[str, baton.Subscription] = {}
        self.tasks: Set[asyncio.Task[None]] = set()
        self.named: Dict[str, asyncio.Task[None]] = {}
        self.links: Dict[str, baton.Link] = {}
        self.accepted: Dict[str, Any] = {}

    def carry_out(self, line: str) -> None:
        """One command. None waits for another's outcome."""
        command = json.loads(line)
        command["raw"] = {name: baton.Json(text) for name, text in members(line).items() if name in ("payload", "meta")}
        kind = command["do"]
        if kind == "plan":
            self.plan(command)
        elif kind in ("verdict", "throw", "working", "inside"):
            command["inner"] = members(line).get("command")
            self.commands[command["offer"]].put_nowait(command)
        elif kind == "cancel":
            # It may only have been told to begin.
            asyncio.get_running_loop().call_soon(self.named[command["as"]].cancel)
        elif kind == "unsubscribe":
            self.subscriptions.pop(command["as"]).close()
            report(done=command["as"])
        else:
            if kind in ("request", "pages"):
                command["members"] = members(members(line).get("members", "{}"))
            task = asyncio.get_running_loop().create_task(self.calling(getattr(self, kind), command))
            self.tasks.add(task)
            self.named[command.get("as", "")] = task
            task.add_done_callback(self.tasks.discard)

    async def calling(self, call: Callable[..., Coroutine[Any, Any, None]], command: Dict[str, Any]) -> None:
        try:
            await call(command)
        except asyncio.CancelledError:
            report(failed=command["as"], code="cancelled")
        except baton.BatonError as error:
            report(failed=command["as"], code=error.code, message=error.message, sent=getattr(error, "sent", None))
        except Exception as error:
            # No error of the library is of another kind.
            report(failed=command["as"], code="unknown", message=f"{type(error).__name__}: {error}")

    # The plan.

    def plan(self, command: Dict[str, Any]) -> None:
        times = {
            name: command[f"{name}_ms"] / 1000 for name in ("heartbeat", "patience") if f"{name}_ms" in command
        }
        exposed = command.get("expose_errors", True)
        same = ("name", "token", "token_file", "plain_token", "ca", "certificate", "key", "pins", "max_waiting_bytes")
        who = {name: command[name] for name in same if name in command}
        if command.get("reports"):
            who["report"] = lambda line: report(told=line)
            logging.getLogger("baton").addHandler(Told())
        self.client = baton.Client(command.get("at"), expose_errors=exposed, **who, **times)
        if "grace_ms" in command:
            self.client._plan.grace = command["grace_ms"] / 1000
        for name in ("again", "attempt"):
            if f"{name}_ms" in command:
                setattr(self.client._plan, name, command[f"{name}_ms"] / 1000)
        for handler in command.get("handlers", []):
            patterns, said = handler_settings(handler)
            self.client.handler(*patterns, **said)(self.handle)
        for number, patterns in enumerate(command.get("subscribers", []), 1):
            self.client.subscriber(*patterns)(self.listening(number, command.get("answers")))

    async def handle(self, message: baton.Message) -> baton.Verdict:
        self.calls += 1
        number = self.calls
        commands = self.commands[number] = asyncio.Queue()
        report(
            {"payload": message.payload_text, "meta": message.meta_text},
            **{"notice" if message.notice else "offer": number},
            handler=message.handler,
            chain=message.chain,
            topic=message.topic,
            key=message.key,
            again=message.again or None,
            shadow=message.shadow or None,
            when="unknown" if message.doubtful else None,
            together=message.together or None,
            stored=message.stored,
            resent=message.resent,
            within=message.within or None,
            traceparent=message.traceparent,
            **{"try": message.try_},
            **{"from": message.sender, "for": "broadcast" if message.for_broadcast else None},
        )
        if message.notice:
            return baton.handled()
        try:
            while True:
                command = await commands.get()
                if command["do"] == "verdict":
                    return verdict(command)
                if command["do"] == "throw":
                    raise RuntimeError(command["message"])
                if command["do"] == "inside":
                    self.carry_out(command["inner"])
                else:
                    message.working()
        except asyncio.CancelledError:
            report(cancelled=number)
            raise

    def listening(self, number: int, answers: Optional[str]) -> Callable[[baton.Event], Coroutine[Any, Any, None]]:
        async def listen(event: baton.Event) -> None:
            report_event(number, event)
            if answers:
                await self.client.broadcast(answers)

        return listen

    # What the client can do.

    async def connect(self, command: Dict[str, Any]) -> None:
        try:
            await self.client.connect()
            self.links.update((link.handler, link) for link in self.client.links)
            report(connected=True, identity=self.client.identity, may=self.client.may)
        except baton.BatonError as error:
            report(connect_failed=error.code, message=error.message)

    async def run(self, command: Dict[str, Any]) -> None:
        try:
            await self.client.serve(signals=True)
            report(ended=True)
        except baton.BatonError as error:
            report(ended=False, code=error.code, message=error.message)

    async def send(self, command: Dict[str, Any]) -> None:
        await self.telling_result(command, self.client.send(**durable_settings(command, "durable")))

    async def send_durable(self, command: Dict[str, Any]) -> None:
        accepted = self.accepted[command["as"]] = await self.client.send_durable(**durable_settings(command))
        report(accepted=command["as"], stored=accepted.stored, once=accepted.once, known=accepted.known or None)

    async def await_result(self, command: Dict[str, Any]) -> None:
        await self.telling_result(command, self.accepted[command["of"]].result())

    async def stored(self, command: Dict[str, Any]) -> None:
        found = await self.client.stored(command.get("stored"), once=command.get("once"))
        next_try = None if found.next_try is None else round(found.next_try * 1000)
        report(
            done=command["as"], stored=found.stored, chain=found.chain, state=found.state, tries=found.tries,
            cause=found.cause, uncounted=found.uncounted or None, undeclared=found.undeclared or None,
            next_try_ms=next_try,
        )  # fmt: skip

    async def dead(self, command: Dict[str, Any]) -> None:
        wish = {name: command[name] for name in ("chain", "after", "limit") if name in command}
        async for letter in self.client.dead(**wish):
            report_letter(command["as"], letter)
        report(done=command["as"])

    async def dead_letter(self, command: Dict[str, Any]) -> None:
        report_letter(command["as"], await self.client.dead_letter(command["stored"]))

    async def resend(self, command: Dict[str, Any]) -> None:
        report(done=command["as"], stored=await self.client.resend(command["stored"], *command["raw"].values()))

    async def discard(self, command: Dict[str, Any]) -> None:
        await self.client.discard(command["stored"])
        report(done=command["as"])

    async def send_unencodable(self, command: Dict[str, Any]) -> None:
        await self.telling_result(command, self.client.send(command["topic"], UNENCODABLE))

    async def notify(self, command: Dict[str, Any]) -> None:
        await self.telling_count(command, self.client.notify(**settings(command, "chain")))

    async def broadcast(self, command: Dict[str, Any]) -> None:
        if "via" in command:
            said = settings(command, "echo", "retain", "via", "key", "trace")
            await self.telling_result(command, self.client.broadcast(**said))
        else:
            await self.telling_count(command, self.client.broadcast(**settings(command, "echo", "retain")))

    async def subscribe(self, command: Dict[str, Any]) -> None:
        wish = {name: command[name] for name in ("retained", "recover", "after", "epoch") if name in command}
        await self.telling_events(command, self.client.subscribe(*command["topics"], **wish))

    async def traces(self, command: Dict[str, Any]) -> None:
        said = {name: command[name] for name in ("chain", "topic", "status", "per_second") if name in command}
        slower = seconds(command.get("slower_than_ms"))
        chosen = self.client.traces(**said, slower_than=slower, sender=command.get("from"))
        await self.telling_events(command, chosen)

    async def telling_events(self, command: Dict[str, Any], beginning: baton.Subscription) -> None:
        name = command["as"]
        subscription = self.subscriptions[name] = await beginning
        report(done=name)
        async for event in subscription:
            report_event(name, event)

    async def add(self, command: Dict[str, Any]) -> None:
        patterns, said = handler_settings(command["handler"])
        link = self.links[command["as"]] = await self.client.add(self.handle, *patterns, **said)
        report({"rank": link.rank_text}, added=command["as"], chain=link.chain, handler=link.handler)

    async def remove(self, command: Dict[str, Any]) -> None:
        await self.links[command["link"]].remove()
        report(done=command["as"])

    async def update(self, command: Dict[str, Any]) -> None:
        patterns, said = handler_settings(command)
        await self.links[command["link"]].update(*patterns, **said)
        report(done=command["as"])

    async def move(self, command: Dict[str, Any]) -> None:
        link = self.links[command["link"]]
        place = {name: command[name] for name in ("at", "before", "after", "rank") if name in command}
        await link.move(**place)
        report({"rank": link.rank_text}, done=command["as"])

    async def request(self, command: Dict[str, Any]) -> None:
        said = {name: baton.Json(text) for name, text in command["members"].items()}
        reply = await self.client.request_line(command["op"], **said)
        report({"line": reply.line}, reply=command["as"])

    async def pages(self, command: Dict[str, Any]) -> None:
        said = {name: baton.Json(text) for name, text in command["members"].items()}
        async for page in self.client.pages(command["op"], **said):
            report({"line": json.dumps(page, separators=(",", ":"), default=repr)}, page=command["as"])
        report(done=command["as"])

    async def drain(self, command: Dict[str, Any]) -> None:
        await self.client.drain()
        report(drained=True)

    async def close(self, command: Dict[str, Any]) -> None:
        await self.client.close()
        report(closed=True)

    # Reports.

    async def telling_result(self, command: Dict[str, Any], call: Coroutine[Any, Any, baton.Result]) -> None:
        result = await call
        answers: List[str] = []
        for answer in result.results:
            payload = "" if answer.payload_text is None else f',"payload":{answer.payload_text}'
            answers.append(f'{{"by":{json.dumps(answer.by)}{payload}}}')
        report(
            {"payload": result.payload_text, "results": f"[{','.join(answers)}]" if answers else None},
            result=command["as"],
            status=result.status,
            by=result.by,
            message=result.message,
            code=result.code,
            cause=result.cause,
            failures=[failure_members(failure) for failure in result.failures],
            more_failures=result.more_failures or None,
            hops=result.hops,
            delivered=result.delivered,
            again=result.again or None,
            stored=result.stored,
            dead=result.dead or None,
            **{"try": result.try_},
        )

    async def telling_count(self, command: Dict[str, Any], call: Coroutine[Any, Any, int]) -> None:
        report(done=command["as"], delivered=await call)


def failure_members(failure: baton.Failure) -> Dict[str, str]:
    said = {"by": failure.by, "chain": failure.chain, "cause": failure.cause, "message": failure.message}
    return {name: text for name, text in said.items() if text is not None}


def handler_settings(handler: Dict[str, Any]) -> Tuple[List[str], Dict[str, Any]]:
    """The patterns and the settings of a handler, as the client takes them."""
    same = ["chain", "guard", "at", "before", "after", "rank", "window", "on_failure", "share", "required", "shadow"]
    same += ["percent", "when"]
    said = {name: handler[name] for name in same if name in handler}
    said.update({name: seconds(handler[f"{name}_ms"]) for name in ("timeout", "hold") if f"{name}_ms" in handler})
    if "handler" in handler:
        said["name"] = handler["handler"]
    return handler.get("accepts", []), said


class Told(logging.Handler):
    """Reports what the library has for people."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        report(told=record.getMessage() + (f": {error}" if error else ""))


def settings(command: Dict[str, Any], *names: str) -> Dict[str, Any]:
    """What a command says of a message, as the client takes it."""
    said = {name: command[name] for name in ("topic",) + names if name in command}
    if "timeout_ms" in command:
        said["timeout"] = seconds(command["timeout_ms"])
    return {**said, **command["raw"]}


def durable_settings(command: Dict[str, Any], *names: str) -> Dict[str, Any]:
    """The same of a message that may be durable."""
    said = settings(command, "chain", "mode", "key", "trace", "once", "tries", *names)
    said.update({name: seconds(command[f"{name}_ms"]) for name in ("retry", "expires", "delay") if f"{name}_ms" in command})
    return said


def report_letter(name: str, letter: baton.DeadLetter) -> None:
    report(
        {"payload": letter.payload_text, "meta": letter.meta_text},
        letter=name,
        stored=letter.stored,
        topic=letter.topic,
        chain=letter.chain,
        key=letter.key,
        tries=letter.tries,
        ago_ms=round(letter.age * 1000),
        status=letter.result.status,
        cause=letter.result.cause,
        message=letter.result.message,
    )


def verdict(command: Dict[str, Any]) -> baton.Verdict:
    said = list(command["raw"].values())
    kind = command["verdict"]
    if kind == "unencodable":
        return baton.handled(UNENCODABLE)
    if kind == "handled":
        return baton.handled(*said, message=command.get("message"))
    if kind == "continue":
        return baton.continue_(*said, message=command.get("message"))
    if kind == "reject":
        return baton.reject(command.get("message"), command.get("code"))
    return baton.failed(command.get("message"))


def gone_text(gone: Optional[baton.Gone]) -> Optional[str]:
    if gone is None:
        return None
    if gone.count is not None:
        return str(gone.count)
    return "unknown" if gone.at_most is None else f"at most {gone.at_most}"


def report_event(name: object, event: baton.Event) -> None:
    report(
        {"payload": event.payload_text, "meta": event.meta_text},
        event=name,
        topic=event.topic,
        **{"from": event.sender},
        missed=event.missed or None,
        gone=gone_text(event.gone),
        within=event.within or None,
        traceparent=event.traceparent,
        seq=event.seq,
        retained=event.retained or None,
        left_out=event.left_out or None,
    )


async def main() -> None:
    shim = Shim()
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def read() -> None:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(shim.carry_out, line.decode().rstrip("\n"))
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(main())
    # The thread may still hold standard input.
    os._exit(0)
