"""The tables of the pages."""


def amount(setting):
    """A default as people read it: bytes in MiB where they are whole ones."""
    value, unit = setting["default"], setting["unit"]
    if unit == "bytes" and value % 2**20 == 0:
        value, unit = value // 2**20, "MiB"
    return f"{value} {unit}"


def table(heads, rows):
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from rows


def code(words):
    return ", ".join(f"`{word}`" for word in words)


def setting_rows(it):
    return table(["setting", "default", "what happens there"], (
        f"| `{name}` | {amount(setting)} | {setting['there']} |"
        for name, setting in it.settings.items()))


def error_rows(it):
    return table(["code", "when", "closes the connection"], (
        f"| {code(row['codes'])} | {row['when']} | {row['closes'] + ' ' if 'closes' in row else ''}|" for row in it.errors))


def op_rows(it):
    def may(op):
        return [member for member in op["all"] if member not in {"op", "id", "reply", *op.get("needs", [])}]

    return table(["op", "needs", "may have"], (
        f"| `{name}` | {code(op.get('needs', []))} | {code(may(op))} |" for name, op in it.ops.items()))


def cause_rows(it):
    return table(["`cause`", "when"], (f"| `{name}` | {cause['when']} |" for name, cause in it.causes.items()))


def reason_rows(it):
    """What `explain` says of a link: the states, `serving` without a reason, and then why a message would not be there."""
    def row(would, reason, when):
        return f"| `{would}` | {reason} | {when} |"

    def rows():
        for name, state in it.states.items():
            mount = "; at a mount, its links follow" if name == "serving" else ""
            yield row(state["would"], "" if name == "serving" else f"`{name}`", state["when"] + mount)
        yield from (row("skip", f"`{name}`", skip["when"]) for name, skip in it.skips.items() if "when" in skip)

    return table(["`would`", "`reason`", "when"], rows())
