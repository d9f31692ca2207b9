"""The figures as tables in Markdown."""

from .targets import TARGETS, paired_ratio

ORDER = ["floor", "floor-polls", "baton", "baton-spin", "baton-tls", "nats", "nats-tls", "redis", "mosquitto"]
TITLES = {"floor": "floor", "floor-polls": "floor, polling", "baton": "Baton", "baton-spin": "Baton, spinning",
          "baton-tls": "Baton, TLS", "nats": "NATS", "nats-tls": "NATS, TLS", "redis": "Redis", "mosquitto": "mosquitto"}


def number(value):
    """Three digits, whatever the size."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def markdown(results):
    """Everything: where and when, the targets, and a table for each figure."""
    parts = [head(results), targets(results)]
    rows = [row for row in results["rows"] if row["work"] in ("chain", "fanout", "mixed")]
    if rows:
        parts += [
            table("CPU time of the server, µs for each message or delivery", results, rows, cost, ratios=True),
            table("Messages or deliveries per second", results, rows, lambda one: f"{one['per_second']:,.0f}"),
            table("Latency, p50 / p99 / p99.9, µs", results, rows, latency),
            table("Resident memory of the server, MB", results, rows, lambda one: f"{one['resident_bytes'] / 1e6:.1f}")]
    idle = [row for row in results["rows"] if row["work"] == "idle"]
    start = [row for row in results["rows"] if row["work"] == "start"]
    if idle:
        parts.append(table("Idle connections: resident bytes each (of the whole server, MB)", results, idle,
                           lambda one: f"{one['bytes_each']:,.0f} ({one['resident_bytes'] / 1e6:.1f})"))
    if start:
        parts.append(table("From the start of the process to its first answer, ms", results, start,
                           lambda one: f"{one['ready_ms']:.1f}"))
    scanner = [row for row in results["rows"] if row["work"] == "scanner"]
    if scanner:
        parts.append(table("The scanner of lines, GB/s", results, scanner,
                           lambda one: f"{one['gigabytes_per_second']:.2f}"))
    return "\n\n".join(part for part in parts if part)


def head(results):
    versions = ", ".join(f"{TITLES[name]} {version}" for name, version in results["versions"].items())
    how = results["how"]
    return (
        f"Measured on {how['date']} on {how['machine']}; {versions}. "
        f"{rounds_words(how)}; the server on core {how['server_core']}, the load on core {how['load_core']}.")


def rounds_words(how):
    if how["rounds"] == 1:
        return f"One round of {how['seconds']:g} s each"
    return f"Medians of {how['rounds']} rounds of {how['seconds']:g} s each"


def cost(one):
    # The load says so where it was too slow to keep the server busy.
    return number(one["server_us_each"]) + ("*" if one["load_is_bottleneck"] else "")


def latency(one):
    return " / ".join(number(one[name]) for name in ("p50_us", "p99_us", "p999_us"))


def table(title, results, rows, cell, ratios=False):
    """A row for each case, a column for each server; with how Baton is beside the floor and NATS, if wanted."""
    names = [name for name in ORDER if any(name in row["servers"] for row in rows)]
    titles = [TITLES[name] for name in names]
    rivals = [rival for rival in ("floor", "nats") if ratios and rival in names and "baton" in names]
    titles += [f"Baton × {TITLES[rival]}" for rival in rivals]
    lines = [f"**{title}**", "", "| work | " + " | ".join(titles) + " |",
             "| --- " * (1 + len(names) + len(rivals)) + "|"]
    marked = False
    for row in rows:
        cells = [figure_cell(row, name, cell) for name in names]
        marked = marked or any(text.endswith("*") for text in cells)
        cells += [ratio_cell(row["servers"], rival) for rival in rivals]
        lines.append(f"| {row['case']} | " + " | ".join(cells) + " |")
    if marked:
        lines += ["", "\\* The load was busy all the time and the server was not: it could have done more."]
    return "\n".join(lines)


def figure_cell(row, name, cell):
    if name in row["failed"]:
        return "failed"
    return cell(row["servers"][name]["median"]) if name in row["servers"] else ""


def ratio_cell(servers, rival):
    if "baton" not in servers or rival not in servers:
        return ""
    ratio = paired_ratio(servers["baton"]["runs"], servers[rival]["runs"], "server_us_each")
    return f"{ratio:.2f}" if ratio else ""


def targets(results):
    lines = []
    for target in TARGETS:
        values = target.values(results)
        if all(value is None for value in values):
            continue
        reached = " / ".join("–" if value is None else reached_words(target, value) for value in values)
        is_met = all(target.is_met_by(value) for value in values)
        lines.append(f"| {target.what} | {target.limit_words()} | {reached} | {'yes' if is_met else 'no'} |")
    if not lines:
        return ""
    return "\n".join(["**Targets**", "", "| work | target | reached | met |", "| --- | --- | --- | --- |"] + lines)


def reached_words(target, value):
    return f"{value:.2f}" if not target.unit else f"{value:.{1 if value >= 10 else 2}f} {target.unit}"
