"""Builds what is measured, and installs the peers where they are missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent
LOAD = HERE / ".build/load"
FLOOR = HERE / ".build/floor"


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def give_up(text):
    say(text)
    sys.exit(1)


def run(*words, **options):
    """Runs a program; where it fails, so do we."""
    result = subprocess.run([str(word) for word in words], stdout=sys.stderr, **options)
    if result.returncode != 0:
        give_up(f"failed: {' '.join(str(word) for word in words)}")


def build_load():
    run("make", "-s", "-C", HERE)


def build_baton(folder=ROOT):
    """The release build of the server in that folder."""
    say("building Baton (the first time takes some minutes)")
    run("swift", "build", "-c", "release", "--product", "baton", cwd=folder)
    return Path(folder) / ".build/release/baton"


def install(programs):
    """Installs the programs that are missing; `programs` says which package each is in."""
    missing = sorted({package for program, package in programs.items() if not find(program)})
    if not missing:
        return
    if not shutil.which("apt-get"):
        give_up(f"install by hand, or leave out with --servers: {' '.join(missing)}")
    say(f"installing {' '.join(missing)} (apt-get)")
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    run(*as_root, "apt-get", "update", "-qq")
    # Installing starts a service in most places; where that is so, stop it, or it takes time of the cores.
    run(*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-qq", "-y", "--no-install-recommends",
        *missing)


def find(program):
    """Where a program is; Debian keeps servers out of the way of people."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
