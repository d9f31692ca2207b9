#!/usr/bin/env python3
"""A handler that answers late, never, twice, without `id`, and in another order. It lets a message pass only if its number
is even, and notes that before it says so.

As a program it is one for `baton handle --persistent`: wild.py SEED NOTES [PLANT]. Each start is another life.
"""

import json
import os
import random
import sys


HABITS = ["never", "twice", "later", "late", "working", "now and later"]


class Wild:
    """What it does with the offers of one connection, or of one life."""

    def __init__(self, seed, note, plant=None):
        self.luck = random.Random(seed)
        self.note = note
        #: How often it says the `id`, and what it does with an offer.
        self.named = self.luck.choice([0, 0, 30, 70, 100])
        self.habits = self.luck.sample(HABITS, self.luck.choice([1, 2, 4, len(HABITS)])) + ["now"]
        #: Answers that it gives with the next offers, or when theirs has lapsed.
        self.held, self.late = [], {}
        self.plant = Plant(plant)

    def offered(self, id, number):
        """The lines to write when this offer has come."""
        self.plant.offered(id)
        verdict = {"op": "continue" if number % 2 == 0 else self.luck.choice(["reject", "failed"])}
        if self.luck.randrange(100) < self.named:
            verdict["id"] = id
        now = self.released()
        how = self.luck.choice(self.habits)
        if how in ("now", "twice", "now and later"):
            now += [(number, verdict)] * (2 if how == "twice" else 1)
        if how == "working":
            now += [(number, {**verdict, "op": "working"}), (number, verdict)]
        if how in ("later", "now and later"):
            self.held.append((number, verdict))
        if how == "late":
            self.late[id] = (number, verdict)
        return self.spelled(now)

    def lapsed(self, id):
        self.plant.lapsed(id)
        now = self.released()
        if id in self.late:
            now.append(self.late.pop(id))
        return self.spelled(now)

    def released(self):
        """Some of what it has held back, in any order."""
        self.luck.shuffle(self.held)
        count = self.luck.choice([0, 0, 1, 1, len(self.held)])
        now, self.held = self.held[:count], self.held[count:]
        return now

    def spelled(self, verdicts):
        lines = []
        for number, verdict in verdicts:
            if verdict["op"] == "continue":
                self.note(number)
            lines.append(json.dumps(self.plant.named(verdict)) + "\n")
        return lines


class Plant:
    """A rule that lets messages pass with the verdict on another one: it names the offers of verdicts without `id`. The
    test must find that."""

    def __init__(self, rule):
        self.rule = rule
        self.row, self.gone = [], set()

    def offered(self, id):
        self.row.append(id)

    def lapsed(self, id):
        self.gone.add(id)

    def named(self, verdict):
        """`oldest`: it is for the oldest offer without an answer. `only`: for the only one, if that is open."""
        if self.rule and "id" not in verdict and self.row and verdict["op"] != "working":
            if self.rule == "oldest" or len(self.row) == 1 and self.row[0] not in self.gone:
                verdict = {**verdict, "id": self.row[0]}
        if verdict["op"] != "working" and verdict.get("id") in self.row:
            self.row.remove(verdict["id"])
        return verdict


def main(seed, notes, plant=None):
    log = open(notes, "a", buffering=1)
    wild = Wild(f"{seed} {os.path.getsize(notes)}", lambda number: log.write(f"{number}\n"), plant)
    for line in sys.stdin:
        line = json.loads(line)
        if line["op"] == "offer":
            said = wild.offered(line["id"], line["payload"])
        else:
            said = wild.lapsed(line["id"])
        # It also talks to itself, writes half a line, and dies.
        mood = wild.luck.randrange(100)
        if mood == 0 and not plant:
            sys.exit("out of luck")
        if mood == 1 and not plant:
            said.append("what was I about to say?\n")
        for piece in said:
            half = wild.luck.randrange(len(piece))
            sys.stdout.write(piece[:half])
            sys.stdout.flush()
            sys.stdout.write(piece[half:])
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
