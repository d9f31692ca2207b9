"""What the router has of the contract's table, in Swift."""

import json
import sys
import textwrap

from .table import MADE, WIDTH

SWIFT_WORDS = {"as", "continue", "where"}
#: The sets of members that the router asks about.
SETS_OF_CODE = {"durability"}
#: Parts of names that are no words of Swift.
SPELLED = {"json": "JSON", "id": "ID", "http": "HTTP", "ms": "Milliseconds"}


# MARK: Names and numbers


def swift(name):
    """`timeout_ms` as `timeoutMilliseconds`."""
    first, *rest = name.split("_")
    return first + "".join(SPELLED.get(word, word.capitalize()) for word in rest)


def case(name):
    name = swift(name)
    return f"`{name}`" if name in SWIFT_WORDS else name


def number(value):
    """A number as Swift has it, with underscores where it has more than four digits; the least and largest by name."""
    if value == 2**63 - 1:
        return ".max"
    if value == -(2**63):
        return ".min"
    return f"{value:_}" if abs(value) > 9999 else str(value)


def closed(ends):
    low, high = (number(end) for end in ends)
    return f"{low}...{'Int64' + high if high == '.max' else high}"


def filled(start, words, end="", indent=4, gap=", "):
    """Words in lines, `start` before the first and `end` behind the last."""
    lines = textwrap.wrap(
        start + gap.join(word.replace(" ", "\0") for word in words) + end, WIDTH, subsequent_indent=" " * indent,
        break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def cases(names, raw=False):
    """The cases of an enumeration, as many in a line as fit."""
    if raw:
        return "\n".join(f"  case {case(name)}" + ("" if swift(name) == name else f' = "{name}"') for name in names)
    lines = textwrap.wrap(", ".join(case(name) for name in names), WIDTH - 8, break_on_hyphens=False)
    return "\n".join("  case " + line.rstrip(",") for line in lines)


def spellings(names):
    return "\n".join(f'    case .{swift(name)}: "{name}"' for name in names)


def set_lines(ops, members):
    """The sets of all ops, one `case` each."""
    for op, table in ops.items():
        words = [f".{swift(name)}" for name in members(table)]
        if words:
            yield filled(f"    case .{swift(op)}: [", words, "]", indent=6)


def special_kinds(it):
    """The members that are something else in some ops."""
    for op, table in it.ops.items():
        for name, member in table.get("where", {}).items():
            if member["kind"] != it.members[name]["kind"]:
                yield f"    case (.{swift(op)}, .{swift(name)}): .{swift(member['kind'])}"


# MARK: The core


def core(it):
    def marked(mark):
        return filled("    case ", [f".{swift(op)}" for op, table in it.ops.items() if table.get(mark)], ": true", indent=6)

    ops = "\n".join(f'    case Op.word("{op[:8]}"): self = .{swift(op)}' for op in it.ops)
    examples = "\n".join(
        f"    case .{swift(op)}:\n      #\"{json.dumps(table['example'], separators=(',', ':'))}\"#"
        for op, table in it.ops.items())
    needed = "\n".join(set_lines(it.ops, lambda op: op.get("needs", [])))
    taken = "\n".join(set_lines(it.ops, lambda op: op["all"]))
    sets = "\n".join(
        f"  @inline(__always)\n" + filled(
            f"  static var {name}: MemberSet {{ ", [f"Member.{swift(member)}.mask" for member in members], " }", gap=" | ")
        for name, members in it.sets.items() if name in SETS_OF_CODE)
    kinds = sorted({member["kind"] for member in it.members.values()}
                   | {member["kind"] for op in it.ops.values() for member in op.get("where", {}).values()})
    of_kind = "\n".join(
        filled("    case ", [f".{swift(name)}" for name, member in it.members.items() if member["kind"] == kind],
               f": .{swift(kind)}", indent=6)
        for kind in kinds if any(member["kind"] == kind for member in it.members.values()))
    elsewhere = list(special_kinds(it))
    numbers = {name: member for name, member in it.members.items() if member["kind"] == "integer"}
    within = {name: member for members in it.objects.values() for name, member in members.items() if "range" in member}
    ranges = "\n".join(
        f"  package static var {swift(name)}: ClosedRange<Int64> {{ {closed(member['range'])} }}"
        for name, member in {**numbers, **within}.items())
    ranged = "\n".join(f"    case .{swift(name)}: {swift(name)}" for name in numbers)
    special = "\n".join(
        f"    case (.{swift(op)}, .{swift(name)}): {closed(member['range'])}"
        for op, table in it.ops.items() for name, member in table.get("where", {}).items() if "range" in member)
    bytes_ = "\n".join(
        f"    case .{swift(name)}: {member['bytes'][0]}...{number(member['bytes'][1])}"
        for name, member in it.members.items() if "bytes" in member)
    choices = "\n".join(
        f"    case .{swift(name)}: {json.dumps(member['of'])}" for name, member in it.members.items() if "of" in member)
    most = {name: it.members[name]["count"][1] for name in ("accepts", "topics")}
    if len(set(most.values())) != 1:
        sys.exit(f"Clients/contract.json: all lists of patterns have one length, and not {most}")
    said = "\n".join(
        f'    case .{cause}:\n      ' + (f'wasAsked ? "{table["says"]}" : "{table["unasked"]}"' if "unasked" in table else f'"{table["says"]}"')
        for cause, table in it.causes.items())
    form = filled("    case ", [f".{swift(code)}" for code in it.codes_of_form], ": true", indent=6)
    return f"""\
// {MADE}
// swift-format-ignore-file

/// Every `op` that a peer may send: the closed set of the contract.
enum Op: UInt8, CaseIterable {{
{cases(it.ops)}

  /// The spelling on the wire.
  var spelling: String {{
    switch self {{
{spellings(it.ops)}
    }}
  }}

  /// Whether the op answers an offer. Such an op is not a request, so it gets no reply unless it is wrong (section 3).
  var isVerdict: Bool {{
    switch self {{
{marked("verdict")}
    default: false
    }}
  }}

  /// Whether every identity may ask for it (section 11). An op that needs a right has its case in `Router.permit`.
  var needsNoRight: Bool {{
    switch self {{
{marked("no_right")}
    default: false
    }}
  }}

  /// Whether it is carried out for a peer of which the server does not know yet who it is (section 11).
  var isForStrangers: Bool {{
    switch self {{
{marked("stranger")}
    default: false
    }}
  }}

  /// The op whose spelling begins with these eight bytes, NULs behind a shorter one; nil if there is none.
  @inline(__always)
  init?(word: UInt64) {{
    switch word {{
{ops}
    default: return nil
    }}
  }}

  /// The members that the op must have, apart from `op`.
  var needs: [Member] {{
    switch self {{
{needed}
    default: []
    }}
  }}

  /// The members that the op may have, with `op` and those that it must have.
  var takes: [Member] {{
    switch self {{
{taken}
    }}
  }}

  /// A line that a person can type, for the reply to `help`.
  var example: String {{
    switch self {{
{examples}
    }}
  }}
}}

/// The names of members that a peer may send on the top level of a line: a closed set for all requests and verdicts.
///
/// `Op.takes` says which members an op takes; here a name is only known or unknown. The members of nearly every line come
/// first.
package enum Member: UInt8, CaseIterable {{
{cases(it.members)}

  /// The spelling on the wire.
  package var spelling: StaticString {{
    switch self {{
{spellings(it.members)}
    }}
  }}
}}

/// A set of members: a bit for each.
package typealias MemberSet = UInt{64 if len(it.members) <= 64 else 128}

extension Member {{
{sets}
}}

/// What the value of a member is.
enum MemberKind {{
{cases(kinds)}
}}

extension Member {{
  /// What its value is.
  @inline(__always)
  func kind(in op: Op) -> MemberKind {{
    switch (op, self) {{
{chr(10).join(elsewhere)}
    default: kind
    }}
  }}

  @inline(__always)
  private var kind: MemberKind {{
    switch self {{
{of_kind}
    }}
  }}
}}

/// The numbers that members may have. Some of them also stand in the configuration file (contract, sections 5 and 11).
package enum MemberRange {{
{ranges}

  /// Of a member of an op. It is a whole number.
  @inline(__always)
  static func of(_ member: Member, in op: Op) -> ClosedRange<Int64> {{
    switch (op, member) {{
{special}
    default: of(member)
    }}
  }}

  @inline(__always)
  private static func of(_ member: Member) -> ClosedRange<Int64> {{
    switch member {{
{ranged}
    default: .min ... .max
    }}
  }}

  /// How many bytes the text of a member may have.
  @inline(__always)
  package static func bytes(of member: Member) -> ClosedRange<Int> {{
    switch member {{
{bytes_}
    default: 0 ... .max
    }}
  }}

  /// The words that a member may have.
  static func choices(of member: Member) -> [StaticString] {{
    switch member {{
{choices}
    default: []
    }}
  }}

  /// How many patterns a list may have.
  package static var patterns: Int {{ {most["accepts"]} }}
  /// How many bytes the text of a file may have.
  package static var fileBytes: Int {{ bytes(of: .check).upperBound }}
  /// How many bytes a message counts beside its own (contract, section 10).
  package static var messageOverhead: Int {{ {number(it.message_bytes)} }}
}}

/// The `code` of an `error` line, for programs: those of the contract that the core says. Section 9 says when each one is sent.
public enum ErrorCode: String, CaseIterable, Sendable {{
{cases(it.codes_of_core, raw=True)}

  /// Whether the error is about the form of a line, or about an offer that never was there. These errors count towards
  /// `too_many_errors` (section 9).
  var isAboutForm: Bool {{
    switch self {{
{form}
    default: false
    }}
  }}
}}

/// Why a link fails a message (contract, section 6).
public enum Cause: UInt8, CaseIterable, Sendable {{
{cases(it.causes)}

  /// The word on the wire.
  public var spelling: StaticString {{
    switch self {{
{spellings(it.causes)}
    }}
  }}

  /// The message that the sender gets if the handler did not send one. `wasAsked`: the handler had the offer.
  func text(wasAsked: Bool) -> StaticString {{
    switch self {{
{said}
    }}
  }}
}}
"""


def spelled(table, indent):
    """A table of texts; those that are long have a line each."""
    return "\n".join(f"{' ' * indent}{json.dumps(name)}: {json.dumps(text)}," for name, text in table.items())


def seen(it):
    """What the router alone has: statuses, the states of links, and the words for what a message met."""
    says = {name: entry["says"] for name, entry in {**it.states, **it.skips}.items() if "says" in entry}
    skips = {name: entry["step"] for name, entry in {**it.states, **it.skips}.items() if "step" in entry}
    waiting = ", ".join(f".{name}" for name, state in it.states.items() if state["would"] == "wait")
    skipping = ", ".join(f".{name}" for name, state in it.states.items() if state["would"] == "skip")
    causes = "\n".join(f"    case .{name}: .{state['cause']}" for name, state in it.states.items() if "cause" in state)
    steps = "\n".join(
        f"    {json.dumps(outcome)}: [\n{spelled(words, 6)}\n    ]," for outcome, words in it.steps.items())
    return f"""\
// {MADE}
// swift-format-ignore-file

extension Outcome {{
  /// The values of `status`.
  package enum Status: CaseIterable, Sendable {{
{textwrap.indent(cases(it.statuses), "  ")}

    /// The word on the wire.
    package var spelling: StaticString {{
      switch self {{
{textwrap.indent(spellings(it.statuses), "  ")}
      }}
    }}

    /// All words.
    static let words = {json.dumps(list(it.statuses))}
  }}
}}

extension TraceWhere {{
  /// The members that `where` may have.
  static let members = {json.dumps(list(it.objects["where"]))}
}}

/// What a message that comes to a link meets there now: the words of `explain` and `inspect` (contract, section 8).
package enum LinkState: CaseIterable, Sendable {{
{cases(it.states)}

  /// The word on the wire.
  package var spelling: StaticString {{
    switch self {{
{spellings(it.states)}
    }}
  }}

  /// What would happen to the message there.
  var would: StaticString {{
    switch self {{
    case {waiting}: "wait"
    case {skipping}: "skip"
    default: "offer"
    }}
  }}

  /// The cause with which the link fails the message at once; nil if it does not.
  var cause: Cause? {{
    switch self {{
{causes}
    default: nil
    }}
  }}
}}

/// Words for people. `{{took}}`, `{{waited}}` and `{{topic}}` stand for what a step has.
enum SeenWords {{
  /// What a reason of `explain` means.
  static let reasons = [
{spelled(says, 4)}
  ]

  /// Why a message passed a link, in words that follow the link's name.
  static let skips = [
{spelled(skips, 4)}
  ]

  /// How a message ended at a link, by its outcome: with an offer, without one, or after a wait without one.
  static let steps = [
{steps}
  ]
}}
"""


# MARK: Settings


def setting_lines(it):
    """The properties of `Settings`."""
    for name, setting in it.settings.items():
        reason = setting["reason"]
        yield f"  /// {reason[0].upper()}{reason[1:]}."
        yield f"  public var {swift(name)} = {number(setting['default'])}"


def start_reasons(it):
    yield "  private static let startReasons = ["
    for name, setting in it.settings.items():
        if "start" in setting:
            yield f"    {json.dumps(name)}: {json.dumps(setting['start'])},"
    yield "  ]"


def setting_table(it):
    yield "  /// Every setting that is a number, in the order in which people see them."
    yield "  // swift-format-ignore"
    yield "  public static let table: [Setting] = ["
    for name, setting in it.settings.items():
        yield (
            f'    Setting("{name}", "{setting["unit"]}", {closed(setting["range"])}, \\.{swift(name)},\n'
            f'      {json.dumps(setting["reason"], ensure_ascii=False)}),')
    yield "  ]"
