"""mcp-guard: asks a chain of Baton about each call of an agent, and runs only what `permit` permitted.

mcp-guard --server NAME [--chain tools] [--wait 50] -- PROGRAM [ARGUMENT ...]
    runs a tool server of MCP (over standard input and output) behind the guard

BATON_SERVER says where Baton is, BATON_TOKEN or BATON_TOKEN_FILE who the guard is.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from typing import List

import baton

from .guard import Guard, log
from .streams import Input

#: How long the server may take to end after its input has ended, and after SIGTERM, in seconds.
PATIENCE = 5.0


def main() -> int:
    arguments = sys.argv[1:]
    command: List[str] = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        prog="mcp-guard", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", required=True, help="the tool server's name, as rules call it")
    parser.add_argument("--chain", default="tools", help="the chain that is asked (default: tools)")
    about_wait = "seconds for one decision (default: 50; clients give up at 60)"
    parser.add_argument("--wait", type=_seconds, default=50.0, help=about_wait)
    options = parser.parse_args(arguments)
    if not command:
        parser.error("say which tool server to run, after --")
    return asyncio.run(_run(options, command))


async def _run(options: argparse.Namespace, command: List[str]) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
    client = baton.Client(name="mcp-guard", patience=5, report=log)
    connecting = asyncio.create_task(client.serve())
    # Lets it begin, so that the first call waits for the connection and is not refused.
    await asyncio.sleep(0)
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        log(f"{command[0]} cannot be run: {error.strerror}")
        return 127
    guard = Guard(client, options.server, options.chain, options.wait, process)
    ended = asyncio.create_task(process.wait())
    reading = asyncio.create_task(guard.from_server())
    agent = asyncio.create_task(guard.from_agent(Input(0)))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, agent.cancel)
    await asyncio.wait({agent, reading, ended}, return_when=asyncio.FIRST_COMPLETED)
    code = 0
    if agent.done():
        await guard.end_asking()
        await _end(process, ended)
    else:
        # What it has written still comes. Others may hold its output open, so this has an end.
        await asyncio.wait({reading}, timeout=PATIENCE)
        try:
            await guard.tell_lost()
        except OSError:
            pass  # The agent does not read any more.
        await _end(process, ended)
        assert process.returncode is not None
        # As a shell says it: 128 and the signal.
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    for task in (agent, connecting, reading):
        task.cancel()
    await client.close()
    await asyncio.gather(agent, connecting, reading, return_exceptions=True)
    return code


async def _end(process: asyncio.subprocess.Process, ended: asyncio.Task[int]) -> None:
    """Ends the server: its input, then SIGTERM, then SIGKILL, with what it has started."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        done, _ = await asyncio.wait({ended}, timeout=PATIENCE)
        if done:
            return
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
    await ended


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.1 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError("seconds, from 0.1 to 86400")
    return seconds


if __name__ == "__main__":
    # The thread that reads standard input cannot be woken.
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
