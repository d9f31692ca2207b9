"""The figures of `fair` as tables in Markdown, and whether each attack is withstood."""

# What the control client may wait for beside an attack, in milliseconds.
ONE_P99, ONE_LONG_P99, ONE_P999, MANY_P99 = 5, 12, 20, 20
# When 64,000 offers are lost: all are put back within so many milliseconds. No turn takes longer than 2 ms; a ping may
# have to wait for the turn that it came in, and for the one that answers it.
ENDS = {"until all are put back": 50, "longest ping after a death": 4, "longest ping after the second death": 4}
# Where others have kept the server waiting for longer than this share of the time, its figures say little.
DISTURBED = 0.02


def limits(row):
    """The limits of p99 and p99.9; None where there is none."""
    if row["connections"] > 10:
        return MANY_P99, None
    return (ONE_LONG_P99 if row["is_long_lined"] else ONE_P99), ONE_P999


def holds(row):
    if "failed" in row:
        return False
    beside, (p99, p999) = row["beside"], limits(row)
    if beside["lost"] or beside["other"] or beside["closed"]:
        return False
    return beside["p99_us"] <= p99 * 1000 and (p999 is None or beside["p999_us"] <= p999 * 1000)


def markdown(results):
    rows = [row for row in results["rows"] if row["attack"] != "costs"]
    parts = [head(results)]
    if rows:
        parts += [attack_table(rows), turns_table(rows), built_table(rows)]
    parts += [ends_table(results["rows"]), costs_table(results["rows"]), memory_table(results["rows"])]
    return "\n\n".join(part for part in parts if part)


def head(results):
    how = results["how"]
    return (
        f"Measured on {how['date']} on {how['machine']}; Baton {results['version']}. {how['seconds']:g} s each; the "
        f"server on core {how['server_core']}, the control client and the hostile peers on core {how['load_core']}.")


def milliseconds(microseconds):
    value = microseconds / 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(phase):
    return " / ".join(milliseconds(phase[name]) for name in ("p50_us", "p99_us", "p999_us", "max_us"))


def attack_table(rows):
    lines = ["**Control client beside attacks: p50 / p99 / p99.9 / max, ms**", "",
             "| attack | hostile | quiet | beside | silent for | lost | server busy | target | holds |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    marked = False
    for row in rows:
        lines.append(f"| {row['attack']} | {row['connections']} | " + attack_cells(row))
        marked = marked or "*" in lines[-1]
    met = sum(holds(row) for row in rows)
    lines += ["", f"{met} of {len(rows)} hold."]
    if marked:
        lines += ["", "\\* Other programs kept the server waiting for more than 2 % of the time: measure again."]
    return "\n".join(lines)


def attack_cells(row):
    if "failed" in row:
        return f"failed: {row['failed']} | | | | | | no |"
    beside, (p99, p999) = row["beside"], limits(row)
    target = f"p99 ≤ {p99}" + (f", p99.9 ≤ {p999}" if p999 else "")
    busy = f"{row['server_busy']:.0%}" + ("*" if row["server_waited"] > DISTURBED else "")
    cells = [times(row["quiet"]), times(beside), milliseconds(beside["silence_us"]), lost(beside), busy, target,
             "yes" if holds(row) else "no"]
    return " | ".join(cells) + " |"


def lost(phase):
    words = [f"{phase['lost']:,} of {phase['sent']:,}" if phase["lost"] else "0"]
    if phase["other"]:
        words.append(f"{phase['other']:,} not handled")
    if phase["closed"]:
        words.append(f"{phase['closed']:,} × closed")
    return ", ".join(words)


def turns_table(rows):
    """What the server's turns took, whatever else the machine did."""
    lines = ["**Turns of the server beside attacks: processor time, p50 / p99 / p99.9 / max, ms**", "",
             "| attack | hostile | turns | ms |", "| --- | --- | --- | --- |"]
    for row in rows:
        if row.get("turns"):
            lines.append(f"| {row['attack']} | {row['connections']} | {row['turns']['count']:,} | {times(row['turns'])} |")
    return "\n".join(lines) if len(lines) > 4 else ""


def built_table(rows):
    """What each attack had from the server: how much it built, what was refused, how fast it was served."""
    lines = ["**What the attacks had**", "",
             "| attack | hostile | built | MB/s to the server | lines/s from it | closed | refused | own core busy |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        if "failed" in row:
            continue
        said = row["hostile"]
        figures = ", ".join(f"{value:,.4g} {name}" for name, value in said["figures"].items() if is_size(name))
        errors = ", ".join(f"{count:,} × `{code}`" for code, count in said["errors"].items())
        lines.append(
            f"| {row['attack']} | {row['connections']} | {figures} | {said['bytes_sent'] / 1e6 / said['seconds']:.1f} "
            f"| {said['lines_received'] / said['seconds']:,.0f} | {said['closed_by_server']:,} | {errors} "
            f"| {said['cpu_seconds'] / said['seconds']:.0%} |")
    return "\n".join(lines)


def is_size(name):
    return not name.endswith(("ms", "µs"))


def ends_table(rows):
    """What it takes when many links or offers go at once."""
    wanted = [row for row in rows if row["attack"].startswith(("closes", "dies")) and "failed" not in row]
    if not wanted:
        return ""
    lines = ["**Connections that end, ms**", "", "| attack | hostile | figure | ms | target | holds |",
             "| --- | --- | --- | --- | --- | --- |"]
    for row in wanted:
        head = f"| {row['attack']} | {row['connections']} |"
        figures = row["hostile"]["figures"]
        lines += [f"{head} {ends_cells(name.removesuffix(', ms'), value)} |" for name, value in figures.items()
                  if name.endswith(", ms")]
        silence = milliseconds(row["beside"]["silence_us"])
        lines.append(f"{head} longest silence for the control client | {silence} | | |")
    return "\n".join(lines)


def ends_cells(name, value):
    if name not in ENDS:
        return f"{name} | {value:,.2f} | |"
    return f"{name} | {value:,.2f} | ≤ {ENDS[name]} | {'yes' if value <= ENDS[name] else 'no'}"


def costs_table(rows):
    lines = ["**One change of a chain, µs more than a ping**", "", "| change | p50 | max | target | holds |",
             "| --- | --- | --- | --- | --- |"]
    found = [row for row in rows if row["attack"] == "costs" and "failed" not in row]
    for row in found:
        figures = row["hostile"]["figures"]
        lines[0] = f"**One change of a chain of {figures.get('links', 0):,.0f} links, µs more than a ping**"
        for name, value in figures.items():
            if name.endswith(" p50, µs"):
                kind = name.removesuffix(" p50, µs")
                lines.append(costs_row(kind, value, figures[f"{kind} max, µs"]))
    return "\n".join(lines) if found else ""


def costs_row(kind, middle, longest):
    if kind.startswith("ping"):
        return f"| {kind} (by itself) | {middle:,.1f} | {longest:,.0f} | | |"
    is_met = middle <= 100 and longest <= 2000
    return f"| {kind} | {middle:,.1f} | {longest:,.0f} | p50 ≤ 100, max ≤ 2,000 | {'yes' if is_met else 'no'} |"


def memory_table(rows):
    """Resident memory where it grows by more than 50 MB."""
    lines = ["**Resident memory of the server, MB**", "", "| attack | hostile | before | most | after |",
             "| --- | --- | --- | --- | --- |"]
    for row in rows:
        if "failed" not in row and row["resident_peak"] - row["resident_before"] > 50e6:
            cells = [f"{row[name] / 1e6:,.0f}" for name in ("resident_before", "resident_peak", "resident_after")]
            lines.append(f"| {row['attack']} | {row['connections']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) if len(lines) > 4 else ""
