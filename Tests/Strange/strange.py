"""What is wrong with a member of a line: each member of each line is given each of these values in turn.

Outside its range is absent, and so is what is of the wrong kind: a client goes on as if the member were not there. No client
traps, hangs or spins, and none writes a sign to a terminal or a log that acts there.
"""
import json

from samples import ID

#: What stands in a line for the number of the request that it answers.
MINE = "<mine>"

#: Numbers beyond what any member may be, or that some languages have no value for.
NUMBERS = (
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "9007199254740991",
    "9007199254740993", "-9007199254740991", "1e308", "-1e308", "1e999", "-1e999", "-1", "0", "-0", "1.5", "1e-999", "9" * 5000,
)
KINDS = (
    "null", "true", "false", '""', '"text"', "[]", "{}", '["a"]', '[null,1,"a",[],{}]', '{"a":1}', '{"toString":1,"length":-1}',
    '{"__proto__":{"a":1},"constructor":null}',
)
#: It stands right behind each sign that must not come through as itself.
MARK = "Z9"
#: What acts on a terminal, breaks a line, hides, or turns the direction of writing.
SIGNS = tuple("\x00\x07\x08\t\n\r\x1b\x7f\x80\x85\x9b\x9d\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff")
TEXTS = tuple(
    ['"%s%s"' % (json.dumps(sign)[1:-1], MARK) for sign in SIGNS]
    # The same as it is, where JSON allows that.
    + ['"%s%s"' % (sign, MARK) for sign in SIGNS if sign >= "\x7f"]
    + ['"\\u001b]0;%s\\u0007"' % MARK, '"\\u001b[2J%s"' % MARK, '"%s"' % ("long " * 2000), '"__proto__"', '"toString"', '"\U0010ffff"']
)
#: Half of a pair of surrogates is in no UTF-8. A client may give up a connection that says one.
HALVES = ('"\\ud800%s"' % MARK, '"\\udc00\\ud800"')
DEEP = ("[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300)
#: No server says it: the program takes a whole reply for unreadable that has it.
DEEPER = "[" * 3000 + "]" * 3000
VALUES = NUMBERS + KINDS + TEXTS + DEEP


def written(value, changes={}, path=()):
    """The JSON of a sample. `changes` has by places what stands there instead: a text, several, or None for nothing."""
    if path in changes:
        return changes[path]
    if value is ID:
        return MINE
    if isinstance(value, dict):
        members = []
        for name, inner in value.items():
            text = written(inner, changes, path + (name,))
            members += ["%s:%s" % (json.dumps(name), each) for each in (text if isinstance(text, tuple) else (text,)) if each]
        return "{%s}" % ",".join(members)
    if isinstance(value, list):
        return "[%s]" % ",".join(written(each, changes, path + (place,)) for place, each in enumerate(value))
    return json.dumps(value)


def places(value, path=()):
    """The places of all members, and what is there."""
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if isinstance(name, str):
            yield path + (name,), inner
        yield from places(inner, path + (name,))


def variants(sample, chance, keeps=()):
    """The sample with one strange member after the other; those in `keeps` stay as they are. Each member is missing, is given
    twice, and has each number, each kind, and some of the texts."""
    for path, inner in places(sample):
        if path[-1] in keeps:
            continue
        usual = written(inner)
        others = chance.sample(TEXTS + DEEP, 8)
        for text in (None, (others[0], usual), (usual, others[0]), (usual, "null"), *NUMBERS, *KINDS, *others):
            yield written(sample, {path: text})


def mixed(sample, chance, keeps=()):
    """The sample with several strange members."""
    found = [path for path, _ in places(sample) if path[-1] not in keeps]
    return written(sample, {path: chance.choice((None, *VALUES)) for path in chance.sample(found, min(len(found), chance.randint(1, 4)))})


def whole(sample, first, keeps=()):
    """The sample with a strange value at each member that is neither an object nor a list of them."""
    changes = {}
    for place, (path, inner) in enumerate(places(sample)):
        if path[-1] not in keeps and not isinstance(inner, dict) and not (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
            changes[path] = VALUES[(first + place) % len(VALUES)]
    return written(sample, changes)


def listed(sample, chance, most):
    """The elements of a list: some with one strange member, some with many."""
    lines = list(variants(sample, chance))
    return chance.sample(lines, min(most, len(lines))) + [whole(sample, first) for first in range(len(VALUES))]


def acting(text, allowed=""):
    """The first sign in a text that acts, with the mark behind it, and what stands around it; None where nothing does."""
    for sign in SIGNS + ("\x1b]0;", "\x1b[2J"):
        found = text.find(sign + MARK) if sign not in allowed else -1
        if found >= 0:
            return "%r in %r" % (sign, text[max(0, found - 60) : found + 20])
    return None
