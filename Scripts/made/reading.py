"""llms.txt: for programs that read these pages, what page is for what. It is made of Docs/README.md."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = """\
# Baton

> A message router: it offers each message (a line of JSON) in order to a chain of programs; each may handle it, refuse it,
> change it or pass it on, and the sender gets one result. A guard that is away stops messages (fail closed).

Made by Scripts/contract of Docs/README.md. Addresses are relative to this file.
"""


def llms(_):
    page = (ROOT / "Docs/README.md").read_text(encoding="utf-8")
    lines = [HEAD]
    for title, text in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", page, re.MULTILINE):
        lines.append(f"## {title}\n")
        for aim, where in re.findall(r"^\| (?!to \||---)(.+?) \| (.+) \|$", text, re.MULTILINE):
            for name, path in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", where):
                path = path[3:] if path.startswith("../") else f"Docs/{path}"
                lines.append(f"- [{name}]({path}): {aim}")
        lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"
