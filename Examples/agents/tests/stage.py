"""A server with the chain of the example, its links, and a person who answers as the test says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, AsyncIterator, Callable, Dict, Optional, Sequence

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "Clients/python")]

import baton  # noqa: E402

# In tests asyncio tells of each step that takes long: here these are starts of programs.
logging.getLogger("asyncio").setLevel(logging.ERROR)

BATON = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
PYTHONPATH = f"{HERE}:{ROOT / 'Clients/python'}"


class Stage:
    """Everything in a folder of its own. `links` are those that serve."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.place = f"unix:{folder / 'baton.sock'}"
        self._started: list[asyncio.subprocess.Process] = []

    def environment(self, who: Optional[str]) -> Dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        kept |= {"BATON_SERVER": self.place, "PYTHONPATH": PYTHONPATH, "PYTHONUNBUFFERED": "1"}
        if who:
            kept["BATON_TOKEN_FILE"] = str(self.folder / f"{who}.token")
        return kept

    async def start(
        self, *command: Any, who: Optional[str] = None, more: Sequence[tuple[str, str]] = (), **options: Any
    ) -> asyncio.subprocess.Process:
        """`more`: variables besides those of `environment`."""
        process = await asyncio.create_subprocess_exec(
            *map(str, command), env={**self.environment(who), **dict(more)}, cwd=self.folder, **options
        )
        self._started.append(process)
        return process

    async def serve(self) -> None:
        server = await self.start(
            BATON, "serve", "--config", self.folder / "baton.yaml", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.server = server
        assert server.stdout
        while not (await server.stdout.readline()).startswith(b"listening on"):
            pass

    async def link(self, name: str, stderr: int = subprocess.DEVNULL) -> asyncio.subprocess.Process:
        if name == "policy":
            command = [BATON, "policy", self.folder / "rules.yaml"]
        else:
            command = [sys.executable, HERE / f"{name}.py"]
        return await self.start(*command, who=name, stdout=subprocess.DEVNULL, stderr=stderr)

    async def has(self, *names: str) -> None:
        """Waits until these links are served."""
        async with self.client("onlooker") as client:
            async with client.subscribe("$baton.link.*") as events:
                for name in names:
                    while not await self._serves(client, name):
                        await events.__anext__()

    async def _serves(self, client: baton.Client, name: str) -> bool:
        links = (await client.request("inspect", chain="tools"))["chains"][0]["links"]
        return any(link["handler"] == name and link["connections"] for link in links)

    def client(self, who: Optional[str]) -> baton.Client:
        token = str(self.folder / f"{who}.token") if who else None
        return baton.Client(self.place, name=who or "agent", token_file=token, report=lambda line: None)

    @contextlib.asynccontextmanager
    async def person(self, answer: Callable[[baton.Message], Any]) -> AsyncIterator[None]:
        client = self.client("human")

        @client.handler("tool.>", chain="tools", name="human", share=True, timeout=86400)
        async def human(message: baton.Message) -> Any:
            result = answer(message)
            return await result if asyncio.iscoroutine(result) else result

        async with client:
            yield

    async def end(self) -> None:
        for process in reversed(self._started):
            if process.returncode is None:
                process.kill()
            await process.wait()


@contextlib.asynccontextmanager
async def stage(*links: str) -> AsyncIterator[Stage]:
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "run"
        environment = {**os.environ, "BATON_FOLDER": str(place), "BATON_PROGRAM": BATON}
        subprocess.run([HERE / "prepare"], check=True, env=environment)
        it = Stage(place)
        try:
            await it.serve()
            for name in links:
                # It is served by the program of the rules.
                if name != "permit":
                    await it.link(name)
            await it.has(*links)
            yield it
        finally:
            await it.end()


class Agent:
    """A client of MCP that writes just what the test says."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def say(self, line: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")

    def call(self, id: Any, tool: str, **arguments: Any) -> None:
        params = {"name": tool, "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    async def hears(self) -> Any:
        assert self.process.stdout
        line = await self.process.stdout.readline()
        assert line, "the guard has ended"
        return json.loads(line)


@contextlib.asynccontextmanager
async def agent(
    stage: Stage, *server: Any, wait: float = 50, guard: Sequence[str] = ("-m", "mcp_guard")
) -> AsyncIterator[Agent]:
    """An agent behind the guard, with the tool server of the example, or another one."""
    command = server or (sys.executable, HERE / "tools.py", stage.folder / "notes")
    process = await stage.start(
        sys.executable, *guard, "--server", "notes", "--wait", wait, "--", *command,
        who="guard", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    yield Agent(process)
    assert process.stdin
    process.stdin.close()
    await process.wait()
