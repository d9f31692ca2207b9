"""The contract's table as it is read: Clients/contract.json, with what is said in it by name put in."""

import json
import sys

MADE = "Made by Scripts/contract of Clients/contract.json. Do not change it here."
#: How long a line of code may be.
WIDTH = 120


class Contract:
    """The table, with what is said in it by name put in."""

    def __init__(self, text):
        table = json.loads(text)
        self.protocol = table["protocol"]
        self.message_bytes = table["message_bytes"]
        self.ranges = table["ranges"]
        self.members = {name: self.member(member) for name, member in table["members"].items()}
        self.sets = table["sets"]
        self.objects = {
            name: {member: self.member(given) for member, given in members.items()}
            for name, members in table["objects"].items()}
        self.ops = table["ops"]
        self.statuses = table["statuses"]
        self.causes = table["causes"]
        self.states = table["states"]
        self.skips = table["skips"]
        self.steps = table["steps"]
        self.told = table["told"]
        self.lines = table["lines"]
        self.parts = table["parts"]
        self.limits = table["limits"]
        self.other_causes = table["other_causes"]
        self.errors = table["errors"]
        self.settings = {name: self.member(setting) for name, setting in table["settings"].items()}
        starts = [name[:8] for name in self.ops]
        if len(set(starts)) < len(starts):
            sys.exit("Clients/contract.json: two ops have the same first eight letters, by which the server finds them")
        for name, op in self.ops.items():
            op["all"] = self.members_of(op)
            op["where"] = {member: self.member(given) for member, given in op.get("where", {}).items()}
            unknown = set(op["all"]) - set(self.members)
            if unknown:
                sys.exit(f"Clients/contract.json: the op {name} has members that are not among \"members\": {sorted(unknown)}")

    def member(self, member):
        """A range by its name, or with one end by its name, becomes two numbers."""
        if "range" not in member:
            return member
        given = member["range"]
        ends = self.ranges[given] if isinstance(given, str) else given
        return {**member, "range": [self.ranges[end][at] if isinstance(end, str) else end for at, end in enumerate(ends)]}

    def members_of(self, op):
        """All members of an op in the order of the table. A request has an id and may ask for no reply."""
        taken = {"op", "id", *([] if op.get("verdict") else ["reply"]), *op.get("needs", [])}
        for name in op["takes"]:
            taken.update(self.sets[name[1:]] if name.startswith("@") else [name])
        return [name for name in self.members if name in taken] + sorted(taken - set(self.members))

    @property
    def codes(self):
        return [code for row in self.errors for code in row["codes"]]

    @property
    def codes_of_core(self):
        """The codes that the core says. It knows nothing of what is said `outside` of it."""
        return [code for row in self.errors if not row.get("outside") for code in row["codes"]]

    @property
    def codes_of_form(self):
        """The codes of errors that count towards `too_many_errors`."""
        for row in self.errors:
            form = row.get("form", False)
            yield from row["codes"] if form is True else form or []
