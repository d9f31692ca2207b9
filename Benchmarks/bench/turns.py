"""What the turns of a server take of the processor: `fair/turns/turns.c`."""

import array
import os

from . import build

LIBRARY = build.HERE / ".build/turns.so"
NAMES = {"p50_us": 0.5, "p99_us": 0.99, "p999_us": 0.999, "max_us": 1}


def wrapper(path):
    """What the server is run by."""
    return ("env", f"LD_PRELOAD={LIBRARY}", f"TURNS={path}")


def read(path):
    """Figures of the turns up to now; None where none were counted."""
    counts = array.array("I")
    if os.path.exists(path):
        with open(path, "rb") as file:
            counts.frombytes(file.read())
    total = sum(counts)
    if not total:
        return None
    return {"count": total, **{name: at(counts, share * total) for name, share in NAMES.items()}}


def at(counts, number):
    """The time within which so many turns were done, in microseconds."""
    done = 0
    for place, count in enumerate(counts):
        done += count
        if count and done >= number:
            return (place + 1) * 10
    return len(counts) * 10
