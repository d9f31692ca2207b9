"""What the tests of a release share: its files, commands, and a server with programs that speak to it.

BATON_RELEASE names the folder that Scripts/release has filled; by default it is its own.
"""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = pathlib.Path(os.environ.get("BATON_RELEASE", ROOT / ".build/release-files")).absolute()
#: Seconds within which anything happens; building takes longer.
LONG, BUILD = 120, 1200


def version():
    return run(ROOT / "Scripts/version").strip()


def file(pattern):
    """The one file of the release with a name like this."""
    found = sorted(FILES.glob(pattern))
    assert len(found) == 1, f"in {FILES} there is not one file {pattern}, but {found}; run Scripts/release"
    return found[0]


def run(*command, within=LONG, **options):
    """What a command prints. It fails if the command does, with all that it said."""
    done = subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=within,
        stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def start(test, *command, **options):
    """A program that runs until the test is over, told by SIGTERM."""
    program = subprocess.Popen(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, **options)
    test.addCleanup(stop, program)
    return program


def stop(program):
    """Tells a program to end, and returns what it said last, with its exit code."""
    if program.poll() is None:
        program.terminate()
    rest, _ = program.communicate(timeout=LONG)
    return rest, program.returncode


def wait_for(program, pattern):
    """Reads what a program says until a line matches, and returns the match."""
    said = []
    for line in program.stdout:
        said.append(line)
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"{program.args} ended, and had said:\n{''.join(said)}")


def serve(test, *baton):
    """Starts a server by this program, on a port that is free, and returns what the others need to find it."""
    server = start(test, *baton, "serve", "--port", 0)
    place = wait_for(server, r"^listening on tcp (\S+)")[1]
    return {**os.environ, "BATON_SERVER": place}


def first_message(test, porter, baton, payload, **options):
    """Starts a porter, waits until it serves, and lets it answer a message."""
    handler = start(test, *porter, **options)
    wait_for(handler, "connected to ")
    answer = run(*baton, "send", "door.open", payload, env=options.get("env"))
    test.assertEqual(answer, '"Come in, Ann."\n')
    said, code = stop(handler)
    test.assertEqual(code, 0, said)


def page_code(page, language, number):
    """A block of code on a page, by its number from 1."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)
    return blocks[number - 1]
