"""The figures as a picture: small panels, CPU time of the server on a logarithmic scale, a colour for each server."""

import math
from html import escape

from .table import ORDER, TITLES, rounds_words

COLOURS = {"floor": "#8a8a8a", "baton": "#d1242f", "baton-spin": "#f0883e", "nats": "#0969da", "redis": "#8250df",
           "mosquitto": "#1a7f37"}
WIDTH, HEIGHT, GAP_X, GAP_Y = 168, 190, 46, 58
LEFT, TOP = 96, 92
SIZES = (128, 1024, 16384)
# The columns: what is done with how many in flight, and what stands below each panel.
COLUMNS = (("chain", 1, (1, 3, 10)), ("chain", 64, (1, 3, 10)), ("chain", 1024, (1, 3, 10)),
           ("fanout", 1, (1, 10, 100, 1000)), ("fanout", 64, (1, 10, 100, 1000)))


def svg(results):
    """The whole picture."""
    figures = figures_of(results)
    names = [name for name in ORDER if name in COLOURS and any(key[0] == name for key in figures)]
    width = left_of(len(COLUMNS))
    height = TOP + len(SIZES) * (HEIGHT + GAP_Y) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#24292f">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        text(LEFT, 28, "CPU time of the server for each message or delivery, µs", size=18, weight=600),
        text(LEFT, 48, caption(results), fill="#57606a")]
    for column, (work, window, counts) in enumerate(COLUMNS):
        range_ = range_of(figures, work, window)
        for line, size in enumerate(SIZES):
            left, top = left_of(column), TOP + line * (HEIGHT + GAP_Y)
            if line == 0:
                parts.append(text(left, top - 14, heading(work, window), size=13, weight=600))
            if work == "fanout" and size == 16384:
                continue
            if column in (0, 3):
                parts.append(size_label(left, top, size))
            parts += panel(figures, names, work, window, size, counts, range_, left, top)
    parts += legend(names, left_of(3) + 20, TOP + 2 * (HEIGHT + GAP_Y) + 20)
    return "\n".join(parts + ["</svg>"]) + "\n"


def left_of(column):
    """The fan-outs stand a little apart."""
    return LEFT + column * (WIDTH + GAP_X) + (40 if column >= 3 else 0)


def figures_of(results):
    return {
        (name, row["work"], row["window"], row["bytes"], row["count"]): one["median"]["server_us_each"]
        for row in results["rows"] if row["group"] in ("chain", "fanout") for name, one in row["servers"].items()}


def caption(results):
    how = results["how"]
    return f"{how['date']}, {how['machine']}; {rounds_words(how).lower()}; lower is better"


def heading(work, window):
    return f"{'chain' if work == 'chain' else 'fan-out'}, {window:,} in flight"


def range_of(figures, work, window):
    """The logarithms between which all values of a column are, so that its panels can be compared."""
    values = [value for key, value in figures.items() if key[1:3] == (work, window) and value > 0] or [1]
    return math.log10(min(values)) - 0.1, math.log10(max(values)) + 0.1


def panel(figures, names, work, window, size, counts, range_, left, top):
    low, high = range_

    def y(value):
        return top + HEIGHT - (math.log10(value) - low) / (high - low) * HEIGHT

    def x(index):
        return left + 16 + index * (WIDTH - 32) / (len(counts) - 1)

    parts = []
    # Where there is room, 2 and 5 get a number, too.
    told = (1,) if high - low > 2.2 else (1, 2, 5)
    for power in range(math.floor(low), math.ceil(high)):
        for step in range(1, 10):
            value = step * 10.0**power
            if not low <= math.log10(value) <= high:
                continue
            parts.append(line(left, y(value), left + WIDTH, y(value), "#d0d7de" if step == 1 else "#f0f2f4"))
            if step in told:
                parts.append(text(left - 6, y(value) + 4, f"{value:,g}", anchor="end", fill="#57606a", size=11))
    parts.append(line(left, top + HEIGHT, left + WIDTH, top + HEIGHT, "#8c959f"))
    for index, count in enumerate(counts):
        parts.append(text(x(index), top + HEIGHT + 16, f"{count:,}", anchor="middle", fill="#57606a", size=11))
    below = "handlers" if work == "chain" else "subscribers"
    parts.append(text(left + WIDTH / 2, top + HEIGHT + 31, below, anchor="middle", fill="#57606a", size=11))
    # Baton last, so that nothing hides it.
    for name in sorted(names, key=lambda name: name.startswith("baton")):
        found = [(x(i), y(figures[key])) for i, count in enumerate(counts)
                 if figures.get(key := (name, work, window, size, count), 0) > 0]
        parts += curve(found, COLOURS[name], name)
    return parts


def curve(points, colour, name):
    dash = ' stroke-dasharray="4 3"' if name == "floor" else ""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'] if points else []
    return parts + [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>' for x, y in points]


def size_label(left, top, size):
    words = f"{size >> 10} KB" if size >= 1024 else f"{size} B"
    at = f"{left - 40} {top + HEIGHT / 2}"
    return (f'<text x="{left - 40}" y="{top + HEIGHT / 2}" transform="rotate(-90 {at})" text-anchor="middle" '
            f'font-size="13" font-weight="600">{words}</text>')


def legend(names, left, top):
    parts = []
    for index, name in enumerate(names):
        at = top + index * 22
        parts += curve([(left, at), (left + 26, at)], COLOURS[name], name)
        parts.append(text(left + 38, at + 4, TITLES[name], size=13))
    return parts


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def text(x, y, words, anchor="start", fill=None, size=12, weight=400):
    colour = f' fill="{fill}"' if fill else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}"{colour}>'
            f"{escape(words)}</text>")
