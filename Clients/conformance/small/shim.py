#!/usr/bin/env python3
"""Lets the cases drive the client of a hundred lines:
Clients/conformance/run --level 2 -- Clients/conformance/small/shim.py"""

import asyncio
import json
import sys

from client import BETWEEN, DECODE, Client, Json, Refused, texts, written

SENT = ("topic", "payload", "meta", "chain", "mode", "key", "timeout_ms", "trace", "echo", "via", "retain")


def report(**said):
    parts = [f"{json.dumps(name)}:{value if isinstance(value, Json) else json.dumps(value)}" for name, value in said.items()
             if not (value is None or value is False or value == [])]
    print("{" + ",".join(parts) + "}", flush=True)


class Shim:
    def __init__(self):
        self.client, self.calls, self.commands = None, 0, {}

    async def handle(self, offer):
        self.calls += 1
        number, commands = self.calls, self.commands.setdefault(self.calls, asyncio.Queue())
        known = {name: offer["texts"].get(name) for name in ("payload", "meta")}
        names = ("handler", "chain", "topic", "key", "from", "again", "shadow", "stored", "try", "resent")
        told = {name: offer.get(name) for name in names}
        about = offer.get("for") if offer.get("for") == "broadcast" else None
        report(**{offer["op"]: number, **told, **known, "for": about})
        if offer["op"] == "notice":
            return {"op": "handled"}
        try:
            while True:
                command = await commands.get()
                if command["do"] == "throw":
                    raise RuntimeError(command["message"])
                if command["do"] == "working":
                    self.client.writer.write(written({"op": "working", "id": offer["id"]}))
                    continue
                if command["verdict"] == "unencodable":
                    return {"op": "handled", "payload": float("nan")}
                says = {name: command[name] for name in ("payload", "message", "code") if name in command}
                return {"op": command["verdict"], **says}
        except asyncio.CancelledError:
            report(cancelled=number)
            raise

    async def carry_out(self, command):
        kind, name = command["do"], command.get("as")
        if kind == "plan":
            handlers = [(self.handle, says) for says in command.get("handlers", [])]
            self.client = Client(command["at"], command.get("name"), command.get("heartbeat_ms", 15000), handlers)
        elif kind in ("verdict", "throw", "working"):
            self.commands[command["offer"]].put_nowait(command)
        elif kind == "connect":
            try:
                await self.client.connect()
                report(connected=True)
            except Refused as error:
                report(connect_failed=error.code, message=error.message)
        elif kind == "close":
            self.client.close()
            report(closed=True)
        else:
            await self.ask(kind, name, command)

    async def ask(self, kind, name, command):
        says = {member: command[member] for member in SENT if member in command}
        op = {"notify": "send", "send_unencodable": "send", "request": command.get("op")}.get(kind, kind)
        if kind == "notify":
            says["mode"] = "notify"
        if kind == "send_unencodable":
            says["payload"] = float("nan")
        try:
            reply = await self.client.ask(op, **(command.get("members", {}) if kind == "request" else says))
        except Refused as error:
            return report(failed=name, code=error.code, message=error.message)
        if kind == "request":
            report(reply=name, line=reply["line"])
        elif reply["op"] == "ok":
            report(done=name, delivered=reply.get("delivered"))
        else:
            told = ("status", "by", "message", "cause", "more_failures", "hops", "delivered", "again")
            raw = {member: reply["texts"].get(member) for member in ("payload", "code")}
            results = listed(reply["texts"].get("results"), ("by", "payload"))
            failures = listed(reply["texts"].get("failures"), ("by", "chain", "cause", "message"))
            report(result=name, **{member: reply.get(member) for member in told}, **raw, results=joined(results),
                   failures=joined(failures))


def listed(text, known):
    """The objects of a list, each with the texts of the members that are known."""
    found, at = [], 1
    for _ in json.loads(text or "[]"):
        start = BETWEEN.match(text, at).end()
        at = DECODE(text, start)[1]
        found.append({name: said for name, said in texts(text[start:at]).items() if name in known})
    return found


def joined(objects):
    return Json("[" + ",".join(written(one).decode().strip() for one in objects) + "]") if objects else None


async def main():
    shim, lines = Shim(), asyncio.StreamReader(limit=1 << 28)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    tasks = set()
    async for line in lines:
        command = json.loads(line)
        raw = texts(line.decode())
        command.update({name: raw[name] for name in ("payload", "meta", "code") if name in raw})
        if "members" in raw:
            command["members"] = texts(raw["members"])
        if command["do"] in ("plan", "verdict", "throw", "working", "close"):
            await shim.carry_out(command)
        else:
            task = asyncio.ensure_future(shim.carry_out(command))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


asyncio.run(main())
