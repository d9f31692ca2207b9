"""Rounds: in each, every case is measured with one server after the other. What is told are medians over the rounds."""

import json
import re
import statistics
import subprocess

from . import build
from .servers import Refused


class Failed(Exception):
    """Nothing was measured: a message was lost, or a connection."""


def measure(cases, servers, options):
    """All figures: rows of {"case": …, "servers": {name: {"median": {…}, "runs": [{…}, one for each round]}}}."""
    rows = [row(case) for case in cases]
    absent = set()
    for turn in range(options.rounds):
        for case, result in zip(cases, rows):
            build.say(f"round {turn + 1} of {options.rounds}: {case.name}")
            for server in servers:
                if server.name in case.servers and server.name not in absent and server.name not in result["failed"]:
                    take_turn(case, server, options, result, absent)
    for result in rows:
        for figures in result["servers"].values():
            figures["median"] = median(figures["runs"])
    versions = {server.name: server.version() for server in servers if server.name not in absent}
    return {"rows": rows, "versions": versions}


def row(case):
    return {
        "case": case.name, "group": case.group, "work": case.work, "count": case.count, "window": case.window,
        "bytes": case.bytes, "extra": list(case.extra), "servers": {}, "failed": {}}


def take_turn(case, server, options, result, absent):
    try:
        figures = MEASURES.get(case.work, run)(case, server, options)
    except Refused as refusal:
        absent.add(server.name)
        return build.say(f"{server.name} is left out: {(str(refusal).splitlines() or ['it ended'])[0][:200]}")
    except Failed as failure:
        # A benchmark that loses messages is none: this server gets no figures here.
        result["failed"][server.name] = str(failure)
        result["servers"].pop(server.name, None)
        return build.say(f"{case.name}, {server.name}: {failure}")
    result["servers"].setdefault(server.name, {"runs": []})["runs"].append(figures)


def run(case, server, options):
    """Starts the server, puts it under load, and ends it."""
    server.start(options.server_core, case)
    try:
        return call_load(
            *case.load_words(), "--pid", server.process.pid, "--seconds", options.seconds, "--warm-up",
            options.warm_up, *server.load_options(case), case=case, server=server, options=options)
    finally:
        server.stop()


def start(case, server, options):
    """Lets the load start the server, and see when it answers."""
    with server.place():
        return call_load(
            "start", "--server-core", options.server_core, case=case, server=server, options=options,
            behind=["--", *server.command_for(case)])


def scan(case, server, options):
    """How fast the scanner is with the case's line; nothing is served."""
    program = build.ROOT / ".build/release/baton-fuzz"
    if not program.exists():
        raise Failed("build it: swift build -c release --product baton-fuzz")
    words = ["taskset", "-c", str(options.server_core), str(program), "speed", "--rounds", "9"]
    text = subprocess.run(words, capture_output=True, text=True).stdout
    found = re.search(rf"^{case.name} .*?([\d.]+) ns .*? ([\d.]+) GB/s", text, re.MULTILINE)
    if not found:
        raise Failed("baton-fuzz speed did not say how fast it is")
    return {"nanoseconds": float(found.group(1)), "gigabytes_per_second": float(found.group(2))}


MEASURES = {"start": start, "scanner": scan}


def call_load(*words, case, server, options, behind=(), core=None, before=None):
    core = options.load_core if core is None else core
    words = [build.LOAD, *words, "--driver", server.driver, "--port", server.port, "--core", core, *behind]
    words = [str(word) for word in words]
    result = subprocess.run(words, capture_output=True, text=True, preexec_fn=before)
    if result.returncode != 0:
        raise Failed(result.stderr.strip()[:300] or f"the load ended with {result.returncode}")
    return json.loads(result.stdout)


def median(runs):
    """The median of each figure by itself; of what is true or false, whether it is true in most runs."""
    middle = {}
    for name, value in runs[0].items():
        values = [run[name] for run in runs]
        if isinstance(value, bool):
            middle[name] = sum(values) * 2 > len(values)
        elif isinstance(value, (int, float)):
            middle[name] = statistics.median(values)
    return middle
