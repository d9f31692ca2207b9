"""An example that runs, by its own one command, in a folder of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pathlib
import signal
import sys
import tempfile
from typing import Any, AsyncIterator, Callable, Dict, Optional

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent
ROOT = EXAMPLES.parent
sys.path.insert(0, str(ROOT / "Clients/python"))

import baton  # noqa: E402

# In tests asyncio tells of each step that takes long: here these are starts of programs.
logging.getLogger("asyncio").setLevel(logging.ERROR)

BATON = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))


class Terminal:
    """A program with somebody who types and reads."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def types(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")

    async def reads(self) -> str:
        """The next line. It fails when no line comes any more, and rather than waiting for ever."""
        assert self.process.stdout
        line = await asyncio.wait_for(self.process.stdout.readline(), 60)
        if not line:
            raise AssertionError("the program has ended, or wrote nothing more")
        return line.decode().rstrip("\n")

    async def ends(self) -> int:
        """Ctrl-D, and the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return await self.process.wait()


class Scene:
    """The example in its folder."""

    def __init__(self, example: str, folder: pathlib.Path) -> None:
        self.example = EXAMPLES / example
        self.folder = folder
        self.place = f"unix:{folder / 'baton.sock'}"
        self._started: list[asyncio.subprocess.Process] = []

    def environment(self, who: Optional[str] = None) -> Dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        kept |= {"BATON_FOLDER": str(self.folder), "BATON_PROGRAM": BATON, "BATON_SERVER": self.place}
        kept |= {"PYTHONPATH": str(ROOT / "Clients/python"), "PYTHONUNBUFFERED": "1"}
        if who:
            kept["BATON_TOKEN_FILE"] = str(self.folder / f"{who}.token")
        return kept

    async def start(self, *command: Any, who: Optional[str] = None, **options: Any) -> Terminal:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *map(str, command), env=self.environment(who), cwd=self.folder.parent, stdin=pipe, stdout=pipe, **options
        )
        self._started.append(process)
        return Terminal(process)

    async def run(self, *arguments: str) -> Terminal:
        """The one command of the example."""
        return await self.start(self.example / "run", *arguments)

    async def baton(self, *arguments: str, who: Optional[str] = None) -> tuple[int, str]:
        """Exit code and output of the program, as at the shell."""
        program = await self.start(BATON, *arguments, who=who)
        output, _ = await program.process.communicate()
        return await program.process.wait(), output.decode().rstrip("\n")

    def kill(self, link: str) -> None:
        """Kills what `start.sh` has started under this name."""
        os.kill(int((self.folder / f"{link}.pid").read_text()), signal.SIGKILL)

    def client(self, who: Optional[str]) -> baton.Client:
        token = str(self.folder / f"{who}.token") if who else None
        return baton.Client(self.place, name=who or "test", token_file=token, report=lambda line: None)

    @contextlib.asynccontextmanager
    async def person(self, chain: str, answer: Callable[[baton.Message], Any]) -> AsyncIterator[None]:
        """Stands in the place of `baton ask`, as the link `human`."""
        client = self.client("human")

        @client.handler(">", chain=chain, name="human", share=True, timeout=86400)
        async def human(message: baton.Message) -> Any:
            return answer(message)

        async with client:
            yield

    async def end(self) -> None:
        for process in reversed(self._started):
            if process.returncode is None:
                process.terminate()
            await process.wait()


@contextlib.asynccontextmanager
async def scene(example: str, keeps: Optional[str] = None) -> AsyncIterator[Scene]:
    """`keeps`: the store that stays in the folder when the example has ended. Else all of it goes."""
    with tempfile.TemporaryDirectory() as outer:
        it = Scene(example, pathlib.Path(outer) / "run")
        try:
            yield it
        finally:
            await it.end()
        if keeps:
            assert (it.folder / keeps).exists(), f"what {example} has accepted is gone"
            left = [file.name for file in it.folder.iterdir() if file.suffix in (".pid", ".log", ".sock")]
            assert not left, f"what {example} started is still there: {left}"
        else:
            assert not it.folder.exists(), f"what {example} started is still there"
