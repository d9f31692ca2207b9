"""What a server needs to know who is there: certificates, tokens, and the configuration file."""

import hashlib
import os
import subprocess

from . import build


def certificate(folder, name="server"):
    """The paths of a new certificate (P-256, signed by itself) and of its key."""
    paths = [os.path.join(folder, f"{name}.{kind}") for kind in ("pem", "key")]
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", paths[0],
             "-keyout", paths[1]]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode != 0:
        build.give_up(f"openssl makes no certificate: {result.stderr.strip()[-200:]}")
    return paths


def token(name):
    """Always the same one for a name. The server looks at its SHA-256 only."""
    return f"baton_{hashlib.sha256(name.encode()).hexdigest()}"[:49] + "000000"


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def peer(name, tokens, may):
    """An entry of `peers`."""
    rights = "".join(f"      - '{right}'\n" for right in may) or " []\n"
    return (f"  {name}:\n    token: [{', '.join(digest(text) for text in tokens)}]\n"
            f"    may:{'' if not may else chr(10)}{rights}")


def write(path, text):
    """Replaces the file in one step: the server may read it at any time."""
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)
    return path


# As many rights as the page of access speaks of. Those that the load needs stand among others of the same kind.
def fifty_rights():
    others = [f"{words} part{number}.>" for number in range(11)
              for words in ("send to main on", "serve main on", "broadcast", "subscribe")]
    needed = ["manage main", "send to main on bench.>", "serve main on bench.>", "broadcast bench.>",
              "subscribe bench.>", "send to other"]
    return [*others[:22], *needed[:3], *others[22:], *needed[3:]]
