"""The figures as a table in Markdown."""

ORDER = ["floor", "baton", "baton-spin", "nats", "redis", "mosquitto"]


def number(value):
    """Three digits, whatever the size."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def markdown(results):
    lines = ["| work | server | CPU µs each | × floor | per second | p50 µs | p99 µs | p99.9 µs | resident MB |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in results["rows"]:
        floor = row["servers"].get("floor", {}).get("median")
        for name in ORDER:
            if name not in row["servers"]:
                continue
            figures = row["servers"][name]["median"]
            ratio = f"{figures['server_us_each'] / floor['server_us_each']:.2f}" if floor else "–"
            mark = " *" if figures["load_is_bottleneck"] else ""
            lines.append(
                f"| {row['case']} | {name}{mark} | {number(figures['server_us_each'])} | {ratio} "
                f"| {figures['per_second']:,.0f} | {number(figures['p50_us'])} | {number(figures['p99_us'])} "
                f"| {number(figures['p999_us'])} | {figures['resident_bytes'] / 1e6:.1f} |")
    return "\n".join(lines)
