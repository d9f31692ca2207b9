"""Rounds: in each, every case is measured with one server after the other; the medians over the rounds are told."""

import json
import statistics
import subprocess

from . import build
from .servers import Refused


def measure(cases, servers, options):
    """All figures: a list of {"case", "group", …, "servers": {name: {"median": {…}, "runs": [{…}]}}}."""
    rows = [row(case) for case in cases]
    absent = set()
    for turn in range(options.rounds):
        for case, result in zip(cases, rows):
            build.say(f"round {turn + 1} of {options.rounds}: {case.name}")
            for server in servers:
                if server.name in case.servers and server.name not in absent:
                    once(case, server, options, result, absent)
    for result in rows:
        for figures in result["servers"].values():
            figures["median"] = median(figures["runs"])
    return {"rows": rows, "versions": {server.name: server.version() for server in servers if server.name not in absent}}


def row(case):
    return {
        "case": case.name, "group": case.group, "work": case.work, "count": case.count, "window": case.window,
        "bytes": case.bytes, "servers": {}}


def once(case, server, options, result, absent):
    try:
        figures = run_load(case, server, options)
    except Refused as refusal:
        absent.add(server.name)
        return build.say(f"{server.name} is left out: {str(refusal).splitlines()[0][:200]}")
    result["servers"].setdefault(server.name, {"runs": []})["runs"].append(figures)


def run_load(case, server, options):
    server.start(options.server_core, case)
    try:
        words = [
            build.LOAD, *case.load_words(), "--driver", server.driver, "--port", server.port, "--pid",
            server.process.pid, "--core", options.load_core, "--seconds", options.seconds, "--warm-up", options.warm_up,
            *server.load_options(case)]
        words = [str(word) for word in words]
        result = subprocess.run(words, capture_output=True, text=True)
    finally:
        server.stop()
    if result.returncode != 0:
        build.give_up(f"{case.name}, {server.name}: {result.stderr.strip()}\n{' '.join(words)}")
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
