"""How cost grows with size: slopes in log-log, a plot, and the Python programs that `compare` measures."""

import math
import os
import pathlib
import random
import shutil
import statistics
import sys

import corpora

SCRIPT = """
import hashlib, json, sys
for path in sys.argv[1:]:
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        hashlib.blake2b(line.encode()).digest()
"""

DUCKDB = """
import sys
import duckdb
for path in sys.argv[1:]:
    duckdb.sql(f"select count(*) from read_json('{path}', format='newline_delimited', records=false, maximum_object_size=100000000)").fetchall()
"""

FOLD = """
import json, sys
from langgraph.graph.message import add_messages
for path in sys.argv[1:]:
    state = []
    for line in open(path, encoding="utf-8"):
        _, update = json.loads(line)
        for written in update.values():
            state = add_messages(state, written["messages"])
"""


def slope(points):
    """The slope of the line through the logarithms of sizes and seconds."""
    xs = [math.log(size) for size, _ in points]
    ys = [math.log(seconds) for _, seconds in points]
    mx, my = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def sized(path, megabytes):
    with open(path, "w", encoding="utf-8") as out:
        corpora.claude_session(out, corpora.Pool(random.Random(7)), 1, megabytes * 1_000_000)


def messages(path, count):
    with open(path, "w", encoding="utf-8") as out:
        corpora.langgraph_updates(out, corpora.Pool(random.Random(7)), 1, count * 420, most=501)


def dimensions(options):
    """Name, unit, sizes, what makes the input of a size, and the command that reads it."""
    megabytes = [size for size in (10, 20, 40, 80, 160, 400, 1000, 4000) if size <= options.most]
    counts = [1_000, 3_000, 10_000, 30_000, 100_000]
    files = [size for size in (500, 1_500, 5_000, 15_000, 50_000) if size <= options.files]
    audit, check = ["audit", "--isolated", "-j", "1"], ["check", "--isolated", "--no-cache", "-j", "1"]
    return [
        ("transcripts", "MB in one session", megabytes, sized, audit),
        ("messages", "messages in one thread", counts, messages, audit),
        ("code", "source files", files, corpora.code, check),
    ]


def measure(ctxlint, options, run, apart):
    """Rows of the table; writes plots into docs/ where asked."""
    rows = ["| dimension | sizes | CPU seconds | slope |", "| --- | --- | --- | --- |"]
    curves = []
    for name, unit, sizes, make, command in dimensions(options):
        points = []
        for size in sizes:
            folder = os.path.join(options.keep, f"growth-{name}")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            target = folder if name == "code" else os.path.join(folder, "run.jsonl")
            apart(make, target, size)
            whole = [ctxlint, *command, target]
            run(whole)
            seconds = statistics.median(run(whole)[1] for _ in range(3))
            points.append((size, max(seconds, 1e-3)))
            print(name, size, f"{seconds:.3f} s", flush=True)
            shutil.rmtree(folder)
        # What starting costs hides how the smallest grow.
        tail = [point for point in points if point[1] > 0.05] or points
        grown = slope(tail) if len(tail) > 1 else 0.0
        told = ", ".join(f"{seconds:.2f}" for _, seconds in points)
        rows.append(f"| {unit} | {', '.join(f'{size:,}' for size in sizes)} | {told} | {grown:.2f} |")
        curves.append((unit, points, grown))
        print(rows[-1], flush=True)
    if options.write:
        page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "performance.svg"
        page.write_text(plot(curves), encoding="utf-8")
    return rows


def plot(curves):
    """Panels side by side: seconds over size, both logarithmic, with a line of slope 1 through the last point."""
    width, height, margin = 300, 240, 48
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * len(curves)}" height="{height}" '
        f'viewBox="0 0 {width * len(curves)} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width * len(curves)}" height="{height}" fill="white"/>',
    ]
    for number, (unit, points, grown) in enumerate(curves):
        left = number * width
        low, high = math.log10(points[0][0]), math.log10(points[-1][0])
        bottom = math.log10(min(seconds for _, seconds in points)) - 0.1
        top = math.log10(max(seconds for _, seconds in points)) + 0.1

        def at(size, seconds):
            x = left + margin + (math.log10(size) - low) / max(high - low, 1e-9) * (width - margin - 16)
            y = height - margin - (math.log10(seconds) - bottom) / max(top - bottom, 1e-9) * (height - margin - 32)
            return f"{x:.1f},{y:.1f}"

        last = points[-1]
        straight = [(size, max(last[1] * size / last[0], 10**bottom)) for size, _ in points]
        parts.append(f'<polyline fill="none" stroke="#bbb" stroke-dasharray="4" points="{" ".join(at(*point) for point in straight)}"/>')
        parts.append(f'<polyline fill="none" stroke="#2563eb" stroke-width="2" points="{" ".join(at(*point) for point in points)}"/>')
        for point in points:
            x, y = at(*point).split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="#2563eb"><title>{point[0]:,}: {point[1]:.3f} s</title></circle>')
        parts.append(f'<text x="{left + margin}" y="18">{unit}: slope {grown:.2f}</text>')
        for size, seconds in (points[0], last):
            x, y = at(size, seconds).split(",")
            parts.append(f'<text x="{x}" y="{height - margin + 18}" text-anchor="middle">{size:,}</text>')
            parts.append(f'<text x="{left + margin - 6}" y="{y}" text-anchor="end">{seconds:.2f} s</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit("run benches/compare --only growth")
