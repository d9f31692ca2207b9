"""The figures of crowds as a table in Markdown, and whether each is withstood."""

from .fair_table import DISTURBED, head, lost, times

# How much later messages may come beside a crowd.
LATER = 2


def holds(row):
    if "failed" in row:
        return False
    quiet, beside, within = row["quiet"], row["beside"], row["served_within"]
    if beside["lost"] or beside["other"] or beside["closed"]:
        return False
    if within and not 0 < row["said"]["all_served_most_s"] <= within:
        return False
    return beside["p99_us"] <= LATER * quiet["p99_us"]


def markdown(results):
    lines = [head(results), "", "**Control client beside crowds: p50 / p99 / p99.9 / max, ms**", "",
             "| crowd | connections | quiet | beside | p99 × quiet | lost | server busy | target | holds |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in results["rows"]:
        lines.append(f"| {row['crowd']} | {row['connections']:,} | {cells(row)}")
    if any("*" in line for line in lines[6:]):
        lines += ["", "\\* Other programs kept the server waiting for more than 2 % of the time: measure again."]
    lines += ["", "**What the crowds had**", "",
              "| crowd | all served, s: median, most | served at most | opened | handshakes | closed by the server "
              "| of these refused | wrong tokens | reloads | memory at most, MB |",
              "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    lines += [had(row) for row in results["rows"] if "failed" not in row]
    return "\n".join(lines)


def cells(row):
    if "failed" in row:
        return f"failed: {row['failed']} | | | | | | no |"
    target = f"p99 ≤ {LATER} × quiet" + (f", served within {row['served_within']:g} s" if row["served_within"] else "")
    busy = f"{row['server_busy']:.0%}" + ("*" if row["server_waited"] > DISTURBED else "")
    later = row["beside"]["p99_us"] / max(row["quiet"]["p99_us"], 1)
    return (f"{times(row['quiet'])} | {times(row['beside'])} | {later:.2f} | {lost(row['beside'])} | {busy} | {target} "
            f"| {'yes' if holds(row) else 'no'} |")


def had(row):
    said = row["said"]
    served = f"{said['all_served_s']:.2f}, {said['all_served_most_s']:.2f}" if said["rounds"] else ""
    return (
        f"| {row['crowd']} | {served} | {said['served_most']:,} | {said['opened']:,} | {said['handshakes']:,} "
        f"| {said['closed_by_server']:,} | {said['refused']:,} | {said['auth_failed']:,} | {row['reloads'] or ''} "
        f"| {row['resident_peak'] / 1e6:,.0f} |")
